"""HDF5 files of results, written as a run goes and readable after a kill.

Between two calls the file is closed and plain. While something is written it is open in
HDF5's single-writer mode, which keeps what was there before readable at any moment; the
number of valid rows is raised last.
"""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultsError
from ..records import Layout, Records, check_records, layout_of, select_records
from ..sensors import PreparedSensor, prepared
from ..system import State, System
from . import _layout_text
from ._layout_text import Arrays
from .reading import (
    FORMAT,
    FORMAT_KEY,
    ROWS,
    STEP,
    Stored,
    check_path,
    latest_checkpoint,
    read_stored,
)

if TYPE_CHECKING:
    import h5py

CHUNK_BYTES = 2**16
MOST_ROWS = 1024  # of a chunk
N_SLOTS = 2


class ResultsWriter:
    """A results file that grows as a run goes.

    A file of the same name is replaced. Each call opens the file, writes, and closes
    it: after a kill at any moment, all that earlier calls wrote is there.

    Parameters
    ----------
    path : str or Path
    system : System or Layout
    analysis : dict
        What was asked for: plain numbers, strings, lists and dicts.
    """

    def __init__(
        self,
        path: str | Path,
        system: System | Layout,
        *,
        analysis: Mapping[str, Any],
    ) -> None:
        self._layout = system if isinstance(system, Layout) else layout_of(system)
        self._sensors = {
            name: prepared(sensor, self._layout)
            for name, sensor in self._layout.catalog.sensors.items()
        }
        self._path = Path(path)
        self._is_closed = False
        self._create(analysis)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        system: System | Layout,
        *,
        analysis: Mapping[str, Any],
        source: str | Path | None = None,
        n_rows: int | None = None,
    ) -> ResultsWriter:
        """Go on behind the latest checkpoint of a file; later rows are dropped.

        Parameters
        ----------
        path : str or Path
            The file to be written.
        system : System or Layout
        analysis : dict
        source : str, Path or None
            The file to go on from, which stays as it is; default: ``path`` itself.
        n_rows : int or None
            Keep fewer rows than there were at the checkpoint.

        Returns
        -------
        ResultsWriter

        Raises
        ------
        ResultsError
            If the file holds no checkpoint, or records of another model.
        """
        path = Path(path)
        source = path if source is None else Path(source)
        stored = read_stored(source)
        layout = system if isinstance(system, Layout) else layout_of(system)
        if layout.shapes() != stored.layout.shapes():
            message = (
                f"'{source}' holds results of another model: its records have the "
                f"shapes {stored.layout.shapes()}, this model needs {layout.shapes()}."
            )
            raise ResultsError(message)
        head, content = latest_checkpoint(source)
        fresh = path.with_name(path.name + ".resumed")
        writer = cls(fresh, layout, analysis=analysis)
        n_rows = int(head[ROWS]) if n_rows is None else n_rows
        writer.append(select_records(stored.records, slice(n_rows)))
        writer._write_checkpoint(int(head[STEP]), content)
        fresh.replace(path)
        writer._path = path
        return writer

    def __enter__(self) -> ResultsWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_closed = True

    def append(self, records: Records) -> None:
        """Add rows and write them out.

        Parameters
        ----------
        records : Records

        Raises
        ------
        ResultsError
            If a number is not finite, or the shapes are those of another model; then
            nothing is written.
        """
        check_records(records, self._layout)
        n_new = len(records.times)
        if n_new == 0:
            return
        with self._opened() as file:
            start = int(file["n_rows"][0])
            stop = start + n_new
            for name, values in records._asdict().items():
                if values[0].size:
                    _put(file[f"records/{name}"], values, start)
            for name, sensor in self._sensors.items():
                _put(file[_sensor_path(name)], sensor(records), start)
            file.flush()
            file["n_rows"][0] = stop

    def checkpoint(self, arrays: Arrays, step: int) -> None:
        """Keep what a restart needs; the one before the latest is kept as well.

        Parameters
        ----------
        arrays : dict of name -> array
            Numbers of any type and shape; they come back bit by bit.
        step : int
            Number of steps done, not negative.
        """
        buffer = io.BytesIO()
        for name, array in arrays.items():
            if np.asarray(array).dtype.hasobject:
                message = f"'{name}' of a checkpoint holds objects, expected numbers."
                raise ResultsError(message)
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        self._write_checkpoint(step, buffer.getvalue())

    def close(
        self,
        summary: Mapping[str, Any] | None = None,
        *,
        warnings: tuple[str, ...] = (),
    ) -> None:
        """Write the summary; nothing can be added afterwards.

        Parameters
        ----------
        summary : dict
            Plain numbers, strings, lists and dicts.
        warnings : tuple of str
        """
        text = _json({"summary": dict(summary or {}), "warnings": list(warnings)})
        content = text.encode()
        with self._opened() as file:
            _put(file["summary"], np.frombuffer(content, np.uint8), 0)
            file.flush()
            file["summary_size"][0] = len(content)
        self._is_closed = True

    def _write_checkpoint(self, step: int, content: bytes) -> None:
        with self._opened() as file:
            heads = file["checkpoints/heads"]
            slot = int(np.argmin(heads[:, STEP]))
            heads[slot] = -1
            file.flush()
            _put(file[f"checkpoints/{slot}"], np.frombuffer(content, np.uint8), 0)
            file.flush()
            n_rows = int(file["n_rows"][0])
            heads[slot] = (step, n_rows, len(content), zlib.crc32(content))

    @contextmanager
    def _opened(self) -> Iterator[h5py.File]:
        import h5py

        if self._is_closed:
            message = f"'{self._path}' is closed: nothing can be added."
            raise ResultsError(message)
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
        access.set_file_locking(0, 1)  # no locks: others may look at the file
        flags = h5py.h5f.ACC_RDWR | h5py.h5f.ACC_SWMR_WRITE
        try:
            identifier = h5py.h5f.open(os.fsencode(self._path), flags, access)
            with h5py.File(identifier) as file:
                yield file
                file.flush()
        except OSError as fault:
            raise ResultsError(_unwritable(self._path, fault)) from fault

    def _create(self, analysis: Mapping[str, Any]) -> None:
        """Write all that never changes, and empty datasets, under another name."""
        import h5py

        fresh = self._path.with_name(self._path.name + ".new")
        text, arrays = _layout_text.encode(self._layout)
        bounds = ("v110", "v110")
        try:
            file = h5py.File(fresh, "w", libver=bounds, locking=False)
        except OSError as fault:
            raise ResultsError(_unwritable(self._path, fault)) from fault
        with file:
            file.attrs[FORMAT_KEY] = FORMAT
            file["analysis"] = _json(dict(analysis))
            file["layout/text"] = text
            for name, array in arrays.items():
                file[f"layout/arrays/{name}"] = array
            for name, shape in self._layout.shapes().items():
                if 0 not in shape:
                    _rows(file, f"records/{name}", shape)
            for name, sensor in self._sensors.items():
                _sensor_rows(file, name, sensor)
            for name in ("summary", *(f"checkpoints/{i}" for i in range(N_SLOTS))):
                file.create_dataset(
                    name, (0,), np.uint8, maxshape=(None,), chunks=(CHUNK_BYTES,)
                )
            file["n_rows"] = np.zeros(1, np.int64)
            file["summary_size"] = np.zeros(1, np.int64)
            file["checkpoints/heads"] = np.full((N_SLOTS, 4), -1, np.int64)
        fresh.replace(self._path)


