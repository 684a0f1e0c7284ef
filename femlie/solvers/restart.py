"""Where a run begins: a state, or the latest checkpoint of an earlier run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.base import Array, Motion
from ..errors import ModelError, ResultsError
from ..records import Records, layout_of, select_records
from ..results_file import ResultsWriter, read_run
from ..system import State, System
from .method import Settings
from .schedule import Schedule

# settings that say how hard to try; a restart may change them
FREE_SETTINGS = (
    "residual_tolerance",
    "stage_tolerance",
    "correction_tolerance",
    "iteration_limit",
    "sweep_limit",
    "projects_start",
)
# what an analysis is asked for besides the settings of its solver
NOT_SETTINGS = ("duration", "time_step", "start_time", "model", "events")
MOST_NAMES = 5
NEW_RUN = (
    "To begin a new run there, start it at the last state of these results (--start on "
    "the command line)."
)


@dataclass(frozen=True)
class Checkpoint:
    """The latest checkpoint of an earlier run.

    Attributes
    ----------
    path : Path
    step : int
        Steps done.
    arrays : dict of name -> array
        What `Stepping.save_checkpoint` kept.
    records : Records
        Rows of the run up to there.
    start_time : float
        Where that run began [s].
    """

    path: Path
    step: int
    arrays: dict[str, Array]
    records: Records
    start_time: float

    def load(self, motion: Motion, history: Array) -> None:
        """Put the motion, and the history of all elements, where the run left them."""
        self.fill({**motion._asdict(), "history": history})

    def fill(self, targets: Mapping[str, Array]) -> None:
        """Put arrays, by name, where the run left them.

        Raises
        ------
        ResultsError
            Another version has kept other ones.
        """
        for name, target in targets.items():
            kept = self.arrays.get(name)
            if kept is None or kept.shape != target.shape:
                raise ResultsError(
                    f"'{self.path}' was written by another version of femlie, which "
                    f"kept '{name}' in another way: begin a new run at the last state "
                    "of these results (--start on the command line)."
                )
            target[:] = kept

    def fit(self, schedule: Schedule, *, is_adaptive: bool) -> Checkpoint:
        """The same for a run that goes on: without the row that only an end has.

        Raises
        ------
        ModelError
            The earlier run has passed the end of this one.
        """
        reached = float(self.arrays["time"][0])
        end = self.start_time + schedule.duration
        ahead = end - reached if is_adaptive else schedule.n_steps - self.step
        if ahead < -1e-9 * end:
            raise ModelError(
                f"'{self.path}' has reached time {reached:g} s, which lies behind the "
                f"end of this run at {end:g} s: give a longer duration (it counts from "
                "the start of the first run), or look at the results that are there."
            )
        has_row = self.records.times.size > 0 and self.records.times[-1] == reached
        if ahead > 0 and has_row and self.step % schedule.output.every:
            rows = select_records(self.records, slice(self.records.times.size - 1))
            return dataclasses.replace(self, records=rows)
        return self


def asked_for(
    name: str, settings: Settings, system: System, schedule: Schedule
) -> dict[str, Any]:
    """What a run is asked for, as it is kept with the results."""
    fields = dataclasses.asdict(settings)  # type: ignore[call-overload]
    asked = {
        "method": name,
        **{key: _plain(value) for key, value in fields.items()},
        "duration": schedule.duration,
        "time_step": schedule.step,
        "model": dict(system.digests),
    }
    if schedule.events:
        asked["events"] = [event.sensor for event in schedule.events]
    return asked


def _plain(value: Any) -> Any:
    """As a results file gives it back."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def open_writer(
    path: str | Path | None,
    system: System,
    analysis: Mapping[str, Any],
    point: Checkpoint | None,
) -> ResultsWriter | None:
    """Begin a results file, with the rows of the run that this one continues."""
    if path is None:
        return None
    if point is None:
        return ResultsWriter(path, system, analysis=analysis)
    return ResultsWriter.resume(
        path,
        system,
        analysis=analysis,
        source=point.path,
        n_rows=len(point.records.times),
    )


