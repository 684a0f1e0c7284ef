"""What may touch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contact:
    """Contact without friction between rods, of one name or of two.

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
    """

    name: str
    between: tuple[str, str]
    radius: float | None = None
