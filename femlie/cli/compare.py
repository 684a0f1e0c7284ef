"""``femlie compare``: methods side by side on one model."""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

from ..compare import Comparison, compare, save_comparison
from ..errors import ConvergenceError, InputFileError
from ..input_file.reader import model_of_tree
from ..input_file.tree import apply_override, read_tree
from ..input_file.words import METHODS, solver_type
from .screen import DONE, NOT_CONVERGED, ProgressBar, say, show

COLUMNS = ("method", "step", "steps", "cpu_seconds", "evaluations", "error",
           "energy_drift", "place_drift")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Run all methods with all steps, write table and pictures, print the table."""
    tree = read_tree(options.model)
    for override in options.set:
        apply_override(tree, override, options.model)
    analysis = tree.get("analysis")
    own = analysis if isinstance(analysis, dict) else {}
    duration = options.duration or own.get("duration")
    if duration is None:
        raise InputFileError(
            f"{options.model}: there is no duration in [analysis]: give one by "
            "--duration."
        )
    methods = {}
    for text in options.methods.split(","):
        methods[text.strip()] = _solver(tree, text.strip(), duration, options.model)
    steps = _steps(options.steps)
    file = model_of_tree(tree, options.model)
    folder = options.output or Path(f"{options.model.stem}_comparison")
    reference = None
    if options.reference is not None:
        reference = _solver(tree, options.reference, duration, options.model)
    try:
        with ProgressBar(is_quiet=options.quiet) as progress:
            rows = compare(
                file.build(), methods, steps, duration=float(duration),
                reference=reference, progress=progress,
            )  # fmt: skip
    except ConvergenceError as fault:
        say(str(fault))
        return NOT_CONVERGED
    show(_table(rows))
    for path in save_comparison(rows, folder):
        show(str(path))
    return DONE if not any(row.message for row in rows) else NOT_CONVERGED


def _steps(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputFileError(
            f"--steps is '{text}': expected numbers with commas, e.g. 1e-3,5e-4."
        ) from None


def _solver(tree: dict[str, Any], text: str, duration: float, file: Path) -> Any:
    """A solver by its word and settings behind colons: ``gauss_legendre:stages=3``."""
    method, *settings = text.split(":")
    if method in METHODS and not _has_steps(method):
        raise InputFileError(f"'{method}' has no steps to compare.")
    analysis = {"method": method, "duration": duration, "time_step": duration}
    changed = {**tree, "analysis": analysis}
    for setting in settings:
        apply_override(changed, f"analysis.{setting}", file, option="--methods")
    found = model_of_tree(changed, file).analysis
    assert found is not None
    return found.solver


def _has_steps(method: str) -> bool:
    signature = inspect.signature(solver_type(method).solve)
    return "time_step" in signature.parameters


def _table(rows: list[Comparison]) -> str:
    lines = [[name.replace("_", " ") for name in COLUMNS]]
    for row in rows:
        values = [getattr(row, name) for name in COLUMNS]
        texts = [f"{x:.3g}" if isinstance(x, float) else str(x) for x in values]
        lines.append(texts)
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    table = [
        "  ".join(word.ljust(n) for word, n in zip(line, widths, strict=True))
        for line in lines
    ]
    notes = [f"{row.method}, step {row.step:g}: {row.message}" for row in rows
             if row.message]  # fmt: skip
    return "\n".join(line.rstrip() for line in [*table, *notes])
