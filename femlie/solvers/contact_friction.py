"""Friction in a static run: what slip counts from, and how far it may go in a step."""

from __future__ import annotations

import numpy as np

from .._equations import observe_blocks, start_step
from ..assembly import Assembly, eq_view
from ..contact import _friction_layout as layout
from ..contact import _layout as plain
from ..contact.model import ContactModel
from ..elements.base import N_ENERGIES, Array, Motion
from .march import run

# slip in one load step over the smallest radius, of bodies over a tenth of the smallest
# half side: what steps aim at, and no more than
LARGEST_SLIP, REFUSED_SLIP = 0.5, 1.0
# part by which forces of contacts that slid stand beyond the cone at the next start
LEAN = 1e-6
# iterations, with those of friction, below which a load step may grow
FEW_ITERATIONS = 12
# a contact that closes has no friction until the end of the step, which must be short
CLOSING_STEP = 0.1 * (1.0 + 1e-9)


def start_with_slips(
    assembly: Assembly, motion: Motion, poses: Array, multipliers: Array
) -> None:
    """Start contacts of a list made within a load step; slip counts from its start.

    Parameters
    ----------
    assembly : Assembly
        With the new list.
    motion : Motion
        As it is now.
    poses, multipliers : arrays
        At the start of the step; multipliers of contacts only.
    """
    now = motion.poses.copy(), motion.multipliers.copy()
    motion.poses[:] = poses
    motion.multipliers[motion.multipliers.size - multipliers.size :] = multipliers
    run(assembly, start_step, motion)
    slips = _slips(assembly).copy()
    motion.poses[:], motion.multipliers[:] = now
    run(assembly, start_step, motion)
    _slips(assembly)[:] = slips


def _slips(assembly: Assembly) -> Array:
    """Columns of the iterates that say what slip counts from."""
    block = len(assembly.system.blocks) - 1
    return eq_view(assembly.equations, block, "iterates")[:, layout.CLOSED :]


class SlipLimits:
    """How far surfaces slip in a load step, and whether that was too far.

    Parameters
    ----------
    model : ContactModel
    """

    def __init__(self, model: ContactModel) -> None:
        self.radius = 0.5 * model.unit
        self.names, self.frictions = model.names, model.frictions
        self.largest = 0.0

    def is_too_far(self, assembly: Assembly, motion: Motion, step: float) -> bool:
        """Whether a converged load step must be repeated in shorter ones.

        Parameters
        ----------
        assembly : Assembly
        motion : Motion
        step : float
            Change of the load factor.

        Notes
        -----
        The direction of slip is one within a step, and what closes within it has no
        friction before its end.
        """
        self.largest = largest_slip(assembly, motion, self.radius)
        if self.largest > REFUSED_SLIP * self.radius:
            return True
        return step > CLOSING_STEP and _has_closed(assembly, motion)

    def words(self) -> str:
        """What friction cannot do."""
        pairs = zip(self.names, self.frictions, strict=True)
        found = " and ".join(f"'{name}' ({mu:g})" for name, mu in pairs if mu > 0.0)
        return (
            f"Friction of contact {found} bears no more than its coefficient times the "
            "normal force: what needs more slides, or tips, and has no equilibrium. "
            "Where it should hold, give more load steps, or begin where parts touch."
        )

    def next_step(self, step: float) -> float:
        """Load step in which surfaces slip by what they should, from the last one."""
        if self.largest == 0.0:
            return np.inf
        return step * LARGEST_SLIP * self.radius / self.largest


def largest_slip(assembly: Assembly, motion: Motion, radius: float) -> float:
    """Largest slip of a contact with friction since the start of the step [m].

    Of points that spin, at a radius [m] from where they touch.
    """
    blocks = assembly.system.blocks
    outputs = np.zeros(sum(one.n_all_outputs for one in blocks))
    everything = True
    run(assembly, observe_blocks, motion, outputs, np.zeros(N_ENERGIES), everything)
    own = outputs[outputs.size - blocks[-1].n_all_outputs :]
    columns = own.reshape(-1, layout.N_OUTPUTS)
    spin = radius * columns[:, layout.SPIN_ANGLE].max(initial=0.0)
    return float(columns[:, layout.SLIP].max(initial=spin))


def _has_closed(assembly: Assembly, motion: Motion) -> bool:
    """Whether a contact with friction bears a force that was open before."""
    b = len(assembly.system.blocks) - 1
    codes = assembly.system.blocks[b].codes
    closed = eq_view(assembly.equations, b, "iterates")[:, layout.CLOSED :][:, :2]
    rubs = eq_view(assembly.equations, b, "parameters")[:, layout.COEFFICIENT] > 0.0
    numbers = codes[:, plain.MULTIPLIER : plain.MULTIPLIER + plain.N_MULTIPLIERS]
    own = codes[:, plain.OWNS : plain.OWNS + plain.N_MULTIPLIERS] == 1
    bears = motion.multipliers[numbers] > 0.0
    return bool(np.any(own & bears & (closed == 0.0) & rubs[:, None]))


def lean_on(assembly: Assembly, motion: Motion) -> None:
    """Let contacts that slid begin the next load step as sliding.

    Their forces stand on the cone, where rounding would decide; the step changes them
    anyway.
    """
    b = len(assembly.system.blocks) - 1
    codes = assembly.system.blocks[b].codes
    coefficients = eq_view(assembly.equations, b, "parameters")[:, layout.COEFFICIENT]
    rows, ends = np.nonzero(codes[:, plain.OWNS : plain.OWNS + plain.N_MULTIPLIERS])
    numbers = codes[rows, plain.MULTIPLIER + ends]
    first = codes[rows, layout.TANGENT + 2 * ends]
    limits = coefficients[rows] * motion.multipliers[numbers]
    tangents = first[:, None] + np.arange(2)
    spins = np.where(ends == 0, codes[rows, layout.SPIN], -1)
    turns = np.where(spins >= 0, motion.multipliers[spins], 0.0)
    sizes = np.linalg.norm(
        np.column_stack([motion.multipliers[tangents], turns]), axis=1
    )
    slid = (limits > 0.0) & (sizes >= (1.0 - LEAN) * limits)
    motion.multipliers[tangents[slid]] *= 1.0 + LEAN
    motion.multipliers[spins[slid & (spins >= 0)]] *= 1.0 + LEAN
