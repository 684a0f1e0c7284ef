"""What all tests share: no display, repeatable random numbers, the repository."""

from __future__ import annotations

import os
from pathlib import Path

# several processes share the cores; read by numpy when it is imported
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# read by the packages when they are imported, here and in processes that tests start
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("PYVISTA_OFF_SCREEN", "true")

# the first example of a property may compile kernels, so that time says nothing
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Folder that holds ``femlie``, ``examples``, ``meshes`` and ``docs``."""
    return Path(__file__).resolve().parents[1]
