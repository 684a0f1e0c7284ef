"""Static equilibrium by Newton's method with one step control that needs no tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import ModelError
from ..fields import check_fields, check_integer, is_whole
from ..results import Results
from ..system import State, System
from .march import Progress
from .mobility import free_motion_in_words
from .restart import check_state
from .schedule import Output, check_kind, check_progress, check_system
from .static_balance import imbalance_in_words
from .static_run import StaticRun

# share of the load of the first step where an unstable state is looked at again
SHORT_STEPS = 0.125


@dataclass(frozen=True, kw_only=True)
class Static:
    """Static analysis; loads without a table over time ramp with the load factor.

    Attributes
    ----------
    tolerance : float
        Relative size of the residual: forces against the sum of force magnitudes,
        moments against theirs, constraints against the model's size.
    iteration_limit : int
        Newton iterations of the whole run.
    checks_stability : bool
        Whether a state that is unstable at the end, though the start was not, is
        computed again in smaller load steps, and said in ``warnings`` if it remains.
    """

    loop: ClassVar[str] = "static"
    can_restart: ClassVar[bool] = False
    tolerance: float = 1e-10
    iteration_limit: int = 2000
    checks_stability: bool = True

    def __post_init__(self) -> None:
        check_fields(self, "Static")

    def check(
        self, system: System, *, load_steps: int = 1, output: Output = Output()
    ) -> None:
        """Refuse what `solve` would refuse before its first step.

        Raises
        ------
        ModelError, ResultsError
        """
        check_system(system, may_touch=True, may_rub=True)
        check_kind("output", output, Output)
        if not is_whole(load_steps) or load_steps < 1:
            raise ModelError(
                f"load_steps is {load_steps!r}: expected a whole number, one or more."
            )
        check_integer(load_steps, "load_steps")
        output.check_path()
        if output.checkpoint_every != Output().checkpoint_every:
            raise ModelError(
                f"checkpoint_every is {output.checkpoint_every}, but a static analysis "
                "keeps no checkpoints: leave it out."
            )
        refuse_floating(system)
        if system.contact is not None:
            # not loaded where nothing touches
            from .contact_overlap import refuse_deep_start

            refuse_deep_start(system)

    def solve(
        self,
        system: System,
        *,
        load_steps: int = 1,
        start: State | None = None,
        output: Output = Output(),
        progress: Progress | None = None,
    ) -> Results:
        """Equilibrium at load factor 1, and at every load step on the way.

        Parameters
        ----------
        system : System
        load_steps : int
            Equal steps to full load, each of them in the results; they are cut by
            themselves where needed.
        start : State or None
            State to start the iteration from; default: the model as built.
        output : Output
            ``every`` counts load steps, the last of which is always kept; the file is
            written at the end. There are no checkpoints.
        progress : callable or None
            Called with the load factor and a text.

        Returns
        -------
        Results

        Raises
        ------
        ModelError
            A part of the model that nothing connects to the ground, a start of another
            model.
        ConvergenceError
            With the results so far and the residual history.
        """
        self.check(system, load_steps=load_steps, output=output)
        check_progress(progress)
        if start is not None:
            check_state(start, system)
        job = StaticRun(self, system, output, progress)
        job.march(start, 1.0 / load_steps, largest=1.0 / load_steps)
        after, free = job.stability()
        warnings = []
        before = 0
        if after > 0:
            before, _ = StaticRun(self, system, output, progress).stability(start)
        if after > before:
            # a large step may have landed on an unstable branch: go there in steps
            again = job.again(start, SHORT_STEPS / load_steps, largest=1.0 / load_steps)
            if again is not None:
                remaining, still_free = again.stability()
                if remaining < after:
                    job, after, free = again, remaining, still_free
        if after > before:
            warnings.append(
                f"The equilibrium is unstable: its tangent has {after - before} more "
                "negative eigenvalue(s) than at the start. A stable state lies "
                "elsewhere: give a small load that leads there, or run it as a dynamic "
                "analysis."
            )
        warnings += _doubts(job)
        if free:
            words = free_motion_in_words(system)
            warnings += [f"The equilibrium is indifferent. {words}"] if words else []
        return job.results(warnings)


def _doubts(job: StaticRun) -> list[str]:
    """Bodies that strayed along what holds them, parts that are not in balance."""
    strays = [] if job.contact is None else job.contact.strays(job.assembly, job.motion)
    return [*strays, *imbalance_in_words(job.assembly, job.motion)]


def equilibrium(
    system: System, *, start: State | None = None, progress: Progress | None = None
) -> State:
    """State of static equilibrium at full load.

    Parameters
    ----------
    system : System
    start : State or None
        State to start the iteration from; default: the model as built.
    progress : callable or None
        Called with the load factor and a text.

    Returns
    -------
    State

    Raises
    ------
    ModelError
        A part of the model that nothing connects to the ground.
    ConvergenceError
        With the results so far and the residual history.
    """
    check_progress(progress)
    refuse_floating(system)
    job = StaticRun(Static(), system, Output(), progress)
    job.march(start, 1.0)
    return job.last_state()


def refuse_floating(system: System) -> None:
    """Raise for parts without any way to the ground: they have no equilibrium.

    What may touch others may be borne by them.
    """
    n = system.summary.get("floating_parts", 0)
    if n and system.contact is not None:
        # not loaded where nothing touches
        from .contact_bodies import n_beyond_contact

        n = n_beyond_contact(system)
    words = free_motion_in_words(system) if n else ""
    if words:
        raise ModelError(
            f"{n} part{'s' if n > 1 else ''} of the model can float away, so that "
            f"there is no static equilibrium. {words}"
        )
