"""Reading results files: complete, still growing, or left by a run that was killed."""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements.base import Array, IntArray
from ..errors import ResultsError
from ..records import Layout, Records, empty_records, select_records
from ..system import State
from . import _layout_text
from ._layout_text import Arrays

if TYPE_CHECKING:
    import h5py

FORMAT = 1
FORMAT_KEY = "femlie_format"
# columns of "checkpoints/heads": step, valid rows of the records, bytes, checksum
STEP, ROWS, SIZE, CHECKSUM = range(4)
INCOMPLETE = (
    "The run did not end regularly: these are its rows up to the last one written."
)


@dataclass(frozen=True)
class Stored:
    """Content of a results file."""

    layout: Layout
    records: Records
    summary: dict[str, Any]
    warnings: tuple[str, ...]
    analysis: dict[str, Any]
    last_state: State | None = None


def read_stored(path: str | Path) -> Stored:
    """Content of a results file up to the last row written.

    Parameters
    ----------
    path : str or Path
        A file that is complete, still growing, or left by a run that was killed.

    Returns
    -------
    Stored

    Raises
    ------
    ResultsError
        If the file is missing, damaged, or something else.
    """
    with _reading(path) as file:
        names = _dataset_names(file["layout"], "arrays")
        arrays = {name: file[f"layout/arrays/{name}"][()] for name in names}
        layout = _layout_text.decode(file["layout/text"].asstr()[()], arrays)
        n = int(file["n_rows"][0])
        found = {}
        for name, empty in empty_records(layout)._asdict().items():
            if 0 in empty.shape[1:]:
                found[name] = np.zeros((n, *empty.shape[1:]))
                continue
            dataset = file[f"records/{name}"]
            _check_extent(dataset, path)
            found[name] = _widened(dataset[:n], empty)
            if len(found[name]) < n:
                raise ResultsError(_damaged(path, f"'{name}' is too short"))
        ending: dict[str, Any] = {"summary": {}, "warnings": [INCOMPLETE]}
        if size := int(file["summary_size"][0]):
            ending = json.loads(file["summary"][:size].tobytes())
        analysis = json.loads(file["analysis"].asstr()[()])
        kept = _latest_checkpoint(file)
    return Stored(
        layout,
        Records(**found),
        ending["summary"],
        tuple(ending["warnings"]),
        analysis,
        None if kept is None else _state_of(_arrays_of(kept[1])),
    )


def _widened(found: Array, empty: Array) -> Array:
    """Columns that an earlier version did not know, such as energies, as zeros."""
    if found.ndim != 2 or found.shape[1] >= empty.shape[1]:
        return found
    return np.pad(found, ((0, 0), (0, empty.shape[1] - found.shape[1])))


def _state_of(arrays: Arrays) -> State | None:
    """State that a checkpoint holds; the history of all elements in one array."""
    names = ("poses", "velocities", "accelerations", "multipliers", "increments")
    if not {"time", "history", *names} <= arrays.keys():
        return None
    factor = arrays.get("load_factor")
    return State(
        time=float(arrays["time"][0]),
        load_factor=None if factor is None else float(factor[0]),
        history=(arrays["history"],),
        **{name: arrays[name] for name in names},
    )


@dataclass(frozen=True)
class StoredRun:
    """What a restart needs of a results file.

    Attributes
    ----------
    step : int
        Steps done at the latest checkpoint.
    arrays : dict of name -> array
        That checkpoint.
    records : Records
        Rows up to it.
    analysis : dict
        What was asked for.
    """

    step: int
    arrays: Arrays
    records: Records
    analysis: dict[str, Any]


def read_run(path: str | Path) -> StoredRun:
    """Latest checkpoint of a results file, and the rows up to it.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    StoredRun

    Raises
    ------
    ResultsError
        If the file cannot be read, or holds no checkpoint.
    """
    stored = read_stored(path)
    head, content = latest_checkpoint(path)
    return StoredRun(
        step=int(head[STEP]),
        arrays=_arrays_of(content),
        records=select_records(stored.records, slice(int(head[ROWS]))),
        analysis=stored.analysis,
    )


