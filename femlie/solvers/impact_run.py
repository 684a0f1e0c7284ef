"""Generalized-alpha for models with contact: smooth steps, then what contacts do.

The loop over steps is Python, its parts are compiled (`_impact_driver`). A step is
taken in two halves, again and again, where parts would pass through each other, or
where it cannot be solved; rows stay where they would have been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .._jit import entry_point
from ..elements.base import Array
from . import _alpha_scheme as scheme
from . import _impact_driver as driver
from ._step_state import (
    DONE,
    ERROR_TOO_LARGE,
    START_TIME,
    STEP,
    TIME_STEP,
    WANTS_PIVOTS,
    step_behind,
)
from .alpha_run import AlphaSettings, Run
from .contact_bodies import overlaps_of_bodies
from .contact_overlap import OVERLAP
from .contact_rows import Look
from .contact_watch import least_gaps
from .impact_matrix import UnsolvedError
from .impact_problem import Problem
from .impact_record import ImpactRecord
from .impact_works import LOAD_WORK, Works, mean_velocities
from .impacts import Impacts
from .march import (
    BEFORE,
    BOOK_STEP,
    IMPACT_LOSS,
    LOST_IN_FRICTION,
)
from .stepping import PIVOT_TRIES, Stepping
from .stop_rows import rows_of

# overlap over the unit from which on a step is repeated in halves
DEEP = 0.25
# a step is halved so often before it counts as failed
MOST_HALVINGS = 12
NEWTON_FAILED = "Newton's iteration did not converge"
# why a step is refused, behind the codes of `_step_state`
UNSOLVED = 100

Kept = list[tuple[Array, Array]]


class ImpactRun(Run):
    """One run with impacts: what `ImpactStepping` asks of it."""

    driver = staticmethod(driver.act)

    def __init__(self, solver: AlphaSettings, stepping: Stepping) -> None:
        super().__init__(solver, stepping)
        # arguments of the last call of a part of a step, and how it is entered
        self._given: tuple[Any, ...] = (None,) * 6
        self._enter: Callable[..., int] | None = None
        memory = self.memory
        values = np.zeros(driver.N_VALUES)
        values[: memory.values.size] = memory.values
        self.memory = memory._replace(values=values)
        self.kinds = rows_of(stepping.assembly)
        self.rows = self.kinds.all
        problem = Problem(
            stepping.assembly, stepping.motion, self.rows, self.memory, self.act
        )
        self.impacts = Impacts(problem, quiet_steps=solver.quiet_steps)
        self.works = Works(stepping.motion, self.memory.book, problem)
        self.record = ImpactRecord(stepping, self.kinds, self.impacts)
        self.reason = ""
        # how often each has halved a step
        self.reasons: Counter[str] = Counter()
        # overlap at the start is undone by the first step
        self.is_first = False

    def act(self, task: int) -> int:
        """One of the parts of a step."""
        stepping = self.stepping
        assembly = stepping.assembly
        given = (
            assembly.compiled_equations,
            stepping.motion,
            assembly.target,
            stepping.factorization,
            self.memory,
            stepping.recorder.buffer,
        )
        if not assembly.is_compiled:
            return int(driver.act(*given, task))
        if any(one is not known for one, known in zip(given, self._given, strict=True)):
            self._given = given
            self._enter = entry_point(driver.act, (*given, task))
        assert self._enter is not None
        return int(self._enter(*given, task))

    def carried(self) -> dict[str, Any]:
        """What a restart needs: impulses since the last row besides."""
        return {**super().carried(), **self._of_contacts()}

    def _of_contacts(self) -> dict[str, Array]:
        borne = self.impacts.dampers.accelerations
        return {**self.record.carried(), "borne_accelerations": borne}

    def start(self) -> None:
        """Accelerations, and the gaps there."""
        super().start()
        look = self.rows.begin(self.stepping.motion.poses)
        self.is_first = self.memory.counts[STEP] == 0
        if self.is_first:
            self.stepping.warnings += self._overlaps(look)
        self.record.begin(look)

    def _overlaps(self, look: Look) -> list[str]:
        """What there is to say about overlap at the start.

        Raises
        ------
        ModelError
            Where a body has no way out of another one.
        """
        lists, stops = self.kinds.lists, self.kinds.stops
        words = []
        if lists is not None:
            words = overlaps_of_bodies(lists.data, lists.model, "step")
        depth = -look.gaps.min(initial=0.0)
        if words or depth <= OVERLAP * self.rows.unit:
            return words
        part = self.rows.name_of(int(np.argmin(look.gaps)))
        if stops is not None and part in stops.names:
            text = f"Joint '{part}' starts beyond its hard stop; the "
            return [f"{text}first step moves it back."]
        text = f"Contact '{part}': parts overlap at the start by {depth:.3g} m; the "
        return [f"{text}first step moves them apart."]

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        halved = int(self.memory.counts[scheme.REFUSED])
        if self.is_adaptive or halved == 0:
            return super().notices()
        times = "once" if halved == 1 else f"{halved} times"
        # of the steps before a restart nothing is known
        known = self.reasons.most_common(1) or [("parts moved far into each other", 1)]
        reason, _ = known[0]
        words = (
            f"A step was taken in halves {times}, mostly because {reason}. A smaller "
            "time step finds impacts more exactly."
        )
        return [*super().notices(), words]

    def forget(self) -> None:
        """Drop what a restart does not know."""
        self.rows.forget()
        self.impacts.problem.forget()

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused, and the residuals of its iterations."""
        if code != UNSOLVED:
            return super().failure(code)
        return (
            f"{self.reason}, also in steps of 1/{2**MOST_HALVINGS} of "
            f"{self.stepping.schedule.step:g} s. Look for parts that are held in each "
            "other, or use a smaller time step."
        ), []

    def step(self) -> int:
        """One step of the schedule, or of the error control; nothing if it fails."""
        kept = self._snapshot()
        try:
            code = self._adaptive_step() if self.is_adaptive else self._fixed_step()
        except BaseException:
            self._restore(kept)
            raise
        if code != DONE:
            self._restore(kept)
        return code

    def _fixed_step(self) -> int:
        values, counts, motion = self.memory.values, self.memory.counts, self._motion
        step, start = float(values[TIME_STEP]), float(values[START_TIME])
        first, last = float(motion.time[0]), start + (counts[STEP] + 1) * step
        pieces = [(first, last, 0)]
        code = DONE
        while pieces and code == DONE:
            begin, end, depth = pieces.pop()
            if depth > 0:
                values[TIME_STEP] = end - begin
                values[START_TIME] = end - (counts[STEP] + 1) * (end - begin)
            code = self._attempt(end, is_last=not pieces)
            # behind an impact smooth steps may need to be short, too
            if code != DONE and depth < MOST_HALVINGS:
                middle = 0.5 * (begin + end)
                pieces += [(middle, end, depth + 1), (begin, middle, depth + 1)]
                self.memory.counts[scheme.REFUSED] += 1
                is_contact = code == UNSOLVED
                self.reasons[self.reason if is_contact else NEWTON_FAILED] += 1
                code = DONE
        values[TIME_STEP], values[START_TIME] = step, start
        return code

    def _adaptive_step(self) -> int:
        values = self.memory.values
        while True:
            wanted = float(values[TIME_STEP])
            code = self._attempt(None, is_last=True)
            step = float(values[TIME_STEP])
            if code == DONE:
                is_at_end = self._motion.time[0] >= values[scheme.END_TIME]
                factor = values[driver.FACTOR]
                values[TIME_STEP] = step_behind(step, wanted, factor, is_at_end)
                return DONE
            factor = values[driver.FACTOR] if code == ERROR_TOO_LARGE else 0.5
            if factor * step <= values[scheme.SMALLEST_STEP]:
                return code
            values[TIME_STEP] = factor * step
            self.memory.counts[scheme.REFUSED] += 1

    def _attempt(self, end: float | None, *, is_last: bool) -> int:
        """One step, accepted if all is well; else nothing has changed."""
        kept = self._snapshot()
        code = self._try(end, kept)
        if code != DONE:
            step = self.memory.values[TIME_STEP]
            factor = self.memory.values[driver.FACTOR]
            self._restore(kept)
            self.memory.values[TIME_STEP] = step
            self.memory.values[driver.FACTOR] = factor
            return code
        self._accept(is_last=is_last)
        return DONE

    def _try(self, end: float | None, kept: Kept) -> int:
        motion, rows = self._motion, self.rows
        poses, velocities = motion.poses.copy(), motion.velocities.copy()
        start = rows.begin(poses)
        self.impacts.rubbing.begin(start)
        code = self._smooth_step()
        if code != DONE:
            return code
        if end is not None:
            motion.time[0] = end
        self.memory.book[BOOK_STEP] = self.memory.values[TIME_STEP]
        self.look = rows.at(motion.poses)
        self.now = np.zeros(self.look.gaps.size)
        passed = rows.passed(poses, motion.poses)
        if passed is not None:
            self.reason = f"'{passed[0]}' would pass through '{passed[1]}'"
            return UNSOLVED
        if self._is_deep(start, self.look):
            return UNSOLVED
        least = least_gaps(start.gaps, self.look.gaps, rows.unit)
        if self.is_first:
            least[:] = 0.0
        if np.all(self.look.gaps >= least):
            self.works.of_smooth_step(velocities)
            self.impacts.dampers.release()
            return DONE
        try:
            self._touch(start, velocities, least, kept)
        except UnsolvedError as fault:
            self.reason = str(fault)
            return UNSOLVED
        return DONE

    def _is_deep(self, start: Look, look: Look) -> bool:
        """Whether the smooth step has led parts far into each other."""
        least = np.minimum(start.gaps, 0.0) - DEEP * self.rows.unit
        is_deep = look.gaps < least
        if look.has_passed or np.any(is_deep):
            part = self.rows.name_of(int(np.argmin(look.gaps - least)))
            what = "pass through" if look.has_passed else "move far into"
            self.reason = f"parts of '{part}' would {what} each other"
            return True
        return False

    def _smooth_step(self) -> int:
        code = WANTS_PIVOTS
        for _ in range(PIVOT_TRIES + 1):
            kept = self._snapshot()
            code = self.act(driver.SMOOTH)
            if code != WANTS_PIVOTS:
                break
            self.stepping.analyze()
            self._restore(kept)
        return code

    def _touch(self, start: Look, velocities: Array, least: Array, kept: Kept) -> None:
        """Solve for places, then for velocities; the ledger takes what both do."""
        motion, book, impacts = self._motion, self.memory.book, self.impacts
        impacts.begin()
        came_to = motion.poses.copy()
        touch = impacts.places.solve(self.look, least)
        impacts.follow(touch, came_to)
        self.now = impacts.velocities(touch, start, velocities)
        impacts.balance()
        self.look = touch.look
        book[IMPACT_LOSS] += impacts.loss
        book[LOST_IN_FRICTION] += impacts.rubbing.loss
        lost = impacts.loss + impacts.rubbing.loss
        mean = mean_velocities(start.poses, motion.poses, float(book[BOOK_STEP]))
        before = self._at_start(kept, mean)
        self.works.of_impact(before, mean, impacts.held, lost)

    def _at_start(self, kept: Kept, mean: Array) -> tuple[float, Array]:
        """Energy, and powers at a velocity, of an earlier state; all stays as it is."""
        now = self._snapshot()
        self._restore(kept)
        found = self.works.at(mean)
        self._restore(now)
        return found

    def _accept(self, *, is_last: bool) -> None:
        """End a step, with a row if one is due."""
        self.is_first = False
        memory, motion = self.memory, self._motion
        is_due = False
        if is_last:
            memory.counts[STEP] += 1
            step = memory.counts[STEP]
            is_due = bool(
                step % memory.options[scheme.OUTPUT_EVERY] == 0
                or step == self.stepping.n_steps
                or motion.time[0] >= memory.values[scheme.END_TIME]
            )
        self.record.add(self.look, self.now, is_due=is_due)
        if is_due:
            # work of impulses is booked: powers are those of smooth forces
            powers = self.works.powers()
            self.record.take(lambda: self.act(driver.RECORD))
            memory.book[BEFORE + LOAD_WORK :][:3] = powers
        else:
            self.act(driver.ACCEPT)

    @property
    def _motion(self) -> Any:
        return self.stepping.motion

    def _snapshot(self) -> Kept:
        """All that a step changes, and its values now."""
        memory, motion = self.memory, self._motion
        arrays = [
            *motion,
            memory.alpha,
            memory.alternation,
            memory.counts,
            memory.values,
            memory.book,
            *self._of_contacts().values(),
            self.stepping.recorder.buffer.n,
            self.stepping.assembly.equations.history,
        ]
        return [(array, array.copy()) for array in arrays]

    def _restore(self, kept: Kept) -> None:
        for array, values in kept:
            array[:] = values
