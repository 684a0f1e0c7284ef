"""``femlie run``: solve, save what was reached whatever happens, and draw it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import (
    ConvergenceError,
    FemlieError,
    InputFileError,
    ModelError,
    ResultsError,
    ViewError,
)
from ..input_file import Analysis, ModelFile, read_model
from ..results import Results, load_results
from ..solvers import ahead
from ..system import State, System
from .look import check_color, check_picture_path, draw
from .screen import DONE, INTERRUPTED, NOT_CONVERGED, ProgressBar, say, show

RESULTS, SUMMARY = "results.h5", "summary.json"
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def run(options: argparse.Namespace) -> int:
    """Run the analysis of a model file; the exit code says how it ended."""
    file = read_model(options.model, overrides=options.set)
    if file.analysis is None:
        raise InputFileError(
            f"{file.path}: there is no table [analysis], so there is nothing to run; "
            "expected one with a method (or use 'femlie check')."
        )
    folder = options.output or Path(f"{file.path.stem}_results")
    check_folder(folder)
    if options.picture is not None:
        check_picture_path(options.picture, folder)
    if options.restart is not None:
        check_restart(file.analysis, options.restart)
    start = options.restart
    if options.start is not None:
        start = last_state(options.start)
    begin_compiling(file.analysis.solver.loop)
    system = file.build()
    if options.picture is not None:
        has_contact = system.contact is not None
        check_color(options.color, system.catalog, has_contact=has_contact)
    for warning in system.warnings:
        say(f"note: {warning}")
    output = Output(folder, file.analysis, restart=options.restart)
    code = _solve(file, system, output, start, is_quiet=options.quiet)
    if output.results is not None:
        show(str(output.path))
    show(str(folder / SUMMARY))
    if options.picture is not None and output.results is not None:
        _picture(output.results, options)
    return code


def _solve(
    file: ModelFile,
    system: System,
    output: Output,
    start: State | Path | None,
    *,
    is_quiet: bool,
) -> int:
    assert file.analysis is not None
    try:
        with output, ProgressBar(is_quiet=is_quiet) as progress:
            results = file.analysis.solve(
                system, path=output.path, progress=progress, start=start
            )
    except ConvergenceError as error:
        output.finish(error.results, {"converged": False, "message": str(error)})
        say(str(error))
        return NOT_CONVERGED
    except KeyboardInterrupt:
        output.finish(None, {"converged": False, "message": "stopped by the user"})
        say(f"stopped by the user; what was reached is in '{output.folder}'.")
        return INTERRUPTED
    except ModelError as error:
        raise InputFileError(f"{file.path}: {error}") from error
    output.finish(results, {})
    for warning in results.warnings:
        if warning not in system.warnings:
            say(f"note: {warning}")
    return DONE if results.summary.get("converged", True) else NOT_CONVERGED


def _picture(results: Results, options: argparse.Namespace) -> None:
    """A picture, or why there is none: the results are there all the same."""
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    try:
        draw(results, options.picture, color=options.color)
    except ViewError as error:
        say(str(error))
    else:
        show(str(options.picture))


class Output:
    """The results folder, which stays as it was when the input turns out to be bad.

    Parameters
    ----------
    folder : Path
    analysis : Analysis
    restart : Path or None
        Earlier results, which may be those in the folder.
    """

    def __init__(
        self, folder: Path, analysis: Analysis, *, restart: Path | None
    ) -> None:
        self.folder = folder
        self.path = folder / RESULTS
        self.results: Results | None = None
        self._method = analysis.method
        self._is_new = not folder.exists()
        self._aside = self.path.with_name(f"{RESULTS}.before")
        self._goes_on = restart is not None and is_same_file(restart, self.path)

    def __enter__(self) -> Output:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self._goes_on:
            self.path.replace(self._aside)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        is_bad_input = isinstance(fault, FemlieError) and not isinstance(
            fault, ConvergenceError
        )
        if not is_bad_input:
            self._aside.unlink(missing_ok=True)
        elif self._aside.exists():
            self._aside.replace(self.path)
        elif not self._goes_on:
            self.path.unlink(missing_ok=True)
            if self._is_new:
                self.folder.rmdir()

    def finish(self, results: Results | None, more: Mapping[str, Any]) -> None:
        """Write the summary, and the results where the solver did not.

        Parameters
        ----------
        results : Results or None
            None where a run ended without; what was written so far counts.
        more : mapping
            What the summary says besides, or instead.
        """
        if results is None and is_results_file(self.path):
            results = load_results(self.path)
        elif results is not None and not self.path.exists():
            results.save(self.path)
        self.results = results
        summary: dict[str, Any] = {"analysis": self._method, "steps": 0}
        if results is not None:
            summary["steps"] = max(len(results.times) - 1, 0)
            summary |= {"warnings": list(results.warnings), **results.summary}
        summary = finite({**summary, **more})
        text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
        (self.folder / SUMMARY).write_text(text + "\n", encoding="utf-8")


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    return one.exists() and other.exists() and one.samefile(other)


def finite(value: Any) -> Any:
    """Plain values for JSON; None in place of numbers that are not finite."""
    if isinstance(value, Mapping):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    if hasattr(value, "tolist"):
        return finite(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def check_folder(folder: Path) -> None:
    """Refuse a place where something else than results of femlie would be lost."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputFileError(
            f"The output folder '{folder}' is a file; choose another with -o DIR."
        )
    if not any(folder.iterdir()) or is_results_file(folder / RESULTS):
        return
    summary = folder / SUMMARY
    if {path.name for path in folder.iterdir()} == {SUMMARY} and (
        '"analysis"' in summary.read_text(encoding="utf-8", errors="replace")
    ):
        return
    raise InputFileError(
        f"The output folder '{folder}' holds something else than results of femlie, "
        "which would be mixed up with them; choose another with -o DIR, or empty it."
    )


def is_results_file(path: Path) -> bool:
    """Whether a file looks like results of femlie, even if it is damaged."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(2**16)
    return head.startswith(HDF5_SIGNATURE) and b"femlie_format" in head


def check_restart(analysis: Analysis, path: Path) -> None:
    """Refuse a restart of a method that has none, or from no results."""
    if not analysis.can_restart:
        raise InputFileError(
            f"--restart: the method '{analysis.method}' starts from the model; only "
            "dynamic methods go on from earlier results."
        )
    if not path.exists():
        raise ResultsError(f"--restart: there is no file '{path}'.")
    if not is_results_file(path):
        raise ResultsError(f"--restart: '{path}' is no results file of femlie.")


def last_state(path: Path) -> State:
    """The last state of earlier results, or why there is none."""
    state = load_results(path).last_state
    if state is None:
        raise ResultsError(
            f"--start: '{path}' holds no state to begin at: its run was ended before "
            "its first checkpoint."
        )
    return state


def begin_compiling(loop: str) -> None:
    """Compile the loop of a solver ahead where it is not in the cache, and say so."""
    if ahead.is_cold(loop):
        say("compiling (once, about 20 s)")
        ahead.start(loop)