def read_restart(
    path: str | Path, system: System, analysis: Mapping[str, Any]
) -> Checkpoint:
    """Latest checkpoint of a results file, if this run may go on from it.

    Parameters
    ----------
    path : path
    system : System
    analysis : dict
        What is asked for now.

    Raises
    ------
    ModelError
        The earlier run had another model, method, setting or step.
    ResultsError
        The file cannot be read or holds no checkpoint.
    """
    run = read_run(path)
    if "events" in analysis or "events" in run.analysis:
        raise ModelError(
            f"'{path}' cannot be gone on from with events, of which a checkpoint knows "
            f"nothing: start anew. {NEW_RUN}"
        )
    _check_settings(path, run.analysis, analysis)
    _check_model(path, run.analysis.get("model"), analysis["model"])
    if "memory_counts" not in run.arrays:
        raise ModelError(
            f"'{path}' was saved behind the end of its run, without what a restart "
            "needs: let a run write its file as it goes, by output=Output(path=...). "
            f"{NEW_RUN}"
        )
    shapes = layout_of(system).shapes()
    for name, array in run.records._asdict().items():
        if array.shape[1:] != shapes[name]:
            raise ModelError(
                f"'{path}' holds a run of another model: {name} has the shape "
                f"{array.shape[1:]}, expected {shapes[name]}."
            )
    return Checkpoint(
        path=Path(path),
        step=run.step,
        arrays=run.arrays,
        records=run.records,
        start_time=float(run.analysis.get("start_time", 0.0)),
    )


def _check_settings(
    path: str | Path, before: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    """Refuse to go on with another method, other settings or another fixed step."""
    is_same = {
        key: before.get(key) == now[key]
        for key in now
        if key not in (*NOT_SETTINGS, *FREE_SETTINGS)
    }
    is_same["time_step"] = now.get("tolerance") is not None or math.isclose(
        float(before.get("time_step", 0.0)), float(now["time_step"]), rel_tol=1e-9
    )
    for key, agrees in is_same.items():
        if not agrees:
            raise ModelError(
                f"'{path}' holds a run with the {key} {before.get(key)}, this one has "
                f"{now.get(key)}: a restart goes on with the same. {NEW_RUN}"
            )


def _check_model(
    path: str | Path, before: Mapping[str, str] | None, now: Mapping[str, str]
) -> None:
    """Refuse to go on with another model, naming the parts that differ."""
    if before is None:
        return
    words = {
        ("is", "are", " not in this model"): [k for k in before if k not in now],
        ("was", "were", " not in that model"): [k for k in now if k not in before],
        ("differs", "differ", ""): [k for k in now if before.get(k, now[k]) != now[k]],
    }
    found = [
        f"{_names(names)} {one if len(names) == 1 else several}{rest}"
        for (one, several, rest), names in words.items()
        if names
    ]
    if not found and list(before) != list(now):
        found = ["its parts stand in another order"]
    if found:
        raise ModelError(
            f"'{path}' holds a run of another model: {'; '.join(found)}. A restart "
            f"goes on with the same model. {NEW_RUN}"
        )


def _names(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" * (len(names) > MOST_NAMES))


def check_state(state: State, system: System) -> None:
    """Refuse a state that belongs to another model.

    Raises
    ------
    ModelError
        Naming what has another size.
    """
    if not isinstance(state, State):
        raise ModelError(
            f"start is a {type(state).__name__}: expected a State (such as "
            "results.last_state or system.state), or the path of a results file."
        )
    own = system.state
    for name in ("poses", "velocities", "accelerations", "increments", "multipliers"):
        given, expected = np.shape(getattr(state, name)), getattr(own, name).shape
        if given != expected:
            raise ModelError(
                f"start is a state of another model: its {name} have the shape "
                f"{given}, expected {expected}."
            )
    carried, needed = (
        sum(int(np.size(array)) for array in one.history) for one in (state, own)
    )
    if state.history and carried != needed:
        raise ModelError(
            f"start is a state of another model: its elements carry {carried} numbers, "
            f"expected {needed}."
        )
