"""``femlie warmup``: compile what models need, by running small ones."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from ..input_file import ModelFile
from ..input_file.reader import model_of_tree
from ..input_file.words import METHODS
from ..system import System
from .screen import DONE, ProgressBar, show

# small enough for explicit methods on the rod below
TIME_STEP, N_STEPS = 1e-6, 2
RAMP = {"times": [0.0, 1.0], "values": [0.0, 1.0]}
# every kind that has a kernel of its own, and every way through them
MODEL: dict[str, Any] = {
    "mesh": [
        {
            "line": {
                "start": [0, 0, 0],
                "end": [1, 0, 0],
                "n_elements": 2,
                "name": "rod",
            }
        },
        {
            "curve": {
                "curve": [[0, 0, 2], [1, 0, 2.2], [2, 0, 2]],
                "n_elements": 3,
                "name": "arch",
                "start": "arch start",
                "end": "arch end",
            }
        },
        {
            "line": {
                "start": [1, 0, 0],
                "end": [1, 0, 0.5],
                "n_elements": 1,
                "name": "tail",
                "start_name": "tail start",
                "end_name": "tail end",
            }
        },
    ],
    "section": {
        "round": {
            "shape": "circle",
            "radius": 0.01,
            "material": {"young": 1e9, "poisson": 0.3, "density": 1000.0},
        }
    },
    "beam": {
        "rod": {
            "cells": "rod",
            "section": "round",
            "rest_strain": [1e-9, 0, 0, 0, 0, 0],
            "rest_strain_over_time": RAMP,
            "drag": 0.1,
            "start_offset": [0, 0, 0.01],
        },
        "arch": {"cells": "arch", "section": "round", "curve": "smooth"},
        "tail": {"cells": "tail", "section": "round"},
    },
    "modal_body": {
        "stub": {
            "beams": ["tail"],
            "interfaces": ["tail start", "tail end"],
            "n_modes": 0,
        }
    },
    "rigid_link": {"hold": {"at": ["tail end", "blade"]}},
    "point_mass": {"knob": {"at": "arch end", "mass": 0.01}},
    "end_release": {
        "knee": {
            "beam": "rod",
            "at": "end",
            "kind": "revolute",
            "axis": [0, 1, 0],
            "spring": {"stiffness": 100.0},
        }
    },
    "initial_motion": {"nudge": {"velocity": [0, 0, 1e-12]}},
    "support": {
        "root": {"at": "start"},
        "foot": {"at": "arch start"},
        "slide": {
            "at": "arch end",
            "kind": "roller",
            "displacement": [0, 0, 1e-6],
            "over_time": RAMP,
        },
    },
    "body": {
        "arm": {"position": [1, 0, 0], "solid": {
            "shape": "box", "size": [0.1, 0.1, 0.1], "density": 100.0}},
        "blade": {"position": [1, 0, 0.5], "mass": 0.1, "inertia": [1e-4] * 3},
    },
    "joint": {
        "hinge": {
            "kind": "revolute",
            "parent": "end",
            "child": "arm",
            "axis": [0, 1, 0],
            "spring": {"stiffness": 1.0},
            "stop": {"upper": 1.0, "stiffness": 1.0},
            "motor": {"torque": 1e-3},
        },
        "drive": {
            "kind": "revolute",
            "parent": "arm",
            "child": "blade",
            "motor": {"motion": 1e-6, "over_time": RAMP},
        },
    },
    "frame_group": {"hybrid": {"on": ["blade"], "group": "so3_r3"}},
    "bushing": {
        "mount": {"first": "ground", "second": "blade", "stiffness": [1.0] * 6}
    },
    "spring_damper": {"tie": {"first": "start", "second": "arm", "stiffness": 1.0}},
    "force": {
        "push": {"at": "arm", "force": [0, 0, 0.1], "over_time": RAMP},
        "turn": {"at": "blade", "moment": [0, 0, 1e-3], "follower": True},
    },
    "line_load": {"wind": {"on": "rod", "force": [0, 0.1, 0]}},
    "gravity": {"gravity": {"acceleration": [0, 0, -9.81]}},
    "sensor": {
        "place": {"kind": "point", "at": "arm", "point": [0.1, 0, 0]},
        "gap": {"kind": "relative", "first": "start", "second": "arm"},
        "angle": {"kind": "joint", "joint": "hinge"},
        "moment": {
            "kind": "section_force",
            "beam": "rod",
            "component": "bending_moment_y",
        },
        "wall": {"kind": "reaction", "part": "root"},
    },
}  # fmt: skip

# two rods that are pressed crosswise above a floor, in static analyses only; they
# overlap a little at the start, so that what looks at that is compiled too
CONTACT_MODEL: dict[str, Any] = {
    "mesh": [
        {
            "line": {
                "start": start,
                "end": end,
                "n_elements": 2,
                "name": name,
                "start_name": f"{name} ends",
                "end_name": f"{name} end",
            }
        }
        for name, start, end in (
            ("over", [-1, 0, 0.0199], [1, 0, 0.0199]),
            ("under", [0, -1, 0], [0, 1, 0]),
        )
    ],
    "section": MODEL["section"],
    "beam": {name: {"cells": name, "section": "round"} for name in ("over", "under")},
    "support": {
        "push": {"at": "over ends", "displacement": [0, 0, -0.02]},
        "push too": {"at": "over end", "displacement": [0, 0, -0.02]},
        "hold": {"at": "under ends"},
        "hold too": {"at": "under end"},
    },
    "shape": {"floor": {"kind": "plane", "position": [0, 0, -1]}},
    "contact": {
        "touch": {"between": ["over", "under"]},
        "landing": {"between": ["under", "floor"]},
    },
    "analysis": {"method": "static"},
}


class Nothing:
    """An element of one's own that does nothing."""

    n_multipliers = 0

    def residual(self, local: Any) -> Any:
        """No wrench."""
        return np.zeros((local.twists.shape[0], 6 * local.twists.shape[1]))


