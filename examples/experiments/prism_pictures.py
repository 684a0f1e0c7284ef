"""Pictures of `prism_chains.py`: what is conserved, errors of angles, and cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import femlie as fl


def lengths(motion: fl.Results, n_links: int) -> np.ndarray:
    """(n_times, n_links) deviation of the length of each link's quaternion from one."""
    poses = motion.records.poses[:, 1 : 1 + n_links, 3:]
    return np.linalg.norm(poses, axis=-1) - 1.0


def relative_energy(motion: fl.Results) -> np.ndarray:
    """(n_times,) change of the energy over the energy at the start."""
    total = motion.energy.total
    return np.abs(total - total[0]) / abs(total[0])


def new_figure(n_axes: int, title: str) -> tuple[Figure, list[Axes]]:
    """A figure with axes side by side."""
    figure = Figure(figsize=(max(5.4, 3.6 * n_axes), 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    return figure, list(figure.subplots(1, n_axes, squeeze=False)[0])


def draw_conservation(
    title: str,
    motion: fl.Results,
    path: Path,
    *,
    links: Sequence[int],
    has_energy: bool = True,
) -> None:
    """Unit length of some links, numbered from one, and the energy."""
    figure, axes = new_figure(len(links) + has_energy, title)
    deviations = np.abs(lengths(motion, max(links)))
    for ax, link in zip(axes, links, strict=False):
        ax.plot(motion.times, deviations[:, link - 1], linewidth=0.7)
        ax.set_title(f"link {link}: | |q| - 1 |", fontsize=9)
    if has_energy:
        axes[-1].plot(motion.times, relative_energy(motion), linewidth=0.7, color="C3")
        axes[-1].set_title("energy, relative change", fontsize=9)
    for ax in axes:
        ax.set_xlabel("time [s]")
    figure.savefig(path, dpi=120)


def draw_differences(
    title: str, times: np.ndarray, differences: np.ndarray, path: Path
) -> None:
    """Differences of the angles of all links (n_times, n_links)."""
    figure, axes = new_figure(differences.shape[1], title)
    for k, ax in enumerate(axes):
        ax.plot(times, differences[:, k], linewidth=0.8)
        ax.set_title(f"body {k + 1}", fontsize=9)
        ax.set_xlabel("time [s]")
        ax.set_ylabel("[rad]")
    figure.savefig(path, dpi=120)


def draw_cost(
    links: Sequence[int],
    seconds: Sequence[float],
    source: Sequence[tuple[int, float]],
    path: Path,
) -> None:
    """CPU time over the number of links, beside the source's, both logarithmic."""
    figure, (ax,) = new_figure(1, "CPU time of 10 s")
    ax.loglog(links, seconds, "o-", label="femlie")
    ax.loglog(*zip(*source, strict=True), "s--", label="source")
    ax.set_xlabel("links")
    ax.set_ylabel("[s]")
    ax.legend()
    figure.savefig(path, dpi=120)
