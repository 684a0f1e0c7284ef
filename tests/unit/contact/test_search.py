"""Search: the same pairs as by trying all, and no neighbors along a rod."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.contact import _search as search
from femlie.contact._passing import first_crossing


def cloud(n: int, seed: int, box: Any) -> tuple[Any, Any, Any]:
    """Single segments in a box, all of which may touch."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(0.0, 1.0, (n, 3)) * box
    halves = rng.normal(size=(n, 3))
    halves *= 0.5 / np.linalg.norm(halves, axis=1)[:, None]
    ends = np.stack([middles - halves, middles + halves], axis=1)
    sizes = np.zeros((n, search.N_SIZES))
    sizes[:, search.RADIUS] = rng.uniform(0.05, 0.2, n)
    sizes[:, search.ARC + 1] = 1.0
    identities = np.zeros((n, search.N_IDENTITIES), dtype=np.int64)
    identities[:, search.CHAIN] = np.arange(n)
    identities[:, [search.FIRST_GROUPS, search.SECOND_GROUPS]] = 1
    identities[:, [search.START_JOINT, search.END_JOINT]] = -1
    return ends, sizes, identities


def found_pairs(ends: Any, sizes: Any, identities: Any, reach: float) -> set[Any]:
    pairs = np.zeros((len(ends) ** 2, 2), dtype=np.int64)
    n = search.find_pairs(ends, sizes, identities, reach, pairs)
    assert len({tuple(pair) for pair in pairs[:n].tolist()}) == n
    return {tuple(pair) for pair in pairs[:n].tolist()}


def distance_by_trying(first: Any, second: Any) -> float:
    """Distance of two segments: within, at ends, and between ends."""
    u, v = first[1] - first[0], second[1] - second[0]
    best = np.inf
    matrix = np.array([[u @ u, -u @ v], [-u @ v, v @ v]])
    r = first[0] - second[0]
    if np.linalg.det(matrix) > 1e-12:
        x = np.linalg.solve(matrix, [-u @ r, v @ r])
        if np.all((x >= 0.0) & (x <= 1.0)):
            best = float(np.linalg.norm(r + x[0] * u - x[1] * v))
    for point, one, along in (
        (first[0], second[0], v),
        (first[1], second[0], v),
        (second[0], first[0], u),
        (second[1], first[0], u),
    ):
        t = np.clip((point - one) @ along / (along @ along), 0.0, 1.0)
        best = min(best, float(np.linalg.norm(point - one - t * along)))
    return best


@pytest.mark.parametrize("box", [(3.0, 3.0, 3.0), (60.0, 0.5, 0.5), (-9.0, 1.0, 7.0)])
def test_grid_finds_what_trying_all_finds(box: Any) -> None:
    ends, sizes, identities = cloud(60, 4, np.array(box))
    expected = set()
    for i in range(60):
        for j in range(i + 1, 60):
            away = sizes[i, search.RADIUS] + sizes[j, search.RADIUS]
            if distance_by_trying(ends[i], ends[j]) - away < 0.1:
                expected.add((i, j))
    assert len(expected) > 10
    assert found_pairs(ends, sizes, identities, 0.1) == expected


def straight_rod(n: int) -> tuple[Any, Any, Any]:
    """A rod of radius 0.02 and length 1 that may touch itself."""
    x = np.linspace(0.0, 1.0, n + 1)
    points = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    ends = np.stack([points[:-1], points[1:]], axis=1)
    sizes = np.zeros((n, search.N_SIZES))
    sizes[:, search.RADIUS] = 0.02
    sizes[:, search.ARC] = x[:-1]
    sizes[:, search.ARC + 1] = x[1:]
    sizes[:, search.REST] = 1.0 - x[1:]
    identities = np.zeros((n, search.N_IDENTITIES), dtype=np.int64)
    identities[:, search.PLACE] = np.arange(n)
    identities[:, [search.FIRST_GROUPS, search.SECOND_GROUPS]] = 1
    identities[:, search.START_JOINT] = 0
    identities[:, search.END_JOINT] = 1
    return ends, sizes, identities


def test_rod_does_not_touch_its_neighbors() -> None:
    assert not found_pairs(*straight_rod(50), 0.05)


def test_rods_built_together_do_not_touch_at_the_joint() -> None:
    ends, sizes, identities = straight_rod(20)
    second = np.stack([-ends[:, :, 1], ends[:, :, 0], ends[:, :, 2]], axis=2)
    other = identities.copy()
    other[:, search.CHAIN] = 1
    other[:, search.END_JOINT] = 2
    pairs = found_pairs(
        np.concatenate([ends, second]),
        np.concatenate([sizes, sizes]),
        np.concatenate([identities, other]),
        0.01,
    )
    # beyond two elements of 0.05 from the corner, legs at right angles are apart
    assert not pairs


def test_contact_parts_say_who_touches_whom() -> None:
    ends, sizes, identities = cloud(40, 7, np.ones(3))
    identities[:, search.FIRST_GROUPS] = np.arange(40) < 20
    identities[:, search.SECOND_GROUPS] = np.arange(40) >= 20
    pairs = found_pairs(ends, sizes, identities, 1.0)
    assert pairs
    assert all(i < 20 <= j for i, j in pairs)


def crossing(down: float, aside: float = 0.0) -> int:
    starts = np.array(
        [[[-1.0, 0.0, 0.1], [1.0, 0.0, 0.1]], [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]]
    )
    ends = starts.copy()
    ends[0, :, 2] -= down
    ends[0, :, 1] += aside
    pairs = np.array([[0, 1]])
    return int(first_crossing(starts, ends, np.array([0.02, 0.02]), pairs))


def test_rod_that_passes_through_another_is_seen() -> None:
    assert crossing(0.2) == 0
    assert crossing(0.09) == -1
    assert crossing(0.2, aside=3.0) == -1


def test_turning_rods_cross_only_where_they_meet() -> None:
    rng = np.random.default_rng(0)
    pairs = np.array([[0, 1]])
    for _ in range(30):
        starts = rng.normal(size=(2, 2, 3))
        ends = starts + rng.normal(size=(2, 2, 3))
        times = np.linspace(0.0, 1.0, 2001)
        # sampled: the signed volume changes while the chords are next to each other
        way = starts[None] + times[:, None, None, None] * (ends - starts)[None]
        nearest = min(distance_by_trying(*one) for one in way[::20])
        found = int(first_crossing(starts, ends, np.array([0.02, 0.02]), pairs))
        if found == 0:
            assert nearest < 0.05
        if nearest > 0.05:
            assert found == -1
