"""Lists that leave out what is not near: the answers are those of long lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.contact import _layout as layout
from femlie.solvers import contact
from femlie.solvers.static_run import StaticRun
from tests.validation import contact_models as models

FOUND = contact.ContactRun
QUICK = fl.Static(checks_stability=False, tolerance=1e-12)


def run_of(system: Any, load_steps: int) -> StaticRun:
    run = StaticRun(QUICK, system, fl.Output(), None)
    run.march(None, 1.0 / load_steps, largest=1.0 / load_steps)
    return run


def wide_run(system: Any, model: Any, *, is_narrow: bool) -> Any:
    """In place of what leaves out."""
    assert is_narrow
    return FOUND(system, model)


@pytest.mark.parametrize(
    ("make", "load_steps"),
    [
        (lambda: models.sliding_along(20, 0.3), 2),
        (lambda: models.ply(12, 0.5), 6),
        (lambda: models.stacked(20, 30, 1e-3), 1),
        (lambda: models.crossing(10, 0.0122), 4),
    ],
    ids=["sliding", "ply", "stacked", "crossing"],
)
def test_answer_is_that_of_a_list_of_all_within_reach(
    make: Any, load_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rods that slide by several elements in one step leave what is listed."""
    system = make()
    narrow = run_of(system, load_steps)
    assert narrow.contact is not None
    assert narrow.contact.contacts is not None
    n_rows = len(narrow.contact.contacts.codes)
    monkeypatch.setattr(contact, "ContactRun", wide_run)
    wide = run_of(system, load_steps)
    assert wide.contact is not None
    assert wide.contact.contacts is not None
    assert n_rows <= len(wide.contact.contacts.codes)
    length = np.abs(wide.motion.poses[:, :3]).max()
    np.testing.assert_allclose(
        narrow.motion.poses, wide.motion.poses, rtol=0, atol=1e-9 * length
    )


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
def test_few_masters_are_listed_on_fine_meshes() -> None:
    """Elements of half a radius: three next to a slave, and a margin of two each."""
    run = run_of(models.stacked(200, 200, 1e-3), 1)
    assert run.contact is not None
    assert run.contact.contacts is not None
    counts = run.contact.contacts.codes[:, layout.COUNT]
    assert counts.max() <= 7
