"""Blocks of sample elements of every kind, with every option."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import femlie as fl
from femlie.elements import _beam_geometry as beam_layout
from femlie.elements import _beam_kernel, base
from femlie.elements import _body_kernel as body_kernels
from femlie.lie import se3
from tests.block_case import random_pose
from tests.oracles import beam as oracle
from tests.oracles import body as body_oracle


def definite(rng: np.random.Generator, n: int = 6) -> Any:
    root = rng.normal(size=(n, n))
    return root @ root.T + n * np.eye(n)


def full_element(rng: np.random.Generator) -> oracle.Element:
    """An element with every option, strained and eccentric."""
    return oracle.Element(
        length=1.3,
        reference=np.array([1.3, 0, 0, 0.1, -0.2, 0.3]),
        stiffness=definite(rng),
        damping=definite(rng),
        mass=1.7,
        rotary=definite(rng, 3),
        center=0.2 * rng.normal(size=3),
        added_mass=0.4,
        drag=0.6,
        mass_damping=0.3,
        rest=0.1 * rng.normal(size=6),
        offsets=(random_pose(rng, 0.3), random_pose(rng, 0.3)),
    )


def beam_variants() -> dict[str, oracle.Element]:
    rng = np.random.default_rng(4)
    full = full_element(rng)
    none = (oracle.IDENTITY_POSE, oracle.IDENTITY_POSE)
    zero = np.zeros((6, 6))
    diagonal = np.diag([90.0, 30.0, 32.0, 3.0, 5.0, 7.0])
    return {
        "every option": full,
        "ends on nodes": replace(full, offsets=none),
        "ends and masses on nodes": replace(full, offsets=none, center=np.zeros(3)),
        "no damping": replace(full, damping=zero, drag=0.0, mass_damping=0.0),
        "no mass": replace(
            full, mass=0.0, added_mass=0.0, drag=0.0, rotary=np.zeros((3, 3))
        ),
        "no rest strain": replace(full, rest=np.zeros(6)),
        "diagonal stiffness": replace(full, stiffness=diagonal),
        "diagonal stiffness, no damping": replace(
            full, stiffness=diagonal, damping=zero, offsets=none
        ),
        "bushing": oracle.Element(
            length=1.0,
            reference=np.zeros(6),
            stiffness=full.stiffness,
            damping=full.damping,
            mass=0.0,
            rotary=np.zeros((3, 3)),
            offsets=full.offsets,
        ),
    }


def beam_block(elements: list[oracle.Element]) -> base.Block:
    """A chain of elements as the kernels see it; signal 2 drives the rest strain."""
    k = beam_layout
    n = len(elements)
    parameters = np.zeros((n, k.N_PARAMETERS))
    codes = np.zeros((n, k.N_CODES), dtype=np.int64)
    for i, e in enumerate(elements):
        line = e.mass + e.added_mass
        row = parameters[i]
        row[k.LENGTH] = e.length
        row[k.REFERENCE : k.REFERENCE + 6] = e.reference
        row[k.STIFFNESS : k.STIFFNESS + 36] = np.ravel(e.stiffness) / e.length
        row[k.DIAGONAL : k.DIAGONAL + 6] = np.diag(e.stiffness) / e.length
        row[k.DAMPING : k.DAMPING + 36] = np.ravel(e.damping) / e.length
        row[k.MASS] = line * e.length
        row[k.ROTARY : k.ROTARY + 9] = 0.5 * e.length * np.ravel(e.rotary)
        row[k.DRAG] = (e.mass_damping * line + e.drag) * e.length
        row[k.ROTARY_DRAG] = e.mass_damping
        row[k.REST : k.REST + 6] = e.length * np.asarray(e.rest)
        row[k.OFFSET_A : k.OFFSET_A + 7] = e.offsets[0]
        row[k.OFFSET_B : k.OFFSET_B + 7] = e.offsets[1]
        row[k.CENTER : k.CENTER + 3] = e.center
        codes[i] = (
            any(
                np.any(offset != np.array(oracle.IDENTITY_POSE)) for offset in e.offsets
            ),
            bool(np.any(e.center)),
            bool(np.any(e.damping)),
            bool(line + e.drag),
            2 if np.any(e.rest) else -1,
            not np.any(e.stiffness - np.diag(np.diag(e.stiffness))),
        )
    return base.Block(
        kind="beam",
        kernels=(_beam_kernel.evaluate, _beam_kernel.carry, _beam_kernel.observe),
        static_evaluate=_beam_kernel.evaluate_static,
        frames=np.column_stack([np.arange(n), np.arange(1, n + 1)]),
        codes=codes,
        parameters=parameters,
        names=tuple(f"{i}" for i in range(n)),
        n_iterates=k.N_ITERATES,
        n_outputs=k.N_OUTPUTS,
    )


def chain(n_elements: int, rng: np.random.Generator) -> Any:
    """Poses of a crooked chain of nodes about one apart."""
    poses = [random_pose(rng)]
    for _ in range(n_elements):
        step = np.array([1.2, 0, 0, 0, 0, 0]) + 0.3 * rng.normal(size=6)
        moved = se3.frame_from_pose(poses[-1]) @ se3.exp(step)
        poses.append(se3.pose_from_frame(moved))
    return np.array(poses)


def cloud_of_masses(seed: int) -> body_oracle.Cloud:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(7, 3)) + rng.normal(size=3)
    return body_oracle.Cloud(rng.uniform(0.2, 2.0, size=7), points)


def body_block(clouds: list[body_oracle.Cloud]) -> base.Block:
    parameters = [[c.mass, *c.first_moment, *c.inertia.ravel()] for c in clouds]
    n = len(clouds)
    return base.Block(
        kind="body",
        kernels=(body_kernels.evaluate_body, base.no_carry, body_kernels.observe_body),
        frames=np.arange(n)[:, None],
        codes=np.zeros((n, 0), dtype=np.int64),
        parameters=np.array(parameters),
        names=tuple(f"{k}" for k in range(n)),
    )


def load_block(kind: int, rng: np.random.Generator) -> base.Block:
    """Two loads on one frame; they ride on signals 1 and 3."""
    k = body_kernels
    parameters = rng.normal(size=(2, k.N_LOAD_PARAMETERS))
    if kind == k.WEIGHT:
        parameters[:, k.MOMENT : k.MOMENT + 3] = 0.0
    return base.Block(
        kind="load",
        kernels=(k.evaluate_load, base.no_carry, k.observe_load),
        frames=np.array([[0], [0]]),
        codes=np.array([[1, kind], [3, kind]]),
        parameters=parameters,
        names=("0", "1"),
        n_outputs=k.N_LOAD_OUTPUTS,
    )


def forked_body(n_modes: int = 4) -> fl.Model:
    """Three unequal beams that meet in one node, as a modal body of order one."""
    points = np.array([[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1.5, 0.4, 0.1]])
    points = np.vstack([points, [2.0, 0.8, 0.2], [1.4, -0.5, 0.3], [1.8, -0.9, 0.9]])
    pairs = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [2, 5], [5, 6]])
    groups = {"stem": [0], "left": [4], "right": [6]}
    mesh = fl.mesh_from_arrays(
        points, pairs, node_groups=groups, line_groups={"all": np.arange(6)}
    )
    stiff = np.diag([9.0, 8.0, 7.0, 3.0, 4.0, 5.0])
    mass = np.diag([2.0, 2.0, 2.0, 0.3, 0.2, 0.1])
    section = fl.GeneralSection(stiffness=stiff, mass_matrix=mass, damping=0.1 * stiff)
    model = fl.Model(mesh)
    model.add(fl.Beam("fork", cells="all", section=section))
    ports = ("stem", "left", "right")
    body = fl.ModalBody("body", beams=("fork",), interfaces=ports, n_modes=n_modes)
    model.add(body)
    return model
