"""Results from files."""

from __future__ import annotations

from pathlib import Path

from ..results_file import read_stored
from .results import Results


def load_results(path: str | Path) -> Results:
    """Results of a file: complete, still growing, or left by a run that was killed.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Results

    Raises
    ------
    ResultsError
        If the file is missing, damaged, or something else.
    """
    stored = read_stored(path)
    run = stored.layout, stored.records, stored.summary, stored.warnings
    return Results(*run, stored.analysis, stored.last_state)
