"""A built model as a tree: structure, reduced equations, work arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _equations as eq
from .._jit import IS_COMPILED, address, by_reference
from ..assembly import Assembly
from ..elements import _body_kernel
from ..elements.base import Array, IntArray, Motion
from ..recursive._closing import close_loops
from ..recursive._data import IS_REVERSED, Closing, Whole
from ..recursive._dynamics import perform
from ..recursive._problem import DYNAMICS, LOOPS, STEPS, Problem
from ..recursive._steps import step
from ..recursive.edges import coupled_frames
from ..recursive.reduction import multiplier_places, reduced_system
from ..recursive.structure import (
    Structure,
    new_factors,
    new_geometry,
    new_relative,
    spanning_tree,
)
from . import _tree_dynamics as dynamics
from .march import run

# kinds whose part of the mass matrix is constant in the frames of the bodies, or none
CONSTANT = (_body_kernel.evaluate_body, _body_kernel.evaluate_load)

# in the order of DYNAMICS, STEPS, LOOPS
KERNELS = (perform, step, close_loops)


def structure_of(assembly: Assembly, cut: Sequence[str] = ()) -> Structure:
    """Spanning tree of a model.

    Parameters
    ----------
    assembly : Assembly
    cut : sequence of str
        Joints to cut where they lie on a loop.

    Returns
    -------
    Structure
    """
    system = assembly.system
    n = system.dofs.n_frame_rows
    # a run may go on from a state whose joints have counted their turns
    history = assembly.equations.history.copy()
    matrix = assembly.tangent(system.state, 2, mass=1.0, stiffness=0.0)[:n, :n].tocoo()
    assembly.equations.history[:] = history
    owner = np.zeros(n, dtype=np.int64)
    numbers = system.dofs.numbers
    frames = np.broadcast_to(np.arange(len(numbers))[:, None], numbers.shape)
    owner[numbers[numbers >= 0]] = frames[numbers >= 0]
    coupled = coupled_frames(matrix.data, matrix.row, matrix.col, owner)
    return spanning_tree(system, coupled, cut=cut)


def new_problem(
    assembly: Assembly,
    structure: Structure,
    motion: Motion,
    *,
    with_steps: bool = False,
) -> tuple[Problem, Any, Assembly]:
    """Arrays of a tree, for Python and for compiled drivers.

    Parameters
    ----------
    assembly : Assembly
        Of the whole model.
    structure : Structure
    motion : Motion
        Arrays of the whole model that the tree moves.
    with_steps : bool
        Whether compiled loops take steps, instead of asking questions only.

    Returns
    -------
    problem : Problem
    compiled : Problem
        The same arrays for compiled loops, held by reference.
    reduced : Assembly
        The model without what the tree's joints hold.
    """
    system = assembly.system
    reduced = Assembly(reduced_system(system, structure))
    places = multiplier_places(system, structure)
    n, m = structure.n_bodies, places.size
    k = structure.n_coordinates
    rows = np.ascontiguousarray(
        reduced.system.dofs.numbers[structure.tree.frames, 0], dtype=np.int64
    )
    slots = _slot_table(reduced)
    inertia_slots = _slots_of(slots, rows, rows)
    parents = structure.tree.parents
    parent_rows = np.where(parents >= 0, rows[np.maximum(parents, 0)], -1)
    is_fixed = m == 0 and all(
        block.kernels[0] in CONSTANT or block.kind == "joint"
        for block in reduced.system.blocks
    )
    held, held_slots = held_joints(assembly, structure)
    problem = Problem(
        functions=np.zeros((1, len(KERNELS)), np.uint64),
        # as many multipliers as the model has, for controllers that read its joints
        motion=motion._replace(multipliers=np.zeros(max(m, system.dofs.n_multipliers))),
        target=reduced.target,
        tree=structure.tree,
        relative=new_relative(structure),
        geometry=new_geometry(structure),
        factors=new_factors(structure),
        closing=_new_closing(reduced, structure, rows, m),
        whole=Whole(
            held=held,
            held_slots=held_slots,
            places=places,
            data=assembly.target.data,
            multipliers=motion.multipliers,
            work=np.zeros((6, 13)),
        ),
        rows=rows,
        inertia_slots=inertia_slots,
        coupling_slots=_slots_of(slots, parent_rows, rows),
        sizes=np.array([int(is_fixed), reduced.system.dofs.n_frame_rows]),
        given=np.zeros(k),
        forces=np.zeros(k),
        loads=np.zeros((n, 6)),
        second_rates=np.zeros(k),
        joint_forces=np.zeros(k),
        driven_forces=np.zeros(structure.n_driven),
        wrenches=np.zeros((n, 6)),
        changes=np.zeros((n, 6)),
        gaps=np.zeros(m),
        multipliers=np.zeros(m),
        work=np.zeros(m),
        extra=np.zeros(k),
        axes=np.zeros((8, 6)),
        bases=np.zeros((n, 7)),
        steps=np.zeros(k),
        slopes=np.zeros(k),
        twist=np.zeros((2, 6)),
        turn=np.zeros(1),
        status=np.zeros(1, np.int64),
    )
    _find_couplings(reduced, problem)
    roles = [DYNAMICS, *([STEPS] if with_steps else []), *([LOOPS] if m else [])]
    problem, compiled = _with_kernels(problem, roles)
    return problem, compiled, reduced


def _with_kernels(problem: Problem, roles: Sequence[int]) -> tuple[Problem, Any]:
    """The problem for Python, and for compiled loops that call some of the kernels."""
    functions = np.empty((1, len(KERNELS)), dtype=object)
    if not IS_COMPILED:
        functions[0] = KERNELS
        problem = problem._replace(functions=functions)
        return problem, problem
    parts = ("tree", "relative", "geometry", "factors", "closing", "whole")
    held: Any = {name: by_reference(getattr(problem, name)) for name in parts}
    compiled = by_reference(problem._replace(**held))
    for role in roles:
        problem.functions[0, role] = address(KERNELS[role], (compiled, 0))
    for role, kernel in enumerate(KERNELS):
        # Python gives the arrays themselves, kernels take them by reference
        functions[0, role] = lambda _, task, kernel=kernel: kernel(compiled, task)
    return problem._replace(functions=functions), compiled


def measured_gaps(reduced: Assembly, problem: Problem, level: int) -> Array:
    """(m,) constraints of the loops on a level, at the present motion."""
    run(reduced, dynamics.measure_gaps, problem, level)
    first = reduced.system.dofs.n_frame_rows
    problem.gaps[:] = problem.target.residual[first : first + problem.gaps.size]
    return problem.gaps


def _find_couplings(reduced: Assembly, problem: Problem) -> None:
    """Which bodies share inertia with their parent, and inertias that stay."""
    run(reduced, dynamics.evaluate, problem, 2, 1.0)
    data = np.append(problem.target.data, 0.0)
    factors, shape = problem.factors, problem.factors.inertias.shape
    factors.inertias[:] = data[problem.inertia_slots].reshape(shape)
    factors.couplings[:] = data[problem.coupling_slots].reshape(shape)
    factors.has_coupling[:] = np.any(factors.couplings != 0.0, axis=(1, 2))


def _slot_table(assembly: Assembly) -> dict[tuple[int, int], int]:
    """Place in the data of each entry of the frame rows and columns."""
    n = assembly.system.dofs.n_frame_rows
    columns = np.repeat(np.arange(assembly.indptr.size - 1), np.diff(assembly.indptr))
    chosen = (columns < n) & (assembly.indices < n)
    at = np.flatnonzero(chosen)
    rows = assembly.indices[at] // 6
    keys = zip(rows.tolist(), (columns[at] // 6).tolist(), strict=True)
    table: dict[tuple[int, int], Any] = {}
    for key, slot in zip(keys, at.tolist(), strict=True):
        table.setdefault(key, []).append(slot)
    return table


def _slots_of(table: Any, rows: IntArray, columns: IntArray) -> IntArray:
    """(n, 36) places of 6x6 blocks; a block is whole, column after column."""
    slots = np.full((rows.size, 36), -1, dtype=np.int64)
    for b in range(rows.size):
        found = table.get((int(rows[b]) // 6, int(columns[b]) // 6))
        if rows[b] >= 0 and found is not None and len(found) == 36:
            slots[b] = np.array(found).reshape(6, 6).T.reshape(-1)
    return slots


def _new_closing(
    reduced: Assembly, structure: Structure, rows: IntArray, m: int
) -> Closing:
    """Where the columns ``B^T`` of the loops' multipliers stand."""
    body_of = np.full(reduced.system.dofs.n_frame_rows // 6 + 1, -1, dtype=np.int64)
    body_of[rows // 6] = np.arange(rows.size)
    first = reduced.system.dofs.n_frame_rows
    starts = np.zeros(m + 1, dtype=np.int64)
    entries: list[tuple[int, int, int]] = []
    for k in range(m):
        for slot in range(
            int(reduced.indptr[first + k]), int(reduced.indptr[first + k + 1])
        ):
            row = int(reduced.indices[slot])
            if row < first:
                entries.append((int(body_of[row // 6]), row % 6, slot))
        starts[k + 1] = len(entries)
    squares = [np.zeros((m, m)) for _ in range(3)]
    return Closing(
        starts=starts,
        entries=np.array(entries, dtype=np.int64).reshape(-1, 3),
        carried=np.zeros((m, structure.n_coordinates)),
        matrix=squares[0],
        triangle=squares[1],
        normal=squares[2],
        scale=np.zeros(m),
        order=np.zeros(m, np.int64),
        rank=np.zeros(1, np.int64),
        touched=np.zeros(structure.n_bodies, np.int64),
    )


def held_joints(assembly: Assembly, structure: Structure) -> tuple[IntArray, IntArray]:
    """Joints of the tree with multipliers, and places of their ``B^T``.

    Parameters
    ----------
    assembly : Assembly
        Of the whole model.
    structure : Structure

    Returns
    -------
    held : (k, 3) int array
        Body, number of multipliers, number of the first one in the model.
    slots : (k, 36) int array
        Six places for each multiplier, -1 for locked directions.
    """
    equations = assembly.equations
    n_rows, first_row = assembly.system.dofs.n_rows, assembly.system.dofs.n_frame_rows
    held, places = [], []
    for b, edge in enumerate(structure.edges):
        if edge.element is None:
            continue
        t = equations.table[edge.element[0]]
        width = int(t[eq.N_ROWS])
        m = width - 12
        at = int(t[eq.ROWS_AT]) + width * edge.element[1]
        rows = equations.rows[at : at + width]
        at = int(t[eq.SLOTS_AT]) + width * width * edge.element[1]
        slots = equations.slots[at : at + width * width].astype(np.int64)
        side = 0 if structure.tree.kinds[b, IS_REVERSED] else 6
        own = np.full(36, -1, dtype=np.int64)
        for h in range(m):
            for j in range(6):
                if rows[side + j] < n_rows:
                    own[6 * h + j] = slots[(side + j) * width + 12 + h]
        held.append((b, m, int(rows[12]) - first_row))
        places.append(own)
    return (
        np.array(held, dtype=np.int64).reshape(-1, 3),
        np.array(places, dtype=np.int64).reshape(-1, 36),
    )