def check_writable(path: str | Path) -> None:
    """Refuse a results file that could not be written, before anything is computed.

    Raises
    ------
    ResultsError
        Naming the folder that does not exist, or what stands in the way.
    """
    check_path(path)
    path = Path(path)
    if not path.parent.is_dir():
        raise ResultsError(_no_folder(path))
    if path.is_dir():
        raise ResultsError(
            f"The results file '{path}' cannot be written: it is a folder. Give the "
            f"path of a file in it, e.g. '{path / 'results.h5'}'."
        )


def _no_folder(path: Path) -> str:
    """Why a results file cannot be written where there is no folder."""
    return (
        f"The results file '{path}' cannot be written: there is no folder "
        f"'{path.parent}'. Make it first, or give another path."
    )


def _unwritable(path: Path, fault: OSError) -> str:
    if not path.parent.is_dir():
        return _no_folder(path)
    return (
        f"'{path}' cannot be written: {fault}; look at the folder, its permissions and "
        "the space that is left."
    )


def _rows(file: h5py.File, name: str, shape: tuple[int, ...]) -> h5py.Dataset:
    n = int(np.clip(CHUNK_BYTES // (8 * int(np.prod(shape))), 1, MOST_ROWS))
    return file.create_dataset(
        name, (0, *shape), np.float64, maxshape=(None, *shape), chunks=(n, *shape)
    )


def _sensor_path(name: str) -> str:
    return f"sensors/{_layout_text.safe_name(name)}"


def _sensor_rows(file: h5py.File, name: str, sensor: PreparedSensor) -> None:
    dataset = _rows(file, _sensor_path(name), (len(sensor.columns),))
    dataset.attrs["columns"] = list(sensor.columns)


def _put(dataset: h5py.Dataset, values: np.ndarray[Any, Any], start: int) -> None:
    stop = start + len(values)
    if stop > dataset.shape[0]:
        dataset.resize(stop, axis=0)
    dataset[start:stop] = values


def _json(content: dict[str, Any]) -> str:
    try:
        return json.dumps(content, allow_nan=False, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as fault:
        message = f"Summary or analysis cannot be written to a results file: {fault}."
        raise ResultsError(message) from fault


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    message = f"{value!r} is of type {type(value).__name__}, expected plain values"
    raise TypeError(message)


def save_stored(path: str | Path, stored: Stored) -> None:
    """Write a whole results file at once; what was there stays until it is complete."""
    check_writable(path)
    path = Path(path)
    fresh = path.with_name(path.name + ".saved")
    writer = ResultsWriter(fresh, stored.layout, analysis=stored.analysis)
    writer.append(stored.records)
    if stored.last_state is not None:
        step = int(stored.summary.get("steps", 0))
        writer.checkpoint(_arrays_of(stored.last_state), step)
    writer.close(stored.summary, warnings=stored.warnings)
    fresh.replace(path)


def _arrays_of(state: State) -> Arrays:
    """A state under the names that checkpoints have."""
    arrays = {
        name: np.asarray(getattr(state, name))
        for name in (
            "poses",
            "velocities",
            "accelerations",
            "multipliers",
            "increments",
        )
    }
    history = [np.zeros(0), *(np.ravel(array) for array in state.history)]
    factor = state.load_factor
    return {
        **arrays,
        "time": np.array([state.time, 0.0]),
        **({} if factor is None else {"load_factor": np.array([factor])}),
        "history": np.concatenate(history),
    }
