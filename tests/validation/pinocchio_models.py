"""Models of Pinocchio as models of femlie, and how their coordinates correspond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import femlie as fl
from femlie.lie import so3

KINDS = {
    "JointModelSpherical": fl.SPHERICAL,
    "JointModelPlanar": fl.PLANAR,
    "JointModelFreeFlyer": None,
}
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def kind_and_axis(joint: Any) -> tuple[Any, Any]:
    """Kind of a joint of Pinocchio and its axis in the joint's frame."""
    name = joint.shortname()
    if name in KINDS:
        return KINDS[name], AXES["Z"]
    letter = name.removeprefix("JointModel")
    kind = fl.PRISMATIC if letter.startswith("P") else fl.REVOLUTE
    if letter[-1] in AXES:
        return kind, AXES[letter[-1]]
    return kind, tuple(joint.extract().axis)


def femlie_model(model: Any) -> fl.Model:
    """Bodies at the joint frames of Pinocchio's neutral configuration."""
    data = model.createData()
    pin.forwardKinematics(model, data, pin.neutral(model))
    built = fl.Model()
    for i in range(1, model.njoints):
        inertia = model.inertias[i]
        pose = data.oMi[i]
        built.add(
            fl.Body(
                model.names[i],
                position=tuple(pose.translation),
                orientation=tuple(so3.log(pose.rotation)),
                mass=float(inertia.mass),
                inertia=np.array(inertia.inertia),
                center=tuple(inertia.lever),
            )
        )
    for i in range(1, model.njoints):
        kind, axis = kind_and_axis(model.joints[i])
        if kind is None:
            continue
        parent = model.parents[i]
        pose = data.oMi[i]
        built.add(
            fl.Joint(
                f"joint {model.names[i]}",
                kind,
                parent=fl.GROUND if parent == 0 else model.names[parent],
                child=model.names[i],
                axis=tuple(pose.rotation @ np.array(axis)),
                position=tuple(pose.translation),
            )
        )
    gravity = tuple(model.gravity.linear)
    built.add(fl.Gravity("weight", acceleration=gravity))
    return built


def coordinate_map(tree: fl.Tree, model: Any) -> Any:
    """Matrix from Pinocchio's rates to those of a tree, one block a joint."""
    data = model.createData()
    pin.forwardKinematics(
        model, data, pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    )
    tree.place(tree.start)
    names = tree.system.catalog
    matrix = np.zeros((tree.n_coordinates, model.nv))
    for b, frame in enumerate(tree.problem.tree.frames.tolist()):
        nodes = np.flatnonzero(names.node_frames == frame)
        owner = next(n for n, g in names.groups.items() if set(g) == set(nodes))
        i = model.getJointId(owner)
        n, at = model.joints[i].nv, model.joints[i].idx_v
        own = tree.problem.geometry.directions[b, :n].T
        theirs = np.array(data.joints[i].S)
        first = int(tree.problem.tree.kinds[b, 4])
        matrix[first : first + n, at : at + n] = np.linalg.pinv(own) @ theirs
    return matrix


def random_tree(n: int, rng: np.random.Generator) -> Any:
    """A tree of Pinocchio with random joints, places and inertias."""
    model = pin.Model()
    kinds = (
        pin.JointModelRX,
        pin.JointModelRY,
        pin.JointModelRZ,
        pin.JointModelPX,
        pin.JointModelPZ,
        pin.JointModelSpherical,
        pin.JointModelPlanar,
        pin.JointModelFreeFlyer,
    )
    # depth first, which Pinocchio's mass matrix takes for granted
    path = [0]
    for i in range(n):
        depth = int(rng.integers(0, len(path)))
        parent = path[depth]
        # free bodies of femlie are free of the ground
        kind = kinds[int(rng.integers(0, len(kinds) - (parent > 0)))]
        place = pin.SE3(so3.exp(rng.normal(size=3)), rng.normal(size=3))
        joint = model.addJoint(parent, kind(), place, f"link {i}")
        path = [*path[: depth + 1], joint]
        root = rng.normal(size=(3, 3))
        spread = root @ root.T + 0.1 * np.eye(3)
        inertia = np.trace(spread) * np.eye(3) - spread
        model.appendBodyToJoint(
            joint,
            pin.Inertia(float(rng.uniform(0.5, 2.0)), rng.normal(size=3), inertia),
            pin.SE3.Identity(),
        )
    return model