def read_checkpoint(path: str | Path) -> tuple[int, Arrays]:
    """Latest checkpoint of a results file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    step : int
        Number of steps done.
    arrays : dict of name -> array
        As they were given to `ResultsWriter.checkpoint`, bit by bit.

    Raises
    ------
    ResultsError
        If the file cannot be read, or holds no checkpoint.
    """
    head, content = latest_checkpoint(path)
    return int(head[STEP]), _arrays_of(content)


def latest_checkpoint(path: str | Path) -> tuple[IntArray, bytes]:
    """Head and bytes of the latest checkpoint that was written completely."""
    with _reading(path) as file:
        found = _latest_checkpoint(file)
    if found is None:
        raise ResultsError(
            f"'{path}' holds no checkpoint: the run cannot be continued from it."
        )
    return found


def _latest_checkpoint(file: h5py.File) -> tuple[IntArray, bytes] | None:
    heads = file["checkpoints/heads"][()]
    for slot in np.argsort(-heads[:, STEP], kind="stable"):
        head = heads[slot]
        if head[STEP] < 0:
            continue
        content = file[f"checkpoints/{slot}"][: head[SIZE]].tobytes()
        if zlib.crc32(content) == head[CHECKSUM]:
            return head, content
    return None


def _arrays_of(content: bytes) -> Arrays:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _dataset_names(group: h5py.Group, name: str) -> list[str]:
    import h5py

    names: list[str] = []
    if name in group:
        group[name].visititems(
            lambda path, item: (
                names.append(path) if isinstance(item, h5py.Dataset) else None
            )
        )
    return names


def _check_extent(dataset: h5py.Dataset, path: str | Path) -> None:
    """HDF5 reads zeros behind the end of a file that was cut off."""
    size = Path(path).stat().st_size
    for i in range(dataset.id.get_num_chunks()):
        chunk = dataset.id.get_chunk_info(i)
        if chunk.byte_offset + chunk.size > size:
            raise ResultsError(_damaged(path, "its end is missing"))


def check_path(path: Any) -> None:
    """Refuse what is no path of a results file.

    Raises
    ------
    ResultsError
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ResultsError(
            f"The results file is {path!r}: expected its path, as a text or a Path."
        )


def _damaged(path: str | Path, why: str) -> str:
    return (
        f"'{path}' is damaged: {why}; copy it again from where it was written, or "
        "repeat the run."
    )


@contextmanager
def _reading(path: str | Path) -> Iterator[h5py.File]:
    import h5py

    check_path(path)
    if not Path(path).is_file():
        raise ResultsError(f"There is no results file '{path}'.")
    if not h5py.is_hdf5(path):
        message = f"'{path}' is not an HDF5 file, expected results of femlie."
        raise ResultsError(message)
    try:
        _check_whole(path)
        with h5py.File(path, "r", swmr=True, locking=False) as file:
            yield file
    except (OSError, KeyError, RuntimeError, json.JSONDecodeError) as fault:
        raise ResultsError(_damaged(path, str(fault).strip("'\""))) from fault


def _check_whole(path: str | Path) -> None:
    """Refuse other files, and files that were cut off."""
    import h5py

    try:
        file = h5py.File(path, "r", locking=False)
    except OSError as fault:
        # a killed run, or one that is writing now: the single-writer mode reads it
        if "already open for" not in str(fault):
            raise
        file = h5py.File(path, "r", swmr=True, locking=False)
    with file:
        version = file.attrs.get(FORMAT_KEY)
    if version is None:
        message = f"'{path}' is an HDF5 file, but not one with results of femlie."
        raise ResultsError(message)
    if version > FORMAT:
        message = (
            f"'{path}' has the format {version} of a newer femlie, this one reads up "
            f"to {FORMAT}: update femlie."
        )
        raise ResultsError(message)
