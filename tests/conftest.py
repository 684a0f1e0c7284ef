"""What all tests share: no display, repeatable random numbers, the repository."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

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
