r"""A robot arm from a URDF file draws a circle (dynamic).

           3 o====4===o 5        The arm stands as drawn: upper arm upright, forearm
             #        # 6        level, gripper down. Its tool goes once around a level
             #        v tool     circle of 0.1 m in 2 s and keeps its direction.
           2 o
             # 1                 1 and 6 turn about the vertical, 2, 3 and 5 across
           =====                 the arm, 4 along the forearm

Inverse kinematics gives the angles of the joints at 41 points of the path, splines of
degree 5 their rates and accelerations, inverse dynamics the torques. The motors get
these torques as tables (feedforward), and a spring and a damper on each joint pull it
to the planned angle: springs of femlie pull to a fixed one, so that the motor adds what
keeps both free of force on the plan. The run forwards then follows the circle.

Known answer: the circle. Between the points of the plan, the tool stays within 0.01 mm
of it. Without springs and dampers it would leave it as an upright pendulum falls.

Next: make the gripper heavier than the plan knows; the same model as a file is
21_robot_arm.toml.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline

import femlie as fl

HERE = Path(__file__).parent
URDF = "../meshes/robot_arm/robot_arm.urdf"
RADIUS, DURATION = 0.1, 2.0
STIFFNESS = np.array([4000.0, 4000.0, 2000.0, 200.0, 200.0, 20.0])
DAMPING = np.array([300.0, 300.0, 150.0, 4.0, 4.0, 0.4])
SOLVER = fl.MuntheKaas(formulation=fl.TREE)
RUN = {"duration": DURATION, "time_step": 1e-3, "output": fl.Output(every=10)}


def circle(times: np.ndarray) -> np.ndarray:
    """Way of the tool from its start (n, 3) [m], at rest at both ends."""
    s = times / DURATION
    turn = 2.0 * np.pi * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return RADIUS * np.stack([1.0 - np.cos(turn), np.sin(turn), 0.0 * turn], axis=-1)


def plan(model: fl.Model) -> dict[str, fl.Motor]:
    """Motors whose torques lead the tool along the circle."""
    tree = fl.Tree(model.build(folder=HERE))
    times = np.linspace(0.0, DURATION, 41)
    frames = np.repeat(tree.frame(tree.start, "tool")[None], times.size, axis=0)
    frames[:, :3, 3] += circle(times)
    state, angles = tree.start, []
    for frame in frames:
        state = fl.inverse_kinematics(tree, state, {"tool": frame})
        angles.append(tree.step_between(tree.start, state))
    rest = [(1, np.zeros(6)), (2, np.zeros(6))]
    path = make_interp_spline(times, angles, k=5, bc_type=(rest, rest))
    times = np.linspace(0.0, DURATION, 81).round(3)
    states = tree.moved(tree.start, step=path(times), rates=path(times, 1))
    torques = tree.inverse_dynamics(states, path(times, 2)).forces
    torques = (torques + STIFFNESS * path(times) + DAMPING * path(times, 1)).round(4)
    form = {"times": tuple(times.tolist()), "interpolation": fl.Interpolation.SMOOTH}
    tables = [fl.Table(values=tuple(row), **form) for row in torques.T.tolist()]
    motors = [fl.Motor(torque=1.0, over_time=table) for table in tables]
    names = [name.removesuffix(".angle") for name in tree.coordinates]
    return dict(zip(names, motors, strict=True))


def make_model() -> fl.Model:
    """The arm with its motors, springs and dampers."""
    weight = fl.Gravity("weight")
    bare = fl.read_urdf(URDF, folder=HERE)
    bare.add(weight)
    motors = plan(bare)
    pairs = zip(motors, STIFFNESS.tolist(), DAMPING.tolist(), strict=True)
    springs = {name: fl.JointSpring(stiffness=k, damping=d) for name, k, d in pairs}
    model = fl.read_urdf(URDF, motors=motors, springs=springs, folder=HERE)
    model.add(weight)
    return model


def main(*, draws: bool = True) -> fl.Results:
    """Run, tell how far the tool leaves the circle, save and draw."""
    motion = SOLVER.solve(make_model().build(folder=HERE), **RUN)
    place = motion.positions("tool")
    away = np.linalg.norm(place - place[0] - circle(motion.times), axis=1)
    print(f"the tool leaves the circle by at most {1e3 * away.max():.4f} mm")
    motion.save("robot_arm.h5")
    if draws:
        look = fl.Look(direction=(-1.0, 2.0, -0.6))
        fl.plot(motion, color="speed", time=0.9, look=look).save("robot_arm.png")
        fl.animate(motion, "robot_arm.gif", color="speed", look=look)
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
