"""Names of units, for the headers of tables and the titles of color bars."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    """Names of the units of a model, for tables and pictures; nothing is converted.

    Attributes
    ----------
    length, force, time : str
    """

    length: str = "m"
    force: str = "N"
    time: str = "s"

    def of(self, dimension: str) -> str:
        """Unit of a dimension such as ``"length/time"``."""
        mass = f"{self.force} {self.time}^2/{self.length}"
        words = {
            "mass": "kg" if self == SI else mass,
            "frequency": "Hz" if self.time == "s" else f"1/{self.time}",
            "length": self.length,
            "time": self.time,
            "time^2": f"{self.time}^2",
            "force": self.force,
            "moment": f"{self.force} {self.length}",
            "energy": f"{self.force} {self.length}",
            "angle": "rad",
            "ratio": "1",
        }
        return "/".join(words[word] for word in dimension.split("/"))


SI = Units()
