"""What a static run reads of its solver."""

from __future__ import annotations

from typing import Protocol


class StaticSettings(Protocol):
    """What a run reads of `Static`."""

    @property
    def tolerance(self) -> float: ...
    @property
    def iteration_limit(self) -> int: ...
    @property
    def checks_stability(self) -> bool: ...
