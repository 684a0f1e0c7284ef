"""A run in time of a model with contact: steps are taken from Python."""

from __future__ import annotations

from typing import Any

from ..results import Results
from ..system import System
from ._step_state import DONE, STEP
from .contact_overlap import refuse_deep_start
from .impact_record import with_record
from .impact_run import ImpactRun
from .method import Method
from .stepping import Stepping


class ImpactStepping(Stepping):
    """A run in time whose steps are taken from Python."""

    def __init__(self, system: System, *arguments: Any, **options: Any) -> None:
        if system.contact is not None:
            refuse_deep_start(system)
        super().__init__(with_record(system), *arguments, **options)

    def advance(self, method: Method, target: int) -> None:
        """Go on to a step, or until the buffer is full."""
        assert isinstance(method, ImpactRun)
        counts, buffer = method.memory.counts, self.recorder.buffer
        while (
            counts[STEP] < target
            and buffer.n[0] < buffer.times.shape[0]
            and not (method.is_adaptive and self.is_over)
        ):
            if self.factorization is None:
                method.first_pivots()
            code = method.step()
            if code != DONE:
                self.fail(method, code)

    def results(
        self, method: Method, *, converged: bool, is_state: bool = True
    ) -> Results:
        """All rows with their summary, whose reactions know of contacts."""
        assert isinstance(method, ImpactRun)
        record = method.record
        record.on_frames[:] = record.last
        found = super().results(method, converged=converged, is_state=is_state)
        record.on_frames[:] = 0.0
        return found

    def save_checkpoint(self, method: Method) -> None:
        """Keep all that the run carries; forget the rest, here as in a restart."""
        assert isinstance(method, ImpactRun)
        super().save_checkpoint(method)
        method.forget()
