"""What may touch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contact:
    """Contact between rods, of one name or of two, with friction or without.

    Attributes
    ----------
    name : str
    between : (2,)
        Two names, or one name twice for a rod with itself and all rods of one name
        with each other: a beam; a group of lines; a group of nodes, each of which is
        then a sphere of the radius of its beam.
    radius : float or None
        Radius of the surface [m]; default: that of the sections, which have to be
        round.
    friction : float
        Coefficient of Coulomb's friction: the largest force along the surfaces over
        the normal force. A contact that closes has it from the next load step on.
    """

    name: str
    between: tuple[str, str]
    radius: float | None = None
    friction: float = 0.0
