"""Figures 2 to 15 of Mueller and Terze (2013): SE(3) against SO(3) x R^3.

Runs the four models of the paper with Munthe-Kaas of order 4 and a step of 1 ms on both
groups, and on the group that its outlook would choose for each body; then all with
generalized-alpha and RATTLE. It draws the violation of each joint and the drift of the
energy. Gray bands are the axes of the paper's figures, as long as these reach; the
table has their ends beside what was found as long. Masses, gravity and the loop's
geometry, which the paper does not say, are in `source_models.py`.

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
GROUPS = {"SE(3)": fl.SE3, "SO(3) x R^3": fl.SO3_R3, "by joints": fl.AUTO}
SOLVERS = {
    "Munthe-Kaas": fl.MuntheKaas(),
    "generalized-alpha": fl.GeneralizedAlpha(),
    "RATTLE": fl.Rattle(),
}
# rates of the links about their own lines that give violations of the paper's size
LINK_SPIN = 40.0
GROUND = ""
ENERGY = "energy"


class Joint(NamedTuple):
    """Two points that a joint holds together: name and place in world at the start."""

    first: str
    second: str
    place: tuple[float, float, float]


class Axes(NamedTuple):
    """What a figure of the paper reaches to: values, and time [s]."""

    low: float
    high: float
    end: float = 10.0


class Experiment(NamedTuple):
    """A model of the paper; axes of its figures by group, for joints and energy."""

    make: Callable[[fl.MotionGroup], fl.Model]
    duration: float
    joints: dict[str, Joint]
    axes: dict[str, tuple[Axes, ...]]

    def axes_of(self, group: str) -> dict[str, Axes]:
        """Axes by name of the joint, or energy; none where the paper has no figure."""
        names = [*self.joints, ENERGY]
        return dict(zip(names, self.axes.get(group, ()), strict=False))


def spinning_three_bar(group: fl.MotionGroup) -> fl.Model:
    """The loop, its links spinning; without that their joints hardly move apart."""
    return models.three_bar(group, spin=LINK_SPIN)


EXPERIMENTS = {
    "figures 2 and 3": Experiment(
        models.box_top,
        10.0,
        {"pivot": Joint(GROUND, "top", (0.0, 0.0, 0.0))},
        {
            "SE(3)": (Axes(-5e-15, 5e-15), Axes(0.0, 6e-4)),
            "SO(3) x R^3": (Axes(-3e-5, 3e-5), Axes(0.0, 5e-3)),
        },
    ),
    "figures 5 to 7": Experiment(
        models.double_pendulum,
        14.0,
        {
            "joint 1": Joint(GROUND, "link 1", (0.0, 0.0, 0.0)),
            "joint 2": Joint("link 1", "link 2", (0.2, 0.0, 0.0)),
        },
        {
            "SE(3)": (
                Axes(-2e-15, 1e-15, 5.0),
                Axes(-4e-5, 4e-5, 5.0),
                Axes(-2e-2, 0.0, 14.0),
            ),
            "SO(3) x R^3": (
                Axes(-4e-5, 4e-5, 14.0),
                Axes(-2e-4, 1e-3, 14.0),
                Axes(-2e-2, 0.0, 14.0),
            ),
        },
    ),
    "figures 9 and 10": Experiment(
        models.floating_bodies,
        10.0,
        {"joint": Joint("link 1", "link 2", (0.2, 0.0, 0.0))},
        {
            "SE(3)": (Axes(-3e-7, 1e-7), Axes(-1.2e-7, 2e-8)),
            "SO(3) x R^3": (Axes(-2.5e-7, 0.0), Axes(-8e-8, 2e-8)),
        },
    ),
    "figures 12 to 15": Experiment(
        spinning_three_bar,
        10.0,
        {
            "joint 1": Joint(GROUND, "link 1", (0.0, 0.0, 0.0)),
            "joint 2": Joint("link 1", "link 2", (0.2, 0.0, 0.0)),
            "joint 3": Joint(GROUND, "link 2", (0.3, 0.15, 0.0)),
        },
        {
            "SE(3)": (
                Axes(-1e-13, 0.0),
                Axes(-3e-5, 3e-5),
                Axes(-5e-14, 5e-14),
                Axes(0.0, 2e-3),
            ),
            "SO(3) x R^3": (
                Axes(-5e-6, 1e-5),
                Axes(-1.5e-5, 1.5e-5),
                Axes(-5e-6, 1e-5),
                Axes(0.0, 2.5e-3),
            ),
        },
    ),
}


def gap(motion: fl.Results, joint: Joint) -> np.ndarray:
    """(n, 3) way between the two points of a joint."""
    points = []
    for name in (joint.first, joint.second):
        if name == GROUND:
            points.append(np.broadcast_to(joint.place, (len(motion.times), 3)))
            continue
        turns = motion.rotations(name)
        arm = turns[0].T @ (np.asarray(joint.place) - motion.positions(name)[0])
        points.append(motion.positions(name) + turns @ arm)
    return points[1] - points[0]


def curves_of(motion: fl.Results, experiment: Experiment) -> dict[str, np.ndarray]:
    """Violations (n, 3) [m] by joint, and the drift of the energy (n, 1) [J]."""
    curves = {name: gap(motion, joint) for name, joint in experiment.joints.items()}
    total = motion.energy.total
    return curves | {ENERGY: (total - total[0])[:, None]}


def draw(
    title: str, experiment: Experiment, runs: dict[str, fl.Results], path: Path
) -> None:
    """Violations of all joints and the drift of the energy, one row a group."""
    n_columns = len(experiment.joints) + 1
    figure = Figure(figsize=(4.2 * n_columns, 2.6 * len(runs)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    rows = figure.subplots(len(runs), n_columns, squeeze=False)
    for row, (group, motion) in zip(rows, runs.items(), strict=True):
        bands = experiment.axes_of(group)
        curves = curves_of(motion, experiment)
        for ax, (name, curve) in zip(row, curves.items(), strict=True):
            if name in bands:
                band = bands[name]
                ax.fill_between([0.0, band.end], band.low, band.high, color="0.9")
            ax.plot(motion.times, curve, linewidth=0.8)
            ax.set_xlim(0.0, motion.times[-1])
            ax.set_title(f"{name}, {group}", fontsize=9)
            ax.set_ylabel("[J]" if name == ENERGY else "[m]")
    figure.savefig(path, dpi=120)


Found = dict[tuple[str, str, str], float]


def largest(motion: fl.Results, experiment: Experiment, group: str) -> dict[str, float]:
    """Largest violation or drift, over the time that the paper's figure shows."""
    bands = experiment.axes_of(group)
    found = {}
    for name, curve in curves_of(motion, experiment).items():
        end = bands[name].end if name in bands else np.inf
        found[name] = float(np.abs(curve[motion.times <= end + 0.5 * STEP]).max())
    return found


