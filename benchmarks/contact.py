"""Search for contacts, a static iteration, and steps in motion with contact.

``python benchmarks/contact.py`` prints the cost of the search over the number of
segments, of the list of contacts, of the kernels of a ply, and of steps in motion.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    Goal,
    Report,
    Table,
    finish,
    fitted_exponent,
    least_time,
    script_parser,
)

# segments of random packs, elements of rods, share of the time of runs
SIZES = (1_000, 10_000, 100_000), (100, 1000), 1.0
RUNS = 3  # of each motion, of which the shortest counts
SMALLEST = (100, 1_000), (100,), 0.05
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


def search_table(sizes: tuple[int, ...]) -> tuple[Table, list[Goal]]:
    """Search alone."""
    import numpy as np

    from femlie.contact import _search as search

    rows: list[list[Any]] = []
    times = []
    for n in sizes:
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
    exponent = fitted_exponent(sizes, times)
    note = f"Random packs: time over number with the exponent {exponent:.2f}."
    goals = [
        Goal("search, 100,000 segments", 80.0, 1e3 * times[-1], "ms"),
        Goal("search, two touching rods of 1000", 0.4, 1e3 * touching, "ms"),
    ]
    return Table("Search", ["case", "pairs", "ms"], rows, note), goals


def kernel_table(search: float, sizes: tuple[int, ...]) -> tuple[Table, list[Goal]]:
    """Lists and kernels of two rods that touch all along; ``search`` in ms."""
    import numpy as np

    from femlie._equations import block_of
    from femlie.assembly import STATIC, Assembly
    from femlie.solvers.contact import ContactRun

    rows: list[list[Any]] = []
    total = 0.0
    for n in sizes:
        system = two_rods(n)
        poses = system.state.poses
        found = ContactRun(system, system.contact)
        assembly = Assembly(found.at(poses), regime=STATIC)
        motion = assembly.motion(found.with_room(system.state))
        motion.multipliers[:] = 1.0
        b = len(assembly.system.blocks) - 1
        evaluate, carry, _ = assembly.equations.functions[b]
        block = block_of(assembly.equations, assembly.equations.rows, b)
        block.parameters[:, 4:6] = 1.0
        carry(motion, block, np.zeros((1, 6)), 1.0, 0)
        given = motion, block, assembly.target, 0, 0.0, 0.0
        listing = 1e3 * least_time(found.fresh, poses)
        residual = 1e3 * least_time(evaluate, *given, 0.0)
        tangent = 1e3 * least_time(evaluate, *given, 1.0)
        total = search + listing + residual
        us = 1e3 / n
        row = [f"two rods of {n}", len(block.codes), listing]
        rows.append([*row, us * residual, us * tangent])
    columns = ["case", "rows", "list [ms]", "residual [us/slave]", "tangent [us/slave]"]
    note = (
        "Three points of integration each. Search, list and residual of two rods of "
        f"1000: {search:.2f} + {listing:.2f} + {residual:.2f} ms."
    )
    goal = Goal("search and forces, two touching rods of 1000", 2.0, total, "ms")
    return Table("Lists and kernels", columns, rows, note), [goal]


def on_floor(n: int, friction: float) -> Any:
    """Rods on ball joints, one behind the other, that fall flat on a floor."""
    import femlie as fl

    plastic = fl.Material(young=1e9, poisson=0.35, density=1200.0)
    section = fl.CircularSection(radius=RADIUS, material=plastic)
    length, pitch, height = 0.1, 0.104, 1.01 * RADIUS
    lines = [
        fl.straight_line(
            (pitch * k, 0.0, height),
            (pitch * k + length, 0.0, height),
            n_elements=2,
            name="rods",
            start_name=f"start {k}",
            end_name=f"end {k}",
        )
        for k in range(n)
    ]
    model = fl.Model(fl.join_meshes(*lines))
    model.add(fl.Beam("chain", cells="rods", section=section))
    for k in range(n - 1):
        place = (pitch * k + 0.5 * (length + pitch), 0.0, height)
        both = {"parent": f"end {k}", "child": f"start {k + 1}", "position": place}
        model.add(fl.Joint(f"ball {k}", fl.SPHERICAL, **both))
    model.add(fl.Gravity("weight"))
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    between = ("chain", "floor")
    model.add(fl.Contact("landing", between=between, friction=friction))
    return model.build()


def example(name: str) -> Any:
    """The module of an example."""
    path = next((Path(__file__).resolve().parents[1] / "examples").glob(f"{name}_*.py"))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def step_table(share: float) -> tuple[Table, list[Goal]]:
    """Steps in motion."""
    import femlie as fl
    from femlie.solvers.contact_rows import ListRows

    soft = fl.GeneralizedAlpha(spectral_radius=0.6, quiet_steps=10.0)
    cases = [
        ("four rods on a floor", on_floor(4, 0.0), soft, 0.2, 5e-4),
        ("the same with friction", on_floor(4, 0.3), soft, 0.1, 5e-4),
    ]
    for name, number, duration in (("falling chain", "33", 0.4), ("knot", "37", 0.2)):
        module = example(number)
        system = module.make_model().build()
        step = module.RUN["time_step"]
        cases.append((f"{name}, {duration} s", system, module.SOLVER, duration, step))
    rows: list[list[Any]] = []
    for name, system, solver, whole, step in cases:
        duration = share * whole
        output = fl.Output(every=8)
        solver.solve(system, duration=4 * step, time_step=step, output=output)
        spent = float("inf")
        for _ in range(RUNS):
            begin = time.process_time()
            motion = solver.solve(
                system, duration=duration, time_step=step, output=output
            )
            spent = min(spent, time.process_time() - begin)
        listed = ListRows(system, system.contact)
        n_rows = listed.begin(motion.records.poses[-1]).gaps.size
        rows.append(
            [name, n_rows, round(duration / step), 1e3 * spent * step / duration]
        )
    columns = ["case", "rows", "steps", "ms/step"]
    note = "Whole runs, with rows of results; rows are those of the list at the end."
    goal = Goal("step, four rods on a floor", 1.0, rows[0][-1], "ms")
    return Table("Steps with contact", columns, rows, note), [goal]


def main() -> None:
    """Measure, print and keep all tables."""
    options = script_parser(__doc__, "contact").parse_args()
    packs, rods, share = SMALLEST if options.smallest else SIZES
    found, goals = search_table(packs)
    kernels, more = kernel_table(goals[-1].measured or 0.0, rods)
    steps, others = step_table(share)
    tables = [found, kernels, steps]
    finish(Report("contact", tables, [*goals, *more, *others]), options)


if __name__ == "__main__":
    main()
