"""Recursive dynamics: cost by the number of bodies, beside MuJoCo and Pinocchio.

    python benchmarks/trees.py [--peers]

CPU seconds on one thread; each figure is the best of several. Chains of 2 m links on
ball joints swing as a whole; the press and an arm of six axes tell how much faster than
real time they run.
"""

from __future__ import annotations

import argparse
import runpy
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import femlie as fl
from femlie.system import System

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.validation.tree_cases import pendulum  # noqa: E402

SIZES = (16, 64, 256, 1024, 4096)
STEP = 0.01


def best_of(n: int, solve: object, **options: object) -> float:
    """Least CPU seconds of several runs."""
    found = []
    for _ in range(n):
        start = time.process_time()
        solve(**options)  # type: ignore[operator]
        found.append(time.process_time() - start)
    return min(found)


def per_step(system: System, solver: object, n_steps: int, step: float) -> float:
    """Milliseconds a step, without what a run costs at its start."""
    times = [
        best_of(
            3,
            solver.solve,  # type: ignore[attr-defined]
            system=system,
            duration=k * n_steps * step,
            time_step=step,
            output=fl.Output(every=k * n_steps),
        )
        for k in (1, 2)
    ]
    return 1e3 * (times[1] - times[0]) / n_steps


def chains() -> None:
    """Explicit steps of order 4, and memory, by the number of links."""
    solver = fl.MuntheKaas(formulation=fl.TREE)
    solver.solve(pendulum(2, 0.1).build(), duration=0.02, time_step=STEP)
    for n in SIZES:
        system = pendulum(n, 0.1).build()
        n_steps = max(10, 20_000 // n)
        # the tension of long chains makes their links swing too fast for long steps
        step = STEP if n <= 1024 else 0.1 * STEP
        milliseconds = per_step(system, solver, n_steps, step)
        print(f"chain of {n}: {milliseconds:.4f} ms a step of Munthe-Kaas, order 4")
    system = pendulum(64, 0.1).build()
    solver = fl.GaussLegendre(
        stages=3, formulation=fl.TREE, iteration=fl.StageIteration.FIXED_POINT
    )
    options = {"duration": 10.0, "time_step": STEP, "output": fl.Output(every=10)}
    seconds = best_of(3, solver.solve, system=system, **options)
    energies = solver.solve(system, **options).records.energies
    total = energies[:, 0] + energies[:, 2]
    change = np.abs(total - total[0]).max() / energies[:, 0].max()
    print(
        f"chain of 64, Gauss-Legendre 3, 10 s: {seconds:.3f} s, energy off by "
        f"{change:.1e}; {204.0 / seconds:.0f} times faster than 204 s"
    )


def real_time() -> None:
    """Seconds of motion in a second of computing."""
    examples = HERE.parent / "examples"
    press = runpy.run_path(str(examples / "20_six_bar_press.py"))
    system = press["make_model"]().build(folder=examples)
    seconds = best_of(3, press["SOLVER"].solve, system=system, **press["RUN"])
    print(f"press: {press['RUN']['duration'] / seconds:.0f} times real time")
    tree = fl.Tree(arm().build())
    rng = np.random.default_rng(0)
    n = 1000
    states = fl.TreeState(
        np.repeat(tree.start.frames[None], n, axis=0), rng.normal(size=(n, 6))
    )
    rates = rng.normal(size=(n, 6))
    seconds = best_of(3, tree.inverse_dynamics, state=states, second_rates=rates)
    print(f"arm of six axes: {1e6 * seconds / n:.2f} us an inverse dynamics")
    seconds = best_of(
        3,
        fl.MuntheKaas(formulation=fl.TREE).solve,
        system=tree.system,
        duration=2.0,
        time_step=1e-3,
        output=fl.Output(every=100),
    )
    print(f"arm of six axes: {2.0 / seconds:.0f} times real time at 1 ms")


def arm() -> fl.Model:
    """Six links of 0.3 m on hinges about z, y, y, x, y, x."""
    model = fl.Model()
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    before = fl.GROUND
    for i, axis in enumerate(axes):
        name = f"link {i + 1}"
        place = (0.3 * i + 0.15, 0.0, 0.0)
        inertia = (0.01, 0.03, 0.03)
        model.add(fl.Body(name, position=place, mass=4.0 - 0.5 * i, inertia=inertia))
        hinge = {"axis": axis, "position": (0.3 * i, 0.0, 0.0)}
        joint = fl.Joint(
            f"axis {i + 1}", fl.REVOLUTE, parent=before, child=name, **hinge
        )
        model.add(joint)
        before = name
    model.add(fl.Gravity("weight"))
    return model


def peers() -> None:
    """The same chains with others, from scripts beside this one where they exist."""
    for script in ("mujoco_pendulum.py", "pinocchio_pendulum.py"):
        path = HERE / "peers" / script
        if not path.exists():
            print(f"{script} is not in {path.parent}: left out")
            continue
        for n in SIZES[:3]:
            subprocess.run([sys.executable, str(path), str(n)], check=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    chains()
    real_time()
    if arguments.peers:
        peers()
