"""Results files: what is written comes back, after a kill and a restart too."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from femlie.errors import ResultsError
from femlie.records import Records, layout_of, select_records
from femlie.results import Results, ResultsWriter, load_results, read_checkpoint
from tests.unit import results_by_hand as hand

TIMES = np.linspace(0.0, 3.0, 40)
N_KILLS = 20


def same(first: Any, second: Any) -> None:
    """Assert that two trees of records, dicts, tuples and arrays are equal."""
    assert type(first) is type(second)
    if is_dataclass(first):
        for field in fields(first):
            same(getattr(first, field.name), getattr(second, field.name))
    elif isinstance(first, dict):
        assert list(first) == list(second)
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, tuple):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            same(one, other)
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        assert first.shape == second.shape
        assert first.tobytes() == second.tobytes()
    else:
        assert first == second


def rows(start: int, stop: int) -> Records:
    return select_records(hand.records(TIMES), slice(start, stop))


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "results.h5"
    with ResultsWriter(path, hand.system(), analysis={"method": "static"}) as writer:
        writer.append(rows(0, 25))
        writer.checkpoint({"poses": np.zeros(3)}, 25)
        writer.append(rows(25, 40))
        writer.close({"steps": 40}, warnings=("it shook",))
    return path


def test_everything_comes_back_bit_by_bit(tmp_path: Path) -> None:
    layout = layout_of(hand.system())
    results = Results(
        layout,
        hand.records(TIMES),
        {"steps": 40, "balance": [0.1 + 0.2, 1e-300]},
        ("first", "zweite Warnung"),
        {"method": "static", "tolerance": 1e-10},
    )
    results.save(tmp_path / "results.h5")
    loaded = load_results(tmp_path / "results.h5")
    same(loaded.layout, layout)
    same(tuple(loaded.records), tuple(results.records))
    assert loaded.summary == results.summary
    assert loaded.warnings == results.warnings
    assert loaded.analysis == results.analysis
    np.testing.assert_array_equal(
        loaded.reactions("feet", frame="part"), results.reactions("feet", frame="part")
    )


def test_numbers_of_numpy_are_plain_in_the_summary(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={"step": np.float64(0.1)})
    writer.close({"loads": np.arange(3), "converged": np.bool_(True)})
    loaded = load_results(path)
    assert loaded.analysis == {"step": 0.1}
    assert loaded.summary == {"loads": [0, 1, 2], "converged": True}
    assert loaded.times.size == 0
    assert loaded.positions("rod").shape == (0, 3, 3)


def test_a_model_without_beams_joints_and_supports_can_be_kept(tmp_path: Path) -> None:
    writer = ResultsWriter(tmp_path / "bare.h5", _bare_layout(), analysis={})
    records = hand.records(TIMES[:3])
    writer.append(
        records._replace(
            multipliers=np.zeros((3, 0)),
            outputs=np.zeros((3, 0)),
            reactions=np.zeros((3, 0, 6)),
        )
    )
    assert load_results(tmp_path / "bare.h5").records.reactions.shape == (3, 0, 6)


def test_sensors_stand_in_the_file_as_columns(written: Path) -> None:
    loaded = load_results(written)
    with h5py.File(written) as file:
        found = file["sensors/tip speed"]
        assert list(found.attrs["columns"]) == ["x", "y", "z"]
        np.testing.assert_array_equal(found[()], loaded.sensor("tip speed"))
        np.testing.assert_array_equal(file["sensors/gap"][:, 0], loaded.sensor("gap"))


def test_energies_that_an_earlier_version_did_not_know_are_zero(written: Path) -> None:
    whole = load_results(written).records.energies
    with h5py.File(written, "r+") as file:
        known = file["records/energies"][:, :8]
        del file["records/energies"]
        file["records"].create_dataset(
            "energies", data=known, maxshape=(None, 8), chunks=True, fletcher32=True
        )
    results = load_results(written)
    np.testing.assert_array_equal(results.records.energies[:, :8], whole[:, :8])
    assert not results.energy.impact_loss.any()


def test_a_plain_reader_finds_arrays_with_names_in_a_closed_file(written: Path) -> None:
    with h5py.File(written) as file:
        assert file["n_rows"][0] == 40
        np.testing.assert_array_equal(file["records/times"], TIMES)
        assert file["records/poses"].shape == (40, 5, 7)
        np.testing.assert_array_equal(
            file["layout/arrays/catalog/groups/many"], np.tile([0, 1, 2], 10)
        )


def test_a_file_can_be_read_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={})
    for k in range(5):
        writer.append(rows(2 * k, 2 * k + 2))
        loaded = load_results(path)
        np.testing.assert_array_equal(loaded.times, TIMES[: 2 * k + 2])
        assert any("did not end" in text for text in loaded.warnings)
    with writer._opened():
        assert load_results(path).times.size == 10


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_somebody_who_looks_at_the_file_does_not_stop_the_run(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={})
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_look_at, args=(path, there))
    child.start()
    here.recv()
    writer.append(rows(0, 12))
    here.send("enough")
    child.join()
    assert load_results(path).times.size == 12


def _look_at(path: Path, pipe: Any) -> None:
    with h5py.File(path) as file:
        pipe.send(int(file["n_rows"][0]))
        pipe.recv()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_never_reaches_the_file(
    tmp_path: Path, bad: float
) -> None:
    writer = ResultsWriter(tmp_path / "results.h5", hand.system(), analysis={})
    writer.append(rows(0, 3))
    broken = rows(3, 6)
    broken.velocities[1, 2, 3] = bad
    with pytest.raises(ResultsError, match=r"'velocities'.*row 1"):
        writer.append(broken)
    assert load_results(tmp_path / "results.h5").times.size == 3
    with pytest.raises(ResultsError, match="Summary"):
        writer.close({"energy": bad})


def test_records_of_another_model_are_refused(tmp_path: Path) -> None:
    writer = ResultsWriter(tmp_path / "results.h5", hand.system(), analysis={})
    broken = rows(0, 3)._replace(outputs=np.zeros((3, 5)))
    with pytest.raises(ResultsError, match=r"'outputs'.*\(3, 5\)"):
        writer.append(broken)
    writer.close()
    with pytest.raises(ResultsError, match="closed"):
        writer.append(rows(0, 3))


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"cannot be written.*nowhere"):
        ResultsWriter(tmp_path / "nowhere" / "x.h5", hand.system(), analysis={})
    writer = ResultsWriter(tmp_path / "x.h5", hand.system(), analysis={})
    (tmp_path / "x.h5").unlink()
    with pytest.raises(ResultsError, match="cannot be written"):
        writer.append(rows(0, 3))


def test_checkpoints_come_back_bit_by_bit_and_the_latest_wins(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={})
    with pytest.raises(ResultsError, match="no checkpoint"):
        read_checkpoint(path)
    for step in (100, 200, 300):
        arrays = {
            "poses/first": np.array([[0.1, -0.0], [5e-324, np.nan]]) * step,
            "active set": np.arange(step) % 2 == 0,
            "slots": np.arange(3, dtype=np.uint32),
            "none": np.zeros((0, 6)),
            "factor": np.array(1.0 / step),
        }
        writer.checkpoint(arrays, step)
        found_step, found = read_checkpoint(path)
        assert found_step == step
        same(found, arrays)
    with pytest.raises(ResultsError, match="'bad'"):
        writer.checkpoint({"bad": np.array([None])}, 400)
    assert read_checkpoint(path)[0] == 300


def test_a_torn_checkpoint_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={})
    for step in (1, 2):
        writer.checkpoint({"x": np.full(1000, float(step))}, step)
    with h5py.File(path, "r+") as file:
        file["checkpoints/1"][500] = 7
    step, arrays = read_checkpoint(path)
    assert step == 1
    assert (arrays["x"] == 1.0).all()


def test_a_run_goes_on_behind_its_checkpoint(written: Path) -> None:
    writer = ResultsWriter.resume(written, hand.system(), analysis={"method": "static"})
    np.testing.assert_array_equal(load_results(written).times, TIMES[:25])
    assert read_checkpoint(written)[0] == 25
    writer.append(rows(25, 40))
    writer.close({"steps": 40})
    same(tuple(load_results(written).records), tuple(hand.records(TIMES)))
    assert sorted(p.name for p in written.parent.iterdir()) == ["results.h5"]


def test_a_file_of_another_model_is_not_continued(written: Path) -> None:
    with pytest.raises(ResultsError, match="another model"):
        ResultsWriter.resume(written, _bare_layout(), analysis={})
    assert load_results(written).times.size == 40


def _bare_layout() -> Any:
    layout = layout_of(hand.system())
    joints = replace(
        layout.joints,
        frames=np.zeros((0, 2), np.int64),
        offsets=np.zeros((0, 2, 7)),
        wrenches=np.zeros(0, np.int64),
        ends=np.zeros(0, np.int64),
        rows={},
    )
    catalog = replace(layout.catalog, sensors={}, support_points={}, locked={})
    return replace(
        layout,
        catalog=catalog,
        n_multipliers=0,
        n_outputs=0,
        locked_frames=np.zeros(0, np.int64),
        sections={},
        joints=joints,
    )


def _write_for_ever(path: Path, pipe: Any) -> None:
    """Append and keep checkpoints until somebody ends this process."""
    writer = ResultsWriter(path, hand.system(), analysis={})
    one = rows(0, 1)
    k = 0
    while True:
        pipe.send(k)
        piece = one._replace(
            times=np.array([float(k)]), outputs=np.full((1, hand.N_OUTPUTS), float(k))
        )
        writer.append(piece)
        k += 1
        if k % 3 == 0:
            writer.checkpoint({"k": np.full(30000, k)}, k)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_a_file_is_readable_after_a_kill_at_any_moment(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    rng = np.random.default_rng(5)
    n_rows = []
    for kill in range(N_KILLS):
        path = tmp_path / f"killed_{kill}.h5"
        here, there = context.Pipe()
        child = context.Process(target=_write_for_ever, args=(path, there))
        child.start()
        wanted = rng.integers(12)
        while here.recv() < wanted:
            pass
        time.sleep(rng.uniform(0.0, 0.01))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        loaded = load_results(path)
        n = loaded.times.size
        n_rows.append(n)
        np.testing.assert_array_equal(loaded.times, np.arange(n))
        columns = np.repeat(np.arange(n)[:, None], hand.N_OUTPUTS, axis=1)
        np.testing.assert_array_equal(loaded.records.outputs, columns)
        np.testing.assert_array_equal(
            loaded.records.poses, np.repeat(rows(0, 1).poses, n, axis=0)
        )
        if n > 3:
            step, arrays = read_checkpoint(path)
            # the one being written may be lost, the one before it never
            assert n - 6 <= step <= n
            assert (arrays["k"] == step).all()
            ResultsWriter.resume(path, hand.system(), analysis={})
            assert load_results(path).times.size == step
    assert max(n_rows) > 3


def test_other_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    text, other, newer = (tmp_path / name for name in ("a.txt", "b.h5", "c.h5"))
    with pytest.raises(ResultsError, match="no results file"):
        load_results(tmp_path / "missing.h5")
    text.write_text("nothing of this kind", encoding="utf-8")
    with pytest.raises(ResultsError, match="not an HDF5 file"):
        load_results(text)
    with h5py.File(other, "w") as file:
        file["x"] = np.arange(3)
    with pytest.raises(ResultsError, match="not one with results of femlie"):
        load_results(other)
    ResultsWriter(newer, hand.system(), analysis={})
    with h5py.File(newer, "r+") as file:
        file.attrs["femlie_format"] = 99
    with pytest.raises(ResultsError, match="format 99 of a newer femlie"):
        load_results(newer)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused(written: Path, share: float) -> None:
    size = written.stat().st_size
    os.truncate(written, int(share * size))
    with pytest.raises(ResultsError, match="damaged") as caught:
        load_results(written)
    assert str(written) in str(caught.value)


def test_a_killed_file_that_was_cut_off_as_well_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    writer = ResultsWriter(path, hand.system(), analysis={})
    writer.append(rows(0, 40))
    copy = tmp_path / "copy.h5"
    with writer._opened():
        content = path.read_bytes()
    for share in (0.5, 0.8, 0.95):
        copy.write_bytes(content[: int(share * len(content))])
        with pytest.raises(ResultsError, match="damaged"):
            load_results(copy)


def test_the_layout_is_json_for_everybody(written: Path) -> None:
    with h5py.File(written) as file:
        tree = json.loads(file["layout/text"].asstr()[()])
    assert tree["record"] == "Layout"
