"""No option is accepted and ignored: each other value acts, or is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.assembly import STATIC, Assembly
from femlie.parts import PART_KINDS
from femlie.system import System
from tests.property.model_states import random_state
from tests.property.other_options import other_records
from tests.property.random_models import random_model

ACTS, SAME, REFUSED = "acts", "same", "refused"
SEEDS = [21, 28] if IS_COMPILED else []
# together they set every option
ALL_OPTIONS = (21, 28, 31, 9, 5, 27, 2)
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(500, 530)]
# options that may change nothing in some models, and why
MAY_BE_IDLE = {
    "Beam.curve": "straight members are straight, cells of order 2 always smooth",
    "Beam.rest_shape": "a straight member is straight without stress",
    "Force.total": "one node has it all",
    "Stop.lower": "nothing comes there",
    "Stop.upper": "nothing comes there",
    "Stop.stiffness": "nothing comes there",
    "Stop.damping": "nothing comes there",
    "Stop.coordinate": "nothing comes there",
    "InitialMotion.on": "two names of one frame, or a later motion takes all",
    "InitialMotion.velocity": "a later motion takes all",
    "InitialMotion.angular_velocity": "a later motion takes all",
    "InitialMotion.about": "a later motion takes all",
}
# the same where a point mass without inertia, which does not turn, is about
IDLE_WITHOUT_TURNING = {
    "Bushing.position",
    "Bushing.orientation",
    "Bushing.stiffness",
    "Bushing.damping",
    "Force.moment",
    "Force.point",
    "Force.follower",
}
# options that no single change can show, and why
ALWAYS_REFUSED = {
    "Beam.cells": "lines belong to one beam",
    "EndRelease.beam": "another beam does not end there",
    "GeneralSection.compliance": "it is kept as a stiffness",
    "Body.surface_group": "there is one surface at most",
    "Support.over_time": "without displacement; else its table is what changes",
}


def fingerprint(system: System) -> list[Any]:
    """All that solvers, results and pictures take from a system, as arrays."""
    assembly = Assembly(system)
    catalog = system.catalog
    found = [system.state.poses, system.state.velocities, system.dofs.numbers]
    found.append(system.dofs.frame_groups)
    for time, is_moved in ((0.15, True), (0.7, False)):
        state = random_state(system, 1, time=time)
        if not is_moved:
            state = type(state)(**{**vars(state), "poses": system.state.poses})
        found += [assembly.residual(state, level) for level in range(3)]
        matrix = assembly.tangent(state, 0, mass=2.0, damping=3.0, stiffness=4.0)
        found += [matrix.toarray(), assembly.residual(state, regime=STATIC)]
    found += [catalog.support_points[name] for name in sorted(catalog.support_points)]
    found += [loop for loops in catalog.beams.loops for loop in loops]
    found += [surface.points for surface in catalog.surfaces.values()]
    return [np.asarray(array) for array in found]


def is_same(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def with_other(model: fl.Model, part: Any, other: Any) -> fl.Model:
    changed = fl.Model(model.mesh)
    for one in model.parts.values():
        changed.add(other if one is part else one)
    return changed


def outcomes(seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """Part, option, and what each other value of it does."""
    model = random_model(seed)
    before = fingerprint(model.build())
    beams = [name for name, part in model.parts.items() if isinstance(part, fl.Beam)]
    names = [*list(model.mesh.node_groups)[:4], *beams]
    for part in model.parts.values():
        for option, others in other_records(part, names):
            found = []
            for other in others:
                if isinstance(other, fl.FemlieError):
                    found.append(REFUSED)
                    continue
                try:
                    after = fingerprint(with_other(model, part, other).build())
                except fl.FemlieError:
                    found.append(REFUSED)
                else:
                    found.append(SAME if is_same(before, after) else ACTS)
            yield part.name, option, found


@pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
def test_other_values_act_or_are_refused(seed: int) -> None:
    idle = set(MAY_BE_IDLE)
    masses = [
        part
        for part in random_model(seed).parts.values()
        if isinstance(part, fl.PointMass)
    ]
    if any(mass.inertia is None for mass in masses):
        idle |= IDLE_WITHOUT_TURNING
    ignored = [
        f"{option} of '{name}'"
        for name, option, found in outcomes(seed)
        if found and set(found) == {SAME} and option not in idle
    ]
    assert not ignored, ignored


def options_of_parts() -> set[str]:
    """``Class.field`` of parts that random models have: no scripts, no groups.

    Modal bodies have tests of their own.
    """
    return {
        f"{kind.__name__}.{field.name}"
        for kind in PART_KINDS
        if kind not in (fl.UserElement, fl.Controller, fl.FrameGroup, fl.ModalBody)
        for field in dataclasses.fields(kind)
        if field.name != "name"
    }


@pytest.mark.slow
def test_every_option_of_every_part_acts_somewhere() -> None:
    acting: set[str] = set()
    for seed in ALL_OPTIONS:
        acting |= {option for _, option, found in outcomes(seed) if ACTS in found}
    # records within parts stand for the fields that hold them
    records = {
        "Beam.section": "CircularSection.radius",
        "Beam.rest_strain_over_time": "Table.values",
        "Joint.motor": "Motor.torque",
        "Joint.spring": "JointSpring.stiffness",
        "Joint.stop": "Stop.stiffness",
    }
    acting |= {option for option, inner in records.items() if inner in acting}
    assert options_of_parts() - acting - set(ALWAYS_REFUSED) == set()
