"""Figures 2 to 15 of Mueller and Terze (2013): SE(3) against SO(3) x R^3.

Runs the four models of the paper with Munthe-Kaas of order 4 and a step of 1 ms on both
groups, then with generalized-alpha and RATTLE as its outlook asks for, and draws the
violation of each joint and the drift of the energy. Gray bands are the axes of the
paper's figures. Masses, gravity and the loop's geometry, which the paper does not say,
are in `source_models.py`.

    python mueller_terze_2013.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import source_models as models
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import femlie as fl

STEP = 1e-3
GROUPS = {"SE(3)": fl.SE3, "SO(3) x R^3": fl.SO3_R3}
SOLVERS = {
    "Munthe-Kaas": fl.MuntheKaas(),
    "generalized-alpha": fl.GeneralizedAlpha(),
    "RATTLE": fl.Rattle(),
}
GROUND = ""


class Joint(NamedTuple):
    """Two points that a joint holds together: name and place in world at the start."""

    first: str
    second: str
    place: tuple[float, float, float]


class Experiment(NamedTuple):
    """A model of the paper; axes of its figures by group, for joints and energy."""

    make: Callable[[fl.MotionGroup], fl.Model]
    duration: float
    joints: dict[str, Joint]
    axes: dict[str, tuple[tuple[float, float], ...]]


EXPERIMENTS = {
    "figures 2 and 3": Experiment(
        models.box_top,
        10.0,
        {"pivot": Joint(GROUND, "top", (0.0, 0.0, 0.0))},
        {
            "SE(3)": ((-5e-15, 5e-15), (0.0, 6e-4)),
            "SO(3) x R^3": ((-3e-5, 3e-5), (0.0, 5e-3)),
        },
    ),
    "figures 5 to 7": Experiment(
        models.double_pendulum,
        5.0,
        {
            "joint 1": Joint(GROUND, "link 1", (0.0, 0.0, 0.0)),
            "joint 2": Joint("link 1", "link 2", (0.2, 0.0, 0.0)),
        },
        {
            "SE(3)": ((-2e-15, 1e-15), (-4e-5, 4e-5), (-2e-2, 0.0)),
            "SO(3) x R^3": ((-4e-5, 4e-5), (-2e-4, 1e-3), (-2e-2, 0.0)),
        },
    ),
    "figures 9 and 10": Experiment(
        models.floating_bodies,
        10.0,
        {"joint": Joint("link 1", "link 2", (0.2, 0.0, 0.0))},
        {
            "SE(3)": ((-3e-7, 1e-7), (-1.2e-7, 2e-8)),
            "SO(3) x R^3": ((-2.5e-7, 0.0), (-8e-8, 2e-8)),
        },
    ),
    "figures 12 to 15": Experiment(
        models.three_bar,
        10.0,
        {
            "joint 1": Joint(GROUND, "link 1", (0.0, 0.0, 0.0)),
            "joint 2": Joint("link 1", "link 2", (0.2, 0.0, 0.0)),
            "joint 3": Joint(GROUND, "link 2", (0.3, 0.15, 0.0)),
        },
        {
            "SE(3)": ((-1e-13, 0.0), (-3e-5, 3e-5), (-5e-14, 5e-14), (0.0, 2e-3)),
            "SO(3) x R^3": (
                (-5e-6, 1e-5), (-1.5e-5, 1.5e-5), (-5e-6, 1e-5), (0.0, 2.5e-3)
            ),
        },
    ),
}  # fmt: skip


def gap(motion: fl.Results, joint: Joint) -> np.ndarray:
    """(n, 3) way between the two points of a joint."""
    points = []
    for name in (joint.first, joint.second):
        if name == GROUND:
            points.append(np.broadcast_to(joint.place, (len(motion.times), 3)))
            continue
        start = motion.positions(name)[0]
        arm = np.asarray(joint.place) - start
        points.append(motion.positions(name) + motion.rotations(name) @ arm)
    return points[1] - points[0]


def draw(title: str, experiment: Experiment, runs: dict, path: Path) -> None:
    """Violations of all joints and the drift of the energy, one row a group."""
    names = [*experiment.joints, "energy"]
    figure = Figure(figsize=(4.2 * len(names), 2.6 * len(runs)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    axes = figure.subplots(len(runs), len(names), squeeze=False)
    for row, (group, motion) in zip(axes, runs.items(), strict=True):
        curves = [gap(motion, joint) for joint in experiment.joints.values()]
        total = motion.energy.total
        curves.append((total - total[0])[:, None])
        for ax, name, curve, band in zip(
            row, names, curves, experiment.axes[group], strict=True
        ):
            ax.axhspan(*band, color="0.9")
            ax.plot(motion.times, curve, linewidth=0.8)
            ax.set_title(f"{name}, {group}", fontsize=9)
            ax.set_ylabel("[J]" if name == "energy" else "[m]")
    figure.savefig(path, dpi=120)


def main(folder: Path, *, shortened: float = 1.0) -> dict[tuple[str, str, str], float]:
    """Run and draw everything; largest violations and drifts by experiment."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for title, experiment in EXPERIMENTS.items():
        for method, solver in SOLVERS.items():
            runs = {}
            for group, choice in GROUPS.items():
                runs[group] = solver.solve(
                    experiment.make(choice).build(),
                    duration=shortened * experiment.duration,
                    time_step=STEP,
                    output=fl.Output(every=5),
                )
                for name, joint in experiment.joints.items():
                    worst = float(np.abs(gap(runs[group], joint)).max())
                    found[f"{title}, {method}", group, name] = worst
                total = runs[group].energy.total
                drift = float(np.abs(total - total[0]).max())
                found[f"{title}, {method}", group, "energy"] = drift
            name = f"{title} {method}".replace(" ", "_") + ".png"
            draw(f"{title}: {method}, gray: the paper's axes", experiment, runs,
                 folder / name)  # fmt: skip
    lines = ["experiment,group,what,largest"]
    lines += [f'"{a}",{b},{c},{value:.3g}' for (a, b, c), value in found.items()]
    (folder / "mueller_terze_2013.csv").write_text("\n".join(lines) + "\n")
    return found


if __name__ == "__main__":
    for key, value in main(Path((sys.argv[1:] or ["mueller_terze_2013"])[0])).items():
        print(*key, f"{value:.2e}", sep=", ")
