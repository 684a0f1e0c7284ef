"""Chains of prisms by Gauss-Legendre on unit quaternions: a thesis on N-body pendulums.

One and two links against the classical equations, conservation of unit length and
energy, cost over the number of links, a symmetric top, springs at the joints, and two
long chains; each with a picture or a film. What the source leaves out is in
`source_models.py`; its own figures stand beside ours in the table.

    python prism_chains.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import classical_pendulums as classical
import numpy as np
import prism_pictures as pictures
import source_models as models

import femlie as fl

STEP = 0.01
ANGLE = 0.1  # of the first link at the start, the others straight behind it
LINKS = (1, 2, 4, 8, 16, 32, 48, 64)
# seconds of the source's own program by the number of links
SOURCE_SECONDS = {4: 0.719, 8: 2.27, 16: 10.7, 32: 45.6, 48: 103.0, 64: 204.0}
# table 3.2 of the source: unit length of the four links at 10 s, energy, evaluations
EXPLICIT = (("5.55e-15", "2.47e-14", "2.24e-14", "2.50e-14"), "7.22e-14", "15794")
IMPLICIT = (("2.22e-15", "5.55e-16", "3.00e-15", "1.66e-15"), "3.00e-13", "11334")


def gauss(
    stages: int, *, tolerance: float = 1e-14, uses_newton: bool = False
) -> fl.GaussLegendre:
    """The method of the source: fixed-point iteration, quaternions as vectors.

    Dampers make links spin down about their own axes at 800 1/s: with a step of 0.01 s
    that takes Newton's iteration.
    """
    newton, simple = fl.StageIteration.NEWTON, fl.StageIteration.FIXED_POINT
    return fl.GaussLegendre(
        stages=stages,
        iteration=newton if uses_newton else simple,
        form=fl.RotationForm.AMBIENT,
        stage_tolerance=tolerance,
    )


def unit_error(motion: fl.Results, n_links: int) -> float:
    """Largest deviation of a quaternion's length from one."""
    return float(np.abs(pictures.lengths(motion, n_links)).max())


def energy_error(motion: fl.Results) -> float:
    """Largest change of the energy, over the energy at the start."""
    return float(pictures.relative_energy(motion).max())


def plane_angles(motion: fl.Results, n_links: int) -> np.ndarray:
    """(n_times, n_links) angles about x from the vertical, of links in y-z."""
    ways = [motion.rotations(f"link {k + 1}")[:, :, 2] for k in range(n_links)]
    return ANGLE + np.stack([np.arctan2(-w[:, 1], w[:, 2]) for w in ways], axis=1)


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


def named(n_links: int) -> str:
    """The number of links in words of the table."""
    return "1 link" if n_links == 1 else f"{n_links} links"


def swing(n_links: int, solver: fl.GaussLegendre, duration: float) -> fl.Results:
    """Small swings of a chain, in steps of 10 ms."""
    system = models.chain(n_links, ANGLE).build()
    return solver.solve(system, duration=duration, time_step=STEP)


def against_angles(report: Report, folder: Path, duration: float) -> None:
    """Figures 3.3 and 3.5: one and two links against the classical equations."""
    for n, source in ((1, "1.92e-13"), (2, "1e-12")):
        motion = swing(n, gauss(3), duration)
        differences = plane_angles(motion, n) - classical.angles(n, ANGLE, motion.times)
        largest = float(np.abs(differences).max())
        report.add(named(n), "angles against the classical model", largest, source)
        pictures.draw_differences(
            f"{named(n)}: angles, difference from the classical model",
            motion.times,
            differences,
            folder / f"angles_of_{file_name(named(n))}.png",
        )


def tolerances(report: Report, folder: Path, duration: float) -> None:
    """Figures 3.9 and 3.10, table 3.2: two loose stages, a strict explicit method.

    Of the explicit method the step is free and the evaluations are what counts.
    """
    four = models.chain(4, ANGLE).build()
    explicit = fl.MuntheKaas(tableau=fl.RungeKutta.DORMAND_PRINCE, tolerance=1e-13)
    for name, solver, (units, energy, calls) in (
        ("4 links GL2 1e-9", gauss(2, tolerance=1e-9), IMPLICIT),
        ("4 links RK45 1e-13", explicit, EXPLICIT),
    ):
        motion = solver.solve(four, duration=duration, time_step=STEP)
        at_end = np.abs(pictures.lengths(motion, 4)[-1])
        for k, source in enumerate(units):
            what = f"unit length of link {k + 1} at the end"
            report.add(name, what, float(at_end[k]), source)
        report.add(name, "energy", energy_error(motion), energy)
        report.add(name, "evaluations", motion.summary["iterations"], calls)
        pictures.draw_conservation(
            name, motion, folder / f"{file_name(name)}.png", links=(1, 2, 3, 4)
        )


