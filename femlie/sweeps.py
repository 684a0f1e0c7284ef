"""Many runs over parameters, each in a process of its own."""

from __future__ import annotations

import inspect
import itertools
import math
import os
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import FemlieError, ModelError, suggestion
from .input_file.reader import model_of_tree
from .input_file.tree import read_tree, set_value
from .linear.threads import keep_one_thread

if TYPE_CHECKING:
    from pandas import DataFrame

Parameters = Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]]
VALUE, ERROR = "value", "error"
# what one run may raise without ending the others; a fault of the program is no such
FAULTS = (FemlieError, ValueError, ArithmeticError)
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
GONE = (
    "the process ended without an answer: out of memory, or the script that calls "
    "sweep does not keep its own work under: if __name__ == '__main__':"
)


def sweep(
    model: str | os.PathLike[str] | Callable[..., Any],
    parameters: Parameters,
    *,
    measure: Callable[[Any], Any] | None = None,
    processes: int | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> DataFrame:
    """Run a model for many parameters, several at a time.

    Parameters
    ----------
    model : path or callable
        A model file, whose values the parameters replace by dotted keys such as
        ``"section.tube.outer_radius"``; or a function that takes the parameters as
        keyword arguments and returns results, or whatever ``measure`` reads.
    parameters : dict of name to values, or iterable of dicts of name to value
        All combinations of the values, the last name changing fastest; or the sets
        themselves.
    measure : callable, optional
        ``f(results)``, a number or a dict of name to number. Default: what the function
        returns.
    processes : int, optional
        How many at a time; default: one for each processor. One stays in this process.
    progress : callable, optional
        ``f(fraction, text)``, called after each run.

    Returns
    -------
    pandas.DataFrame
        One row for each set, in order: the parameters, the measures (``value`` for a
        number) and ``error``, which is empty or says why there is no measure.

    Raises
    ------
    ModelError
        Before anything runs: parameters that the model does not have, or functions that
        cannot go to another process.

    Notes
    -----
    Each run has one thread for linear algebra. Functions must stand at the top level of
    a module, and a script needs ``if __name__ == "__main__":`` around its own work.
    """
    job = _Job(model if callable(model) else Path(model), measure)
    sets = parameter_sets(parameters)
    _check(job, sets)
    if processes is not None and processes < 1:
        raise ModelError(f"processes is {processes}, expected 1 or more.")
    n_processes = min(processes or _n_processors(), len(sets))
    if n_processes <= 1:
        answers = []
        for number, values in enumerate(sets, start=1):
            answers.append(_one_run(job, values))
            _report(progress, number, len(sets))
    else:
        answers = _in_processes(job, sets, n_processes, progress)
    return _table(sets, answers)


@dataclass(frozen=True)
class _Job:
    """What is run; goes to other processes."""

    model: Path | Callable[..., Any]
    measure: Callable[[Any], Any] | None


def parameter_sets(parameters: Parameters) -> list[dict[str, Any]]:
    """Sets of parameters, from the values of each or as they are given."""
    if isinstance(parameters, Mapping):
        for name, values in parameters.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise ModelError(
                    f"The parameter '{name}' is {values!r}, expected several values."
                )
        rows = itertools.product(*parameters.values()) if parameters else []
        sets = [dict(zip(parameters, row, strict=True)) for row in rows]
    else:
        sets = [dict(entry) for entry in parameters]
    if not sets:
        raise ModelError("There are no parameters to run, expected one set or more.")
    for number, entry in enumerate(sets, start=1):
        reserved = {VALUE, ERROR} & set(entry)
        if reserved or set(entry) != set(sets[0]):
            raise ModelError(
                f"Set {number} has the parameters {sorted(entry)}, expected the names "
                f"of the first set, {sorted(sets[0])}, and none of 'value' and 'error'."
            )
    return sets


def _check(job: _Job, sets: list[dict[str, Any]]) -> None:
    """Refuse what would fail in every run."""
    if isinstance(job.model, Path):
        if job.measure is None:
            raise ModelError(
                "A sweep over a model file needs measure, a function of the results."
            )
        _changed_tree(job.model, sets[0])
        return
    try:
        inspect.signature(job.model).bind(**sets[0])
    except TypeError as error:
        known = inspect.signature(job.model).parameters
        wrong = next((name for name in sets[0] if name not in known), "")
        near = suggestion(wrong, known, what="parameters")
        raise ModelError(
            f"The function does not take the parameters {sorted(sets[0])} ({error}). "
            + near
        ) from error


def _changed_tree(file: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    tree = read_tree(file)
    for key, value in values.items():
        set_value(tree, key, _plain(value), file)
    return tree


def _plain(value: Any) -> Any:
    """A value as a TOML file would give it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


def _one_run(job: _Job, values: Mapping[str, Any]) -> dict[str, Any]:
    """Measures of one run, or the error."""
    try:
        if isinstance(job.model, Path):
            file = model_of_tree(_changed_tree(job.model, values), job.model)
            if file.analysis is None:
                raise ModelError(f"{job.model}: there is no table [analysis].")
            results = file.analysis.solve(file.build())
        else:
            results = job.model(**values)
        found = results if job.measure is None else job.measure(results)
    except FAULTS as error:
        return {ERROR: str(error) or type(error).__name__}
    return dict(found) if isinstance(found, Mapping) else {VALUE: found}


def _one_thread() -> None:
    """Start of a process: linear algebra with one thread."""
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"
    keep_one_thread()


def _in_processes(
    job: _Job,
    sets: list[dict[str, Any]],
    n_processes: int,
    progress: Callable[[float, str], None] | None,
) -> list[dict[str, Any]]:
    try:
        pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ModelError(
            f"The function cannot go to another process ({error}): define it at the "
            "top level of a module, without lambda, or ask for processes=1."
        ) from error
    pool = ProcessPoolExecutor(
        n_processes, mp_context=get_context("spawn"), initializer=_one_thread
    )
    with pool:
        try:
            futures = [pool.submit(_one_run, job, values) for values in sets]
            for number, _ in enumerate(as_completed(futures), start=1):
                _report(progress, number, len(sets))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [_answer(future) for future in futures]


def _answer(future: Future[dict[str, Any]]) -> dict[str, Any]:
    try:
        return future.result()
    except BrokenProcessPool:
        return {ERROR: GONE}


def _report(
    progress: Callable[[float, str], None] | None, number: int, n_sets: int
) -> None:
    if progress is not None:
        progress(number / n_sets, f"run {number} of {n_sets}")


def _n_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _table(sets: list[dict[str, Any]], answers: list[dict[str, Any]]) -> DataFrame:
    from pandas import DataFrame

    measures = dict.fromkeys(
        name for answer in answers for name in answer if name != ERROR
    )
    rows = [
        {
            **values,
            **{name: answer.get(name, math.nan) for name in measures},
            ERROR: answer.get(ERROR, ""),
        }
        for values, answer in zip(sets, answers, strict=True)
    ]
    return DataFrame(rows)
