"""A built model as a tree: structure, reduced equations, work arrays."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from .. import _equations as eq
from .._jit import IS_COMPILED, address, by_reference
from ..assembly import Assembly
from ..elements import _body_kernel
from ..elements.base import Array, IntArray, Motion
from ..recursive._closing import close_loops
from ..recursive._data import IS_REVERSED, Closing, Whole
from ..recursive._dynamics import perform
from ..recursive._problem import DYNAMICS, LOOPS, STEPS, TANGENT, Problem
from ..recursive._steps import step
from ..recursive._tangent import fill_tangent
from ..recursive.edges import coupled_frames
from ..recursive.reduction import multiplier_places, reduced_system
from ..recursive.structure import (
    Structure,
    new_factors,
    new_geometry,
    new_relative,
    spanning_tree,
)
from ..recursive.tangent import Equations, Pattern, newton_pattern, no_newton
from ..system import ANGLE_ROW, PLACE_ROW, System
from . import _tree_dynamics as dynamics
from .march import run

# kinds whose part of the mass matrix is constant in the frames of the bodies, or none
CONSTANT = (_body_kernel.evaluate_body, _body_kernel.evaluate_load)

# of the assemblies that are in use
_STRUCTURES: WeakKeyDictionary[Assembly, dict[tuple[str, ...], Structure]] = (
    WeakKeyDictionary()
)
# in the order of DYNAMICS, STEPS, LOOPS, TANGENT
KERNELS = (perform, step, close_loops, fill_tangent)


class Uses(Enum):
    """What a problem is for: kernels that are not used are not compiled."""

    QUESTIONS = "questions"
    STEPS = "steps"
    NEWTON = "newton"


class NewProblem(NamedTuple):
    """What `new_problem` gives.

    Attributes
    ----------
    problem : Problem
    compiled : Problem
        The same arrays for compiled loops, held by reference.
    reduced : Assembly
        The model without what the tree's joints hold.
    pattern : Pattern or None
        Of the matrix of a Newton step.
    """

    problem: Problem
    compiled: Any
    reduced: Assembly
    pattern: Pattern | None


def structure_of(assembly: Assembly, cut: Sequence[str] = ()) -> Structure:
    """Spanning tree of a model, found once for an assembly.

    Parameters
    ----------
    assembly : Assembly
    cut : sequence of str
        Joints to cut where they lie on a loop.

    Returns
    -------
    Structure
        Not to be changed.
    """
    known = _STRUCTURES.setdefault(assembly, {})
    names = tuple(cut)
    if names not in known:
        known[names] = _find_structure(assembly, names)
    return known[names]


def _find_structure(assembly: Assembly, cut: tuple[str, ...]) -> Structure:
    system = assembly.system
    n = system.dofs.n_frame_rows
    matrix = assembly.tangent(system.state, 2, mass=1.0, stiffness=0.0)[:n, :n].tocoo()
    owner = np.zeros(n, dtype=np.int64)
    numbers = system.dofs.numbers
    frames = np.broadcast_to(np.arange(len(numbers))[:, None], numbers.shape)
    owner[numbers[numbers >= 0]] = frames[numbers >= 0]
    coupled = coupled_frames(matrix.data, matrix.row, matrix.col, owner)
    bodies = [block for block in system.blocks if block.kind == "modal_body"]
    cliques = [frames for block in bodies for frames in block.frames]
    coupled = [p for p in coupled if not any(np.isin(p, c).all() for c in cliques)]
    return spanning_tree(system, coupled, cliques=cliques, cut=cut)


def new_problem(
    assembly: Assembly,
    structure: Structure,
    motion: Motion,
    *,
    uses: Uses = Uses.QUESTIONS,
) -> NewProblem:
    """Arrays of a tree, for Python and for compiled drivers.

    Parameters
    ----------
    assembly : Assembly
        Of the whole model.
    structure : Structure
    motion : Motion
        Arrays of the whole model that the tree moves.
    uses : Uses
        What compiled loops do with it.

    Returns
    -------
    NewProblem
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
    ties = structure.ties
    held, held_slots = held_joints(assembly, structure)
    is_newton = uses is Uses.NEWTON
    pattern = _newton_pattern(reduced, structure, rows, m) if is_newton else None
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
        newton=no_newton() if pattern is None else pattern.newton,
        rows=rows,
        inertia_slots=inertia_slots,
        coupling_slots=_slots_of(slots, parent_rows, rows),
        tie_slots=_slots_of(slots, rows[ties[:, 0]], rows[ties[:, 1]]),
        sizes=np.array(
            [int(_has_fixed_inertia(reduced, m)), reduced.system.dofs.n_frame_rows]
        ),
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
    problem, compiled = _with_kernels(problem, uses)
    return NewProblem(problem, compiled, reduced, pattern)


def _has_fixed_inertia(reduced: Assembly, m: int) -> bool:
    """Whether the mass matrix never changes, so that nothing asks for it again."""
    return m == 0 and all(
        block.kernels[0] in CONSTANT or block.kind == "joint"
        for block in reduced.system.blocks
    )


def _newton_pattern(
    reduced: Assembly, structure: Structure, rows: IntArray, m: int
) -> Pattern:
    """Pattern of the matrix of a Newton step."""
    bodies = _bodies(rows, rows.size)
    return newton_pattern(
        structure.tree, Equations(reduced.indptr, reduced.indices, bodies, m)
    )


def _bodies(rows: IntArray, n: int) -> IntArray:
    """Body of every six rows."""
    bodies = np.zeros(n, dtype=np.int64)
    bodies[rows // 6] = np.arange(n)
    return bodies


def _with_kernels(problem: Problem, uses: Uses) -> tuple[Problem, Any]:
    """The problem for Python, and for compiled loops that call some of the kernels."""
    roles = [DYNAMICS, *([LOOPS] if problem.gaps.size else [])]
    roles += [STEPS] if uses is not Uses.QUESTIONS else []
    roles += [TANGENT] if uses is Uses.NEWTON else []
    functions = np.empty((1, len(KERNELS)), dtype=object)
    if not IS_COMPILED:
        functions[0] = KERNELS
        problem = problem._replace(functions=functions)
        return problem, problem
    parts = (
        "tree", "relative", "geometry", "factors", "closing", "whole", "newton",
    )  # fmt: skip
    held: Any = {name: by_reference(getattr(problem, name)) for name in parts}
    compiled = by_reference(problem._replace(**held))
    for role in roles:
        problem.functions[0, role] = address(KERNELS[role], (compiled, 0))
    for role, kernel in enumerate(KERNELS):
        # Python gives the arrays themselves, kernels take them by reference
        functions[0, role] = lambda _, task, kernel=kernel: kernel(compiled, task)
    return problem._replace(functions=functions), compiled


def loop_kinds(system: System, structure: Structure, places: IntArray) -> IntArray:
    """Kinds of the constraints that close loops.

    Parameters
    ----------
    system : System
    structure : Structure
    places : (m,) int array
        Their multipliers in the model, -1 for supports.

    Returns
    -------
    (m,) int array
    """
    own = system.dofs.multiplier_kinds
    kinds = [int(own[k]) for k in places if k >= 0]
    for edge in structure.cut_locks:
        held = [i for i in range(6) if i not in edge.directions]
        kinds += [PLACE_ROW if i < 3 else ANGLE_ROW for i in held]
    return np.array(kinds, dtype=np.int64)


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
    factors.ties[:] = data[problem.tie_slots].reshape(factors.ties.shape)
    factors.has_coupling[:] |= np.any(factors.couplings != 0.0, axis=(1, 2))


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
    body_of = _bodies(rows, rows.size)
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
