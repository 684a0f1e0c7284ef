"""A chain of links on ball joints, by explicit Runge-Kutta methods of order 4.

The straight chain of `chain`, 0.1 rad off the vertical, in steps of 10 ms. MuJoCo and
Pinocchio work in joint coordinates along the tree.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.peers.case import Aim, Run, perform, timed
from benchmarks.peers.chain import (
    ANGLE,
    GRAVITY,
    INERTIA,
    LENGTH,
    MASS,
    SIDE,
    STRAIGHT,
    available,
    make_model,
)

TITLE = "Chain of links, explicit Runge-Kutta 4, steps of 10 ms"
NOTE = (
    "10 s; one second for 256 links. femlie's Munthe-Kaas method works in the "
    "coordinates of the tree, as the peers do, or on absolute frames with multipliers; "
    "the loop of steps around Pinocchio's calls is Python."
)
TIME_STEP = 0.01
SIZES = (16, 64, 256)
TREE = "Munthe-Kaas, tree"
RUNS = tuple(
    run
    for n in SIZES
    for run in (
        Run("femlie", TREE, n),
        Run("femlie", "Munthe-Kaas, absolute frames", n, group="absolute"),
        Run("MuJoCo", "tree", n),
        Run("Pinocchio", "tree", n),
    )
)

AIMS = (
    Aim("explicit chain of 16 links: a step", 0, 0.02, "ms", 1.0, 3, 0.031),
    Aim("explicit chain of 64 links: a step", 4, 0.06, "ms", 1.0, 7, 0.090),
    Aim("explicit chain of 256 links: a step", 8, 0.25, "ms", 10.0, 10, 4.8),
)


def n_steps(n_links: int) -> int:
    """Steps of a run."""
    return 1000 if n_links < 256 else 100


def run_femlie(run: Run) -> dict[str, Any]:
    """Bodies on spherical joints."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    steps = n_steps(run.size)
    formulation = fl.TREE if run.variant == TREE else fl.ABSOLUTE
    record, results = timed_solve(
        fl.MuntheKaas(formulation=formulation),
        make_model(run.size, STRAIGHT).build(),
        duration=steps * TIME_STEP,
        time_step=TIME_STEP,
        output=fl.Output(every=steps),
    )
    total = results.energy.total
    change = float(total[-1] - total[0]) / available(run.size, STRAIGHT)
    return record | {"measures": {"energy change": change}}


def mujoco_text(n_links: int) -> str:
    """The model in MuJoCo's language, nested without recursion."""
    half, head = 0.5 * SIDE, ""
    for k in range(n_links):
        place = "0 0 0" if k == 0 else f"0 0 {-LENGTH}"
        head += (
            f'<body name="b{k}" pos="{place}"><joint type="ball"/><geom type="box" '
            f'size="{half} {half} {0.5 * LENGTH}" pos="0 0 {-0.5 * LENGTH}" '
            f'mass="{MASS}" contype="0" conaffinity="0"/>'
        )
    return (
        f'<mujoco><option timestep="{TIME_STEP}" gravity="0 0 {-GRAVITY}" '
        'integrator="RK4"><flag energy="enable" contact="disable"/></option>'
        f"<worldbody>{head}{'</body>' * n_links}</worldbody></mujoco>"
    )


def run_mujoco(run: Run) -> dict[str, Any]:
    """Ball joints in a tree, Runge-Kutta 4."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mujoco_text(run.size))
    data = mujoco.MjData(model)
    data.qpos[:2] = math.cos(0.5 * ANGLE), math.sin(0.5 * ANGLE)
    mujoco.mj_forward(model, data)
    before = float(data.energy.sum())
    steps = n_steps(run.size)

    def march() -> None:
        for _ in range(steps):
            mujoco.mj_step(model, data)

    seconds, _ = timed(march)
    mujoco.mj_forward(model, data)
    change = (float(data.energy.sum()) - before) / available(run.size, STRAIGHT)
    return {
        "cpu_seconds": seconds,
        "steps": steps,
        "iterations": None,
        "measures": {"energy change": change},
    }


def run_pinocchio(run: Run) -> dict[str, Any]:
    """Articulated bodies; the Runge-Kutta method in Python."""
    import numpy as np
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    center = np.array([0.0, 0.0, -0.5 * LENGTH])
    inertia = pin.Inertia(MASS, center, np.diag(INERTIA))
    parent = 0
    for k in range(run.size):
        offset = np.array([0.0, 0.0, 0.0 if k == 0 else -LENGTH])
        place = pin.SE3(np.eye(3), offset)
        joint = pin.JointModelSpherical()
        parent = model.addJoint(parent, joint, place, f"j{k}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    data = model.createData()
    q, v = pin.neutral(model), np.zeros(model.nv)
    q[0], q[3] = math.sin(0.5 * ANGLE), math.cos(0.5 * ANGLE)
    steps, h, no_torque = n_steps(run.size), TIME_STEP, np.zeros(model.nv)

    def energy() -> float:
        kinetic = pin.computeKineticEnergy(model, data, q, v)
        return float(kinetic + pin.computePotentialEnergy(model, data, q))

    def rate(place: Any, speed: Any) -> Any:
        return pin.aba(model, data, place, speed, no_torque).copy()

    def march() -> None:
        nonlocal q, v
        for _ in range(steps):
            a1 = rate(q, v)
            v2 = v + 0.5 * h * a1
            a2 = rate(pin.integrate(model, q, 0.5 * h * v), v2)
            v3 = v + 0.5 * h * a2
            a3 = rate(pin.integrate(model, q, 0.5 * h * v2), v3)
            v4 = v + h * a3
            a4 = rate(pin.integrate(model, q, h * v3), v4)
            q = pin.integrate(model, q, h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4))
            v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)

    before = energy()
    seconds, _ = timed(march)
    change = (energy() - before) / available(run.size, STRAIGHT)
    return {
        "cpu_seconds": seconds,
        "steps": steps,
        "iterations": None,
        "measures": {"energy change": change},
    }


RUNNERS = {"femlie": run_femlie, "MuJoCo": run_mujoco, "Pinocchio": run_pinocchio}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
