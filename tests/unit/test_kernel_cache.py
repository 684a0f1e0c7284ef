"""Compiled code of sources that are no more does not stay for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from femlie._jit.cache import UNUSED, remove_unused

NOW = 2.0e9
ROOT = Path(__file__).parents[2]


def folder_of(base: Path, name: str, *, age: float, now: float = NOW) -> Path:
    """A cache folder that was used some time ago."""
    inner = base / name / "elements_47672626e50c"
    inner.mkdir(parents=True)
    for file in ("_beam.evaluate-1.py311.nbi", "_beam.evaluate-1.py311.1.nbc"):
        (inner / file).touch()
    (base / name / "loop_of_static").touch()
    os.utime(base / name, (now - age, now - age))
    return base / name


def test_folders_of_old_sources_go_after_a_month(tmp_path: Path) -> None:
    old = folder_of(tmp_path, "0123456789abcdef", age=1.01 * UNUSED)
    recent = folder_of(tmp_path, "fedcba9876543210", age=0.99 * UNUSED)
    remove_unused(tmp_path, now=NOW)
    assert not old.exists()
    assert len(list(recent.rglob("*.nb?"))) == 2


def test_what_is_no_cache_stays(tmp_path: Path) -> None:
    other = folder_of(tmp_path, "results of last year", age=2.0 * UNUSED)
    mixed = folder_of(tmp_path, "0123456789abcdef", age=2.0 * UNUSED)
    (mixed / "notes.txt").touch()
    os.utime(mixed, (NOW - 2.0 * UNUSED,) * 2)
    remove_unused(tmp_path, now=NOW)
    assert len(list(other.rglob("*.nb?"))) == 2
    assert (mixed / "notes.txt").exists()


def test_a_missing_folder_is_no_fault(tmp_path: Path) -> None:
    remove_unused(tmp_path / "not yet", now=NOW)


@pytest.mark.slow
def test_a_new_folder_takes_the_place_of_old_ones_and_marks_its_use(
    tmp_path: Path,
) -> None:
    old = folder_of(tmp_path, "0123456789abcdef", age=1.01 * UNUSED,
                    now=time.time())  # fmt: skip
    environment = {
        **os.environ, "FEMLIE_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)
    }  # fmt: skip
    code = "from femlie._jit import CACHE_FOLDER as f; f.mkdir(exist_ok=True); print(f)"

    def used() -> Path:
        found = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        return Path(found.stdout.strip())

    folder = used()
    assert not old.exists()
    os.utime(folder, (NOW / 2.0, NOW / 2.0))
    assert used() == folder
    assert folder.stat().st_mtime > NOW / 2.0
