"""Types of what a time stepper brings; `femlie.solvers.stepping` says what they do."""

from __future__ import annotations

from typing import Any, Protocol

from ..assembly import Assembly
from ..elements.base import Array, Motion
from .schedule import Schedule


class Method(Protocol):
    """What a time stepper brings to `Stepping.march`."""

    name: str
    driver: Any
    memory: Any

    @property
    def is_adaptive(self) -> bool:
        """Whether the error decides how many steps there are."""
        ...

    def start(self) -> None:
        """Accelerations and memory at a start that meets all constraints.

        Not called behind a checkpoint.
        """
        ...

    def first_pivots(self) -> None:
        """Evaluate a matrix of the next step and call `Stepping.analyze`."""
        ...

    def carried(self) -> dict[str, Array]:
        """What a restart needs of the memory besides counts and ledger."""
        ...

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        ...

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        ...

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused, and the residuals of its iterations."""
        ...


class Settings(Protocol):
    """A solver: a frozen dataclass, whose fields are kept with the results."""

    @property
    def loop(self) -> str:
        """Word for its driver, which `femlie.loops` and `ahead` know."""
        ...

    @property
    def projects_start(self) -> bool:
        """Whether a start that violates constraints is moved instead of refused."""
        ...

    def check_step(
        self, assembly: Assembly, motion: Motion, schedule: Schedule
    ) -> None:
        """Refuse a step with which the method would be unstable from the start."""
        ...


class MethodKind(Protocol):
    """A class of the kind of `Method`, made with a `Stepping`."""

    name: str

    def __call__(self, settings: Any, stepping: Any, /) -> Method: ...
