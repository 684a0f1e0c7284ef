"""Why a static analysis with contact has failed, in words."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact._closest import OVERHANG
from ..contact.model import pairs_within
from ..contact.shape_pairs import near_shapes
from ..elements.base import Motion
from .contact import ContactRun
from .contact_overlap import gaps_of
from .reports import unstable_motions

# iterations that are looked at, how often the residual has to turn, and what it may
# range over, where contacts alternate
LAST, TURNS, RANGE = 16, 6, 1e5
# what is nearer than this part of the unit of gaps touches
TOUCHES = 1e-3
# how often the search looks twice as far for what is nearest
DOUBLINGS = 40


def with_contact(
    hint: str, found: ContactRun, end: tuple[Assembly, Motion], log: list[float]
) -> str:
    """Words on a failure, and what there is to say about contacts.

    Parameters
    ----------
    hint : str
        On contradictions and motions without resistance; may be empty.
    found : ContactRun
    end : Assembly and Motion
        Where the last load step has ended.
    log : list of float
        Residuals of the iterations of the step that failed.
    """
    assembly, motion = end
    if hint:
        is_open = not found.touches(motion)
        return f"{hint} {open_in_words(found, motion)}".rstrip() if is_open else hint
    alternation = alternation_in_words(log)
    words = [
        alternation,
        kinks_in_words(found, assembly, motion) if alternation else "",
        instability_in_words(found, assembly, motion),
        found.words_of_failure(),
        self_contact_in_words(found),
    ]
    return " ".join(word for word in words if word)


def kinks_in_words(found: ContactRun, assembly: Assembly, motion: Motion) -> str:
    """Which rods touch at a node, where the closest place may jump; else empty."""
    codes = assembly.system.blocks[-1].codes
    iterates = eq_view(assembly.equations, len(assembly.system.blocks) - 1, "iterates")
    numbers = codes[:, layout.MULTIPLIER]
    is_one = (codes[:, layout.FORM] == layout.POINT) & (numbers >= 0)
    is_one &= (codes[:, layout.FIRST] == np.arange(len(codes))) & (
        motion.multipliers[numbers] > 0.0
    )
    places = iterates[:, [layout.XI, layout.ETA]]
    is_one &= np.any(np.abs(places - np.round(places)) < OVERHANG, axis=1)
    if not is_one.any():
        return ""
    pair = codes[int(np.argmax(is_one)), [layout.SLAVE, layout.MASTER]]
    first, second = (found.name_of(one) for one in pair.tolist())
    return (
        f"'{first}' and '{second}' touch at a node, where the force makes a kink in an "
        "axis: let them touch between nodes, by one element more or less, or by nodes "
        "that are moved along."
    )


def instability_in_words(found: ContactRun, assembly: Assembly, motion: Motion) -> str:
    """That the last state is about to buckle; empty where it is not, or with friction.

    Friction has no energy whose curvature could be looked at.
    """
    if found.slips is not None or not found.touches(motion):
        return ""
    motion.time[layout.STAGE] = layout.EXACT
    try:
        n, _ = unstable_motions(assembly, motion)
    except np.linalg.LinAlgError:
        return ""
    if n == 0:
        return ""
    values = "eigenvalue" if n == 1 else "eigenvalues"
    return (
        f"The last equilibrium that was found is unstable, its tangent having {n} "
        f"negative {values}: there it buckles, or slides off, to a state far away that "
        "load steps do not lead to. Hold it in the direction in which it may give way, "
        "or run it as a dynamic analysis with damping."
    )


def self_contact_in_words(found: ContactRun) -> str:
    """What to do with loops and knots; empty where no rod may touch itself."""
    names = [name for name, other in found.model.between if name == other]
    if not names:
        return ""
    return (
        f"'{names[0]}' may touch itself: loops and knots that are pulled tight snap "
        "from one shape to another, with no equilibrium between them. Run those as a "
        "dynamic analysis with damping."
    )


def open_in_words(found: ContactRun, motion: Motion) -> str:
    """Which parts are nearest to each other where no contact has closed.

    Empty where they touch.
    """
    advice = (
        "Contacts hold nothing before they close: let the parts touch at the start, "
        "or move them together by a displacement of a support."
    )
    nearest = nearest_parts(found, motion)
    if nearest is None:
        return f"No contact has closed. {advice}"
    first, second, gap = nearest
    if gap <= TOUCHES * found.model.unit:
        return ""
    return (
        f"No contact has closed: '{first}' and '{second}' are nearest to each other, "
        f"{gap:.3g} m apart. {advice}"
    )


def touching_in_words(found: ContactRun, motion: Motion) -> str:
    """What contact does not hold where parts touch; empty where none do."""
    nearest = nearest_parts(found, motion)
    if nearest is None or nearest[2] > TOUCHES * found.model.unit:
        return ""
    first, second, _ = nearest
    rubs = " and, up to its limit, by friction" if found.slips is not None else ""
    more = "" if found.slips is not None else " friction,"
    return (
        f"'{first}' and '{second}' touch, which holds them only against each "
        f"other{rubs}: loads that make them slide, roll or part have no equilibrium. "
        f"Add{more} a support or a spring, or run it as a dynamic analysis."
    )


def nearest_parts(found: ContactRun, motion: Motion) -> tuple[str, str, float] | None:
    """Names of the two parts that are nearest to each other, and their gap [m]."""
    model, poses = found.model, motion.poses
    ends, bows = model.segments.ends(poses)
    reach = model.reach
    for _ in range(DOUBLINGS):
        pairs = pairs_within(model.segments, ends, bows, reach)
        if model.shapes.items:
            pairs = np.vstack(
                [pairs, near_shapes(model, poses, (ends, bows), reach)[0]]
            )
        if len(pairs):
            break
        reach *= 2.0
    else:
        return None
    gaps = gaps_of(model, poses, ends, pairs)
    nearest = int(np.argmin(gaps))
    first, second = (found.name_of(one) for one in pairs[nearest].tolist())
    return first, second, max(float(gaps[nearest]), 0.0)


def alternation_in_words(log: list[float]) -> str:
    """That contacts open and close, or stick and slide, in turn; else empty."""
    last = np.array(log[-LAST:])
    if last.size < LAST or not np.all(np.isfinite(last)) or last.min() <= 0.0:
        return ""
    turns = int(np.sum(np.diff(np.sign(np.diff(np.log(last)))) != 0))
    if turns < TURNS or last.max() > RANGE * last.min():
        return ""
    return (
        f"In the last {LAST} iterations the residual went up and down between "
        f"{last.min():.2g} and {last.max():.2g}: contacts open and close, or stick and "
        "slide, in turn."
    )
