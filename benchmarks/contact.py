"""Search for contacts, and a static iteration with contact.

``python benchmarks/contact.py`` prints the cost of the search over the number of
segments, of the list of contacts, and of the kernels of a ply.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import Goal, Report, Table, fitted_exponent, least_time, show

SIZES = (1_000, 10_000, 100_000)
RADIUS = 0.01
# middles of segments in a cube of this many radii for each segment
ROOM = 1500.0


def pack(n: int) -> tuple[Any, Any, Any]:
    """Segments of 5 radii in a box, at random, none of which are neighbors."""
    import numpy as np

    from femlie.contact import _search as search

    rng = np.random.default_rng(0)
    size = (ROOM * n) ** (1.0 / 3.0) * RADIUS
    middles = rng.uniform(0.0, size, (n, 3))
    halves = rng.normal(size=(n, 3))
    halves *= 2.5 * RADIUS / np.linalg.norm(halves, axis=1)[:, None]
    sizes = np.zeros((n, search.N_SIZES))
    sizes[:, search.RADIUS] = RADIUS
    sizes[:, search.ARC + 1] = 5.0 * RADIUS
    identities = np.zeros((n, search.N_IDENTITIES), dtype=np.int64)
    identities[:, search.CHAIN] = np.arange(n)
    identities[:, [search.FIRST_GROUPS, search.SECOND_GROUPS]] = 1
    identities[:, [search.START_JOINT, search.END_JOINT]] = -1
    return np.stack([middles - halves, middles + halves], axis=1), sizes, identities


def two_rods(n: int) -> Any:
    """Two rods of n elements that touch all along."""
    import femlie as fl

    material = fl.Material(young=1e9, poisson=0.3, density=1000.0)
    section = fl.CircularSection(radius=RADIUS, material=material)
    lines = [
        fl.straight_line(
            (0.0, y, 0.0),
            (5.0 * RADIUS * n, y, 0.0),
            n_elements=n,
            name=name,
            start_name=f"{name} start",
            end_name=f"{name} end",
        )
        for name, y in (("one", RADIUS), ("other", -RADIUS))
    ]
    model = fl.Model(fl.join_meshes(*lines, tolerance_ratio=None))
    for name in ("one", "other"):
        model.add(fl.Beam(f"rod {name}", cells=name, section=section))
        model.add(fl.Support(f"clamp {name}", at=f"{name} start"))
    model.add(fl.Contact("touch", between=("rod one", "rod other")))
    return model.build()


def search_table() -> tuple[Table, list[Goal]]:
    """Search alone."""
    import numpy as np

    from femlie.contact import _search as search

    rows: list[list[Any]] = []
    times = []
    for n in SIZES:
        arrays = pack(n)
        pairs = np.empty((20 * n, 2), dtype=np.int64)
        found = search.find_pairs(*arrays, 0.02 * RADIUS, pairs)
        times.append(least_time(search.find_pairs, *arrays, 0.02 * RADIUS, pairs))
        rows.append([f"random pack, {n} segments", found, 1e3 * times[-1]])
    rods = two_rods(1000).contact
    poses = two_rods(1000).state.poses
    ends, bows = rods.segments.ends(poses)
    given = ends, rods.segments.sizes(bows), rods.segments.identities
    pairs = np.empty((20_000, 2), dtype=np.int64)
    reach = 0.25 * RADIUS
    found = search.find_pairs(*given, reach, pairs)
    touching = least_time(search.find_pairs, *given, reach, pairs)
    rows.append(["two touching rods of 1000 segments", found, 1e3 * touching])
    exponent = fitted_exponent(SIZES, times)
    note = f"Random packs: time over number with the exponent {exponent:.2f}."
    goals = [
        Goal("search, 100,000 segments", 80.0, 1e3 * times[-1], "ms"),
        Goal("search, two touching rods of 1000", 0.4, 1e3 * touching, "ms"),
    ]
    return Table("Search", ["case", "pairs", "ms"], rows, note), goals


def kernel_table() -> Table:
    """Lists and kernels of two rods that touch all along."""
    import numpy as np

    from femlie.assembly import STATIC, Assembly
    from femlie.solvers.contact import ContactRun

    rows: list[list[Any]] = []
    for n in (100, 1000):
        system = two_rods(n)
        poses = system.state.poses
        found = ContactRun(system, system.contact)
        assembly = Assembly(found.at(poses), regime=STATIC)
        motion = assembly.motion(found.with_room(system.state))
        motion.multipliers[:] = 1.0
        b = len(assembly.system.blocks) - 1
        evaluate, carry, _ = assembly.equations.functions[b]
        from femlie._equations import block_of

        block = block_of(assembly.equations, assembly.equations.rows, b)
        block.parameters[:, 4:6] = 1.0
        carry(motion, block, np.zeros((1, 6)), 1.0, 0)
        given = motion, block, assembly.target, 0, 0.0, 0.0
        rows.append(
            [
                f"two rods of {n}",
                len(block.codes),
                1e3 * least_time(found.fresh, poses),
                1e6 * least_time(evaluate, *given, 0.0) / n,
                1e6 * least_time(evaluate, *given, 1.0) / n,
            ]
        )
    columns = ["case", "rows", "list [ms]", "residual [us/slave]", "tangent [us/slave]"]
    return Table(
        "Lists and kernels", columns, rows, "Three points of integration each."
    )


def main() -> None:
    """Measure, show, and keep as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    options = parser.parse_args()
    table, goals = search_table()
    report = Report("contact", [table, kernel_table()], goals)
    for one in report.tables:
        show(one)
    if options.json is not None:
        report.save(options.json)


if __name__ == "__main__":
    main()
