"""What a time stepper brings to `Stepping.march`.

A new time stepper is a frozen dataclass of settings, a `TimeStepper`, whose ``kind`` is
a class of the kind of `Method`. Such a class is made with the settings and a
`Stepping`, and has

``name``
    the word for it in model files (`femlie.input_file.words.METHODS`);
``driver``
    the compiled loop, ``driver(equations, motion, target, factorization, memory,
    buffer, last)``: from the step ``memory.counts[0]`` to the step ``last``, or until
    the buffer is full, ending each step by `march.finish_step`. It returns ``DONE``,
    ``WANTS_PIVOTS`` (called again after `Stepping.analyze`) or a number of its own;
``memory``
    arrays in a named tuple, among them ``counts`` (steps and iterations so far come
    first) and ``book``, the energy ledger (`march.new_book`). The step, where the run
    began and how often a row is due come from ``stepping.schedule.step``,
    ``stepping.start_time`` and ``stepping.schedule.output.every``;
``carried()``
    the other arrays, or views of arrays, that a restart needs: they are written to
    checkpoints, and put back in place;
``resume(step)``
    goes on from the state that an event left: the time of a step counts from
    ``memory.counts[0]``, and what was kept of earlier steps means nothing any more;
``is_adaptive``, ``start()``, ``first_pivots()``, ``notices()``, ``failure(code)``
    as said in `Method`.

All else is done in `femlie.solvers.stepping`: a consistent start, rows, the results
file, progress, stop conditions, checkpoints, restart, the summary, the error at the
end.
"""

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

    @property
    def may_touch(self) -> bool:
        """Whether its runs look at contact and hard stops in the model."""
        ...

    @property
    def may_rub(self) -> bool:
        """Whether its steps find out what sticks in joints with friction."""
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
