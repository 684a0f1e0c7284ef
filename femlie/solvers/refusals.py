"""What a run in time refuses before its first step."""

from __future__ import annotations

from typing import Any

from .._equations import start_step
from ..assembly import DYNAMIC, Assembly
from ..elements.base import Motion
from ..elements.joint_motion import rubbing_names
from ..errors import ModelError
from ..records import layout_of
from ..system import System
from .march import run
from .method import Settings
from .schedule import Schedule, StopWhen, Watch, check_system, column_of
from .start import accelerations, check_start
from .tree_problem import structure_of

# energies that only whole steps know
OF_THE_LEDGER = (
    "load_work",
    "motor_work",
    "dissipated",
    "numerical_dissipation",
    "relative_balance",
    "impact_loss",
    "correction_work",
    "friction_loss",
)


def check_run(settings: Settings, system: System, schedule: Schedule) -> None:
    """Refuse what a run in time would refuse before its first step.

    Raises
    ------
    ModelError, ResultsError
        No such sensor to stop at, no folder for the results, an inconsistent start,
        frames without mass, a step that is too long for the method, a model that a
        tree cannot follow.
    """
    check_schedule(settings, schedule, system)
    assembly = Assembly(system)
    motion = assembly.motion(system.state, regime=DYNAMIC)
    run(assembly, start_step, motion)
    if settings.loop in ("tree", "tree_alpha"):
        solver: Any = settings
        structure_of(assembly, solver.cut)
    consistent_start(settings, assembly, motion, schedule)
    accelerations(assembly, motion)


def check_schedule(
    settings: Settings, schedule: Schedule, system: System
) -> Watch | None:
    """Look at paths and names; the stop condition with its place in the records."""
    check_system(system, may_touch=settings.may_touch, may_rub=settings.may_rub)
    schedule.output.check_path()
    layout = layout_of(system)
    for event in schedule.events:
        column_of(event.sensor, event.component, layout, what="an event")
        energy = getattr(layout.catalog.sensors[event.sensor], "energy", None)
        if energy in OF_THE_LEDGER:
            raise ModelError(
                f"An event on sensor '{event.sensor}' needs its value within a step: "
                f"'{energy}' is summed up from step to step. Use stop=fl.StopWhen(...),"
                " or an event on a place, a force or another energy."
            )
    stop = schedule.stop
    return stop.watch(layout) if isinstance(stop, StopWhen) else None


def consistent_start(
    settings: Settings, assembly: Assembly, motion: Motion, schedule: Schedule
) -> list[str]:
    """Consistent places, velocities and friction, in place; returns notices.

    Raises
    ------
    ModelError
        An inconsistent start, a step that is too long.
    """
    notices = check_start(
        assembly,
        motion,
        projects=settings.projects_start,
        time_step=schedule.step,
    )
    settings.check_step(assembly, motion, schedule)
    if rubbing_names(assembly.system.blocks):
        # not loaded where nothing rubs
        from .start_friction import settle_friction

        settle_friction(assembly, motion)
    return notices