def swings(
    report: Report, folder: Path, duration: float, links: tuple[int, ...]
) -> None:
    """Figures 3.6, 3.8, 3.11 and table 3.3: three stages, by the number of links."""
    energies, seconds = {1: "1e-12", 4: "1e-14"}, []
    swing(2, gauss(3), STEP)
    for n in links:
        motion = swing(n, gauss(3), duration)
        name = named(n)
        report.add(name, "unit length", unit_error(motion, n), "1e-15")
        report.add(name, "energy", energy_error(motion), energies.get(n, ""))
        cpu = motion.summary["cpu_seconds"]
        report.add(name, "CPU seconds", cpu, str(SOURCE_SECONDS.get(n, "")))
        seconds.append(cpu)
        shown = sorted({-(-n * k // 4) for k in (1, 2, 3, 4)})
        path = folder / file_name(name)
        pictures.draw_conservation(
            f"{name}, three stages", motion, path.with_suffix(".png"), links=shown
        )
        film(motion, path, shows_glyphs=n <= 8)
    source = list(SOURCE_SECONDS.items())
    pictures.draw_cost(links, seconds, source, folder / "cost.png")


def long_chain(report: Report, folder: Path, duration: float) -> None:
    """Figure 3.16: sixteen links with two stages."""
    motion = swing(16, gauss(2), duration)
    report.add("16 links GL2", "unit length", unit_error(motion, 16), "1e-15")
    report.add("16 links GL2", "energy", energy_error(motion), "1e-14")
    pictures.draw_conservation(
        "16 links, two stages", motion, folder / "16_links_GL2.png",
        links=(4, 8, 12, 16),
    )  # fmt: skip


def forced(report: Report, folder: Path, duration: float) -> None:
    """Section 3.3: the top, springs at joints, a chain on a spring, a falling coil."""
    top = models.symmetric_top().build()
    motion = gauss(3).solve(top, duration=duration, time_step=STEP)
    name = "symmetric top"
    report.add(name, "spin about the figure axis", spin_error(motion), "exact")
    report.add(name, "energy", energy_error(motion), "")
    show_forced(report, folder, name, motion, (1,))
    springs = models.sprung_chain().build()
    # the springs are Python: every evaluation counts, which Newton's iteration saves
    solver = gauss(2, tolerance=1e-12, uses_newton=True)
    motion = solver.solve(springs, duration=1.5 * duration, time_step=STEP)
    show_forced(report, folder, "torsional springs", motion, (1, 2, 3, 4))
    loaded = models.spring_loaded_chain().build()
    motion = gauss(3, uses_newton=True).solve(loaded, duration=duration, time_step=STEP)
    show_forced(report, folder, "spring and dampers", motion, (4, 8, 12, 16))
    coil = models.falling_coil().build()
    motion = gauss(2, uses_newton=True).solve(coil, duration=duration, time_step=STEP)
    show_forced(report, folder, "falling coil", motion, (16, 32, 48, 64))


def show_forced(
    report: Report, folder: Path, name: str, motion: fl.Results, links: tuple[int, ...]
) -> None:
    """Unit length in the table and, for some links, as a picture; a film."""
    report.add(name, "unit length", unit_error(motion, links[-1]), "3e-13")
    path = folder / file_name(name)
    pictures.draw_conservation(
        name, motion, path.with_suffix(".png"), links=links, has_energy=len(links) == 1
    )
    film(motion, path, shows_glyphs=links[-1] <= 16)


def film(motion: fl.Results, path: Path, *, shows_glyphs: bool) -> None:
    """As long as the run; half as many pictures a second as usual are enough.

    The balls of the joints would hide the links of long chains.
    """
    fl.animate(
        motion,
        path.with_suffix(".gif"),
        color="speed",
        frames_per_second=12,
        length=float(motion.times[-1]),
        look=fl.Look(shows_glyphs=shows_glyphs),
    )


def file_name(name: str) -> str:
    """A name without spaces."""
    return name.replace(" ", "_")


def main(
    folder: Path, *, duration: float = 10.0, links: tuple[int, ...] = LINKS
) -> Report:
    """Run everything, write the table, the pictures and the films."""
    folder.mkdir(parents=True, exist_ok=True)
    report = Report()
    against_angles(report, folder, duration)
    swings(report, folder, duration, links)
    tolerances(report, folder, duration)
    long_chain(report, folder, duration)
    forced(report, folder, duration)
    report.save(folder / "prism_chains.csv")
    return report


if __name__ == "__main__":
    for row in main(Path((sys.argv[1:] or ["prism_chains"])[0])).rows:
        print(*row, sep=", ")