def save(found: Found, path: Path) -> None:
    """The table: ours, and the end of the axis in the paper where there is one."""
    lines = ["experiment,group,what,largest,source"]
    for (experiment, group, name), value in found.items():
        title, _, method = experiment.partition(", ")
        source = ""
        if method == "Munthe-Kaas" and group in EXPERIMENTS[title].axes:
            band = EXPERIMENTS[title].axes_of(group)[name]
            source = f"{max(abs(band.low), abs(band.high)):g}"
        lines.append(f'"{experiment}",{group},{name},{value:.3g},{source}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(folder: Path, *, shortened: float = 1.0) -> Found:
    """Run and draw everything; largest violations and drifts by experiment."""
    folder.mkdir(parents=True, exist_ok=True)
    found: Found = {}
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
                for name, value in largest(runs[group], experiment, group).items():
                    found[f"{title}, {method}", group, name] = value
            name = f"{title} {method}".replace(" ", "_") + ".png"
            draw(f"{title}: {method}, gray: the paper's axes", experiment, runs,
                 folder / name)  # fmt: skip
    save(found, folder / "mueller_terze_2013.csv")
    return found


if __name__ == "__main__":
    for key, value in main(Path((sys.argv[1:] or ["mueller_terze_2013"])[0])).items():
        print(*key, f"{value:.2e}", sep=", ")
