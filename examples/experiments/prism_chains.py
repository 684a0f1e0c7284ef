"""Chains of prisms by Gauss-Legendre on unit quaternions: a thesis on N-body pendulums.

Conservation of unit length and energy, cost over the number of links, a symmetric top,
springs at the joints, and two long chains, each with a film. What the source leaves out
is in `source_models.py`; its own figures stand beside ours in the table.

    python prism_chains.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import source_models as models

import femlie as fl

STEP = 0.01
LINKS = (4, 8, 16, 32, 48, 64)
# seconds of the source's own program for these numbers of links
SOURCE_SECONDS = (0.719, 2.27, 10.7, 45.6, 103.0, 204.0)


def gauss(
    stages: int, *, tolerance: float = 1e-14, is_damped: bool = False
) -> fl.GaussLegendre:
    """The method of the source: fixed-point iteration, quaternions as vectors.

    Dampers make links spin down about their own axes at 800 1/s: with a step of 0.01 s
    that takes Newton's iteration.
    """
    newton, simple = fl.StageIteration.NEWTON, fl.StageIteration.FIXED_POINT
    return fl.GaussLegendre(
        stages=stages,
        iteration=newton if is_damped else simple,
        form=fl.RotationForm.AMBIENT,
        stage_tolerance=tolerance,
    )


def unit_error(motion: fl.Results) -> float:
    """Largest deviation of a quaternion's length from one."""
    lengths = np.linalg.norm(motion.records.poses[:, 1:, 3:], axis=-1)
    return float(np.abs(lengths - 1.0).max())


def energy_error(motion: fl.Results) -> float:
    """Largest change of the energy, over the energy at the start."""
    total = motion.energy.total
    return float(np.abs(total - total[0]).max() / abs(total[0]))


def spin_error(motion: fl.Results) -> float:
    """Largest change of the angular velocity about the figure axis, relative."""
    spin = motion.records.velocities[:, 1, 5]
    return float(np.abs(spin - spin[0]).max() / abs(spin[0]))


class Report:
    """Rows of the table: experiment, measure, ours, the source's."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, float, str]] = []

    def add(self, name: str, measure: str, value: float, source: str) -> None:
        self.rows.append((name, measure, value, source))

    def save(self, path: Path) -> None:
        lines = ["experiment,measure,femlie,source"]
        lines += [f"{a},{b},{c:.3g},{d}" for a, b, c, d in self.rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def conservation(report: Report, duration: float) -> None:
    """Small swings with three stages, sixteen links with two, and table 3.2."""
    for n, source in ((1, "1e-12"), (2, "1e-12"), (4, "1e-14")):
        motion = gauss(3).solve(
            models.chain(n).build(), duration=duration, time_step=STEP
        )
        report.add(f"{n} links", "unit length", unit_error(motion), "1e-15")
        report.add(f"{n} links", "energy", energy_error(motion), source)
    motion = gauss(2).solve(models.chain(16).build(), duration=duration, time_step=STEP)
    report.add("16 links", "unit length", unit_error(motion), "1e-15")
    report.add("16 links", "energy", energy_error(motion), "1e-14")
    four = models.chain(4).build()
    loose = gauss(2, tolerance=1e-9).solve(four, duration=duration, time_step=STEP)
    explicit = fl.MuntheKaas(tableau=fl.RungeKutta.DORMAND_PRINCE, tolerance=1e-13)
    strict = explicit.solve(four, duration=duration, time_step=STEP)
    for name, motion, energy, calls in (
        ("4 links GL2 1e-9", loose, "3.0e-13", "11334"),
        ("4 links RK45 1e-13", strict, "7.2e-14", "15794"),
    ):
        report.add(name, "energy", energy_error(motion), energy)
        report.add(name, "evaluations", motion.summary["iterations"], calls)


def timings(report: Report, duration: float, links: tuple[int, ...]) -> None:
    """CPU time of three stages over the number of links."""
    gauss(3).solve(models.chain(2).build(), duration=STEP, time_step=STEP)
    for n, seconds in zip(links, SOURCE_SECONDS, strict=False):
        motion = gauss(3).solve(
            models.chain(n).build(), duration=duration, time_step=STEP
        )
        cpu = motion.summary["cpu_seconds"]
        report.add(f"{n} links", "CPU seconds", cpu, str(seconds))


def forced(report: Report, folder: Path, duration: float) -> None:
    """The top, springs at joints, a chain on a spring, and a coil that falls."""
    runs = {
        "symmetric top": (models.symmetric_top(), gauss(3), STEP),
        "torsional springs": (models.sprung_chain(), gauss(2), STEP),
        "spring and dampers": (
            models.spring_loaded_chain(),
            gauss(3, is_damped=True),
            STEP,
        ),
        "falling coil": (models.falling_coil(), gauss(2, is_damped=True), STEP),
    }
    for name, (model, solver, step) in runs.items():
        motion = solver.solve(model.build(), duration=duration, time_step=step)
        report.add(name, "unit length", unit_error(motion), "3e-13")
        if name == "symmetric top":
            report.add(name, "spin about the figure axis", spin_error(motion), "exact")
            report.add(name, "energy", energy_error(motion), "")
        fl.animate(motion, folder / f"{name.replace(' ', '_')}.gif", color="speed")


def main(
    folder: Path, *, duration: float = 10.0, links: tuple[int, ...] = LINKS
) -> Report:
    """Run everything, write the table and the films."""
    folder.mkdir(parents=True, exist_ok=True)
    report = Report()
    conservation(report, duration)
    timings(report, duration, links)
    forced(report, folder, duration)
    report.save(folder / "prism_chains.csv")
    return report


if __name__ == "__main__":
    for row in main(Path((sys.argv[1:] or ["prism_chains"])[0])).rows:
        print(*row, sep=", ")
