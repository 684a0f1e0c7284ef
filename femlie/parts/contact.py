"""Who may touch whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contact:
    """Contact of rods, and of rods and bodies with rigid shapes.

    Attributes
    ----------
    name : str
    between : (2,)
        Two names: a beam; a group of lines; a group of nodes, each of which is then a
        sphere of the radius of its beam; a `Shape`; a body with a solid or a surface.
        One name twice: a rod with itself and all rods of one name with each other.
    radius : float or None
        Radius of the surface of beams [m]; default: that of the sections, which have
        to be round.
    restitution : float
        Speed at which rods part over the speed at which they met, 0 to 1; analyses in
        time ask for it. On rods that deform it belongs to the sections that meet, and
        has hardly any effect on the whole.
    friction : float
        Coefficient of Coulomb's friction: the largest force along the surfaces over
        the normal force. In statics a contact that closes has it from the next load
        step on.
    spin_radius : float
        Largest moment about the normal over the largest force along the surfaces [m],
        of points: balls, tips, rods that cross. Both have one limit, ``F^2 + (M /
        spin_radius)^2 <= (friction N)^2``. A circle of radius a that is pressed as
        Hertz says has ``3 pi a / 16``, one of even pressure ``2 a / 3``. Lines bear
        such moments by themselves; there it has no effect.

    Notes
    -----
    What several contacts ask for, as where their groups share rods, has restitution and
    friction of the first of them. Two contacts of the same two names are refused.
    """

    name: str
    between: tuple[str, str]
    radius: float | None = None
    restitution: float = 0.0
    friction: float = 0.0
    spin_radius: float = 0.0
