"""After ``femlie warmup`` nothing is compiled any more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from femlie._jit import IS_COMPILED

ROOT = Path(__file__).parents[2]
EXAMPLES = (
    "02_frame_from_gmsh",
    "03_helix_spring",
    "04_slider_crank",
    "06_heavy_top",
    "20_six_bar_press",
    "21_robot_arm",
    "22_squeezer",
    "30_crossed_rods",
    "31_twisted_ply",
    "32_rope_over_drum",
)
SCRIPT = """
import numpy as np
import femlie as fl

class Weight:
    n_multipliers = 1
    def residual(self, local):
        n = len(local.twists)
        rows = np.zeros((n, 7))
        # it pulls down, and stays in the plane y = 0
        turned = local.frames[:, 0, :3, :3]
        rows[:, :3] = turned[:, 2] + local.multipliers * turned[:, 1]
        rows[:, 6] = local.frames[:, 0, 1, 3]
        return rows

mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2)
rod = fl.CircularSection(
    radius=0.01, material=fl.Material(young=1e9, poisson=0.3, density=1000.0)
)
model = fl.Model(mesh)
model.add(fl.Beam("rod", cells="line", section=rod))
model.add(fl.Support("root", at="start"))
model.add(fl.UserElement("weight", at=("end",), element=Weight()))
system = model.build()
fl.Static().solve(system).rotations("end", as_vector=True)
fl.GeneralizedAlpha().solve(system, duration=1e-3, time_step=1e-4)
"""
ON_TREE = """
import femlie as fl

model = fl.Model()
places = ((0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0))
before = fl.GROUND
for i, name in enumerate(("crank", "coupler", "rocker")):
    middle = tuple(0.5 * (a + b) for a, b in zip(places[i], places[i + 1]))
    model.add(fl.Body(name, position=middle, mass=1.0, inertia=(0.1, 0.1, 0.1)))
    model.add(
        fl.Joint(f"{name} pin", fl.REVOLUTE, parent=before, child=name,
                 position=places[i])
    )
    before = name
model.add(
    fl.Joint("last pin", fl.REVOLUTE, parent=before, child=fl.GROUND,
             position=places[3])
)
system = model.build()
for solver in (fl.MuntheKaas, fl.GaussLegendre, fl.GeneralizedAlpha):
    solver(formulation=fl.TREE).solve(system, duration=1e-3, time_step=1e-4)
"""
LATTICE = """
import femlie as fl

mesh = fl.cubic_lattice((14, 14, 14), cell_size=0.01)
model = fl.Model(mesh)
steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
rod = fl.CircularSection(radius=5e-4, material=steel)
model.add(fl.Beam("struts", cells="struts", section=rod))
model.add(fl.Support("floor", at="bottom"))
model.add(fl.Support("grip", at="top", displacement=(0, 0, 0.001)))
results = fl.Static().solve(model.build())
assert "multifrontal" in results.summary["linear_solver"]
"""


def in_a_process(cache: Path, folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "FEMLIE_CACHE_DIR": str(cache)}
    environment.pop("NUMBA_CACHE_DIR", None)
    environment["PYTHONPATH"] = str(ROOT)
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


def compiled(cache: Path) -> set[str]:
    return {path.name for path in cache.rglob("*.nbc")}


@pytest.mark.slow
@pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled")
def test_nothing_is_left_to_compile_after_warmup(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    in_a_process(cache, tmp_path, "-m", "femlie", "warmup")
    before = compiled(cache)
    assert before
    for name in EXAMPLES:
        path = str(ROOT / "examples" / f"{name}.toml")
        in_a_process(cache, tmp_path, "-m", "femlie", "run", path, "--quiet")
        assert compiled(cache) - before == set(), name
    in_a_process(cache, tmp_path, "-c", SCRIPT)
    assert compiled(cache) - before == set(), "an element of one's own"
    in_a_process(cache, tmp_path, "-c", ON_TREE)
    assert compiled(cache) - before == set(), "methods on a tree"
    in_a_process(cache, tmp_path, "-c", LATTICE)
    assert compiled(cache) - before == set(), "a lattice"