def analyses() -> list[dict[str, Any]]:
    """A table ``[analysis]`` for each method, with error control and on a tree too."""
    in_time = {"duration": N_STEPS * TIME_STEP, "time_step": TIME_STEP}
    at_rest = ("static", "modal")
    found: list[dict[str, Any]] = [
        {"method": method, **({} if method in at_rest else in_time)}
        for method in METHODS
    ]
    others = (
        {"method": "generalized_alpha", "tolerance": 0.5},
        {"method": "munthe_kaas", "formulation": "tree"},
        {"method": "gauss_legendre", "formulation": "tree"},
        {"method": "generalized_alpha", "formulation": "tree"},
    )
    return found + [{**settings, **in_time} for settings in others]


def models() -> list[ModelFile]:
    """A model with every kind of part for each method, compiled and interpreted."""
    from ..parts.loads import Controller
    from ..parts.structure import UserElement

    found = [
        model_of_tree({**MODEL, "analysis": analysis}, Path("warmup"))
        for analysis in (*analyses(), *analyses())
    ]
    # a part in Python, and the same loops run interpreted and call compiled kernels
    for file in found[len(found) // 2 :]:
        file.model.add(UserElement("own", at=("arm",), element=Nothing()))
        file.model.add(
            Controller(
                "guard",
                sensors=("place", "gap", "angle", "moment"),
                function=lambda _time, _readings: 0.0,
                joint="hinge",
            )
        )
    return found


def warm_up() -> int:
    """Run the small models and ask for all results; what compiles is kept."""
    from .._jit import CACHE_FOLDER, IS_COMPILED
    from ..solvers import ahead

    if not IS_COMPILED:
        show("compilation is switched off (NUMBA_DISABLE_JIT)")
        return DONE
    start = time.perf_counter()
    runs = models()
    # all loops in a second process, while this one compiles kernels
    ahead.start_all(
        [file.analysis.solver.loop for file in runs if file.analysis is not None]
    )
    with ProgressBar() as progress:
        for number, file in enumerate(runs):
            assert file.analysis is not None
            progress(number / len(runs), file.analysis.method)
            ask(file.analysis.solve(file.build()))
        for tree in contact_models():
            file = model_of_tree(tree, Path("warmup"))
            assert file.analysis is not None
            file.analysis.solve(file.build())
        ask_tree(runs[0].build())
        compile_groups()
        compile_solvers()
    seconds = time.perf_counter() - start
    show(f"compiled in {seconds:.1f} s, kept in {CACHE_FOLDER}")
    return DONE


def contact_models() -> list[dict[str, Any]]:
    """Rods and shapes that touch, rods that rub on each other, and in motion."""
    touch = {"between": ["over", "under"]}
    rods = {key: value for key, value in CONTACT_MODEL.items() if key != "shape"}
    holds = {name: rods["support"][name] for name in ("hold", "hold too")}
    motion = {"method": "generalized_alpha", "duration": 2e-3, "time_step": 1e-4}
    fall = {"on": ["over"], "velocity": [0, 0, -10]}
    return [
        CONTACT_MODEL,
        {**rods, "contact": {"touch": {**touch, "friction": 0.2}}},
        {
            **rods,
            "support": holds,
            "contact": {"touch": touch},
            "initial_motion": {"fall": fall},
            "analysis": motion,
        },
    ]


def ask(results: Any) -> None:
    """Ask for every table, and what pictures ask for."""
    from typing import get_args

    from ..results import What

    for what in get_args(What):
        results.to_dataframe(what)
    results.rotations("arm")
    results.rotations("rod", as_vector=True)


def ask_tree(system: System) -> None:
    """Questions about the model in the coordinates of its joints."""
    from ..solvers.tree import Tree
    from ..solvers.tree_assembly import assemble

    tree = Tree(system)
    state = assemble(tree).state
    found = tree.forward_dynamics(state)
    tree.results(state, found)
    matrices = tree.matrices(state)
    matrices.centroidal_matrix()
    matrices.jacobian("arm")


def compile_groups() -> None:
    """Compile all operations on rotations, frames and poses."""
    from ..lie import quaternion, se3

    twist, pose = np.zeros((1, 6)), np.eye(1, 7, 3)
    turn, frame = pose[:, 3:], np.eye(4)[None]
    quaternion.multiply(turn, turn)
    quaternion.exp(quaternion.log(turn))
    quaternion.from_matrix(quaternion.to_matrix(turn))
    quaternion.rotate(turn, twist[:, :3])
    se3.log(se3.exp(twist))
    se3.pose_from_frame(se3.inverse(frame))
    se3.compose_poses(pose, se3.inverse_pose(pose))
    se3.relative_log(pose, pose)
    se3.tangent_operator(twist)
    se3.tangent_operator_inverse(twist)
    se3.tangent_operator_inverse_derivative(twist, twist)
    se3.tangent_operator_inverse_transposed_derivative(twist, twist)


def compile_solvers() -> None:
    """Compile what only dense factors and large lattices ask for."""
    from scipy.sparse import csc_matrix

    from ..linear import analyze, refactor, solve
    from ..linear.analysis import analyze_fronts
    from ..linear.dissection import dissection

    n = 96
    for skew in (0.0, 1.0):
        matrix = csc_matrix(1.0 + n * np.eye(n) + skew * np.tri(n))
        tree = dissection(matrix, n_multipliers=0, groups=None, places=None)
        for factorization in (
            analyze(matrix.indptr, matrix.indices, matrix.data, n_multipliers=0),
            analyze_fronts(matrix, tree, n_multipliers=0),
        ):
            refactor(factorization, matrix.data)
            solve(factorization, matrix.data, np.ones(n), np.zeros(n))
