"""A model in the coordinates of its joints: dynamics forwards, backwards and mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _jit
from .._equations import update_signals
from ..assembly import Assembly
from ..elements.base import Array, IntArray
from ..errors import ConvergenceError, ModelError
from ..records import layout_of
from ..recursive.reduction import history_places
from ..results import Results
from ..system import State, System
from ..tracking import named_points
from . import _tree_answers as questions
from . import _tree_dynamics as dynamics
from .march import run
from .start import ALLOWED_GAP, ROUNDING_GAP, massless_message
from .tree_coordinates import (
    TreeMotion,
    TreeState,
    coordinate_names,
    coordinate_vector,
    find_coordinate,
)
from .tree_matrices import Matrices
from .tree_moves import moved_state, point_frames, step_between
from .tree_problem import new_problem, structure_of
from .tree_questions import largest_contradiction, new_answers, rows_of, set_loads
from .tree_results import model_results, model_state
from .tree_state import counted, place_history, take_state

Values = npt.ArrayLike | Mapping[str, float]


class Tree:
    """A model in relative coordinates along its tree.

    Wrenches come from the blocks of the model: weight, springs, dampers, motors, beams
    and loads act as they do in every other solver. Everything is O(n) in the number of
    bodies, but for matrices, and for loops, whose constraints cost the cube of their
    number. Contacts and hard stops are left out.

    Parameters
    ----------
    system : System
        From `Model.build`.
    cut : sequence of str
        Joints that are cut where they lie on a loop. Others are cut where they hold
        least.

    Attributes
    ----------
    start : TreeState
        Where the model starts.
    gaps : dict of str -> (float, float)
        Joints of the tree that did not fit at the start, and by how much [m, rad].

    References
    ----------
    Park, Bobrow, Ploen 1995; Featherstone 2008.
    """

    def __init__(self, system: System, *, cut: Sequence[str] = ()) -> None:
        self.system = system
        self.assembly = Assembly(system)
        self.layout = layout_of(system)
        self.structure = structure_of(self.assembly, cut)
        self.motion = self.assembly.motion(system.state)
        found = new_problem(self.assembly, self.structure, self.motion)
        self.problem, self._compiled, self.reduced = found[:3]
        self.loop_multipliers = self.problem.whole.places
        self._history_places = history_places(system, self.structure)
        self._names = coordinate_names(system, self.structure)
        gaps = take_state(
            self.problem, self.structure, self.reduced, system.state.velocities
        )
        allowed = ROUNDING_GAP * np.array([system.size, 1.0])
        apart = np.flatnonzero(np.any(gaps > allowed, axis=1))
        self.gaps = {
            self.structure.edges[b].name: (float(gaps[b, 0]), float(gaps[b, 1]))
            for b in apart.tolist()
        }
        self.start = self._present(system.state)

    @property
    def n_coordinates(self) -> int:
        """Free coordinates of all joints."""
        return self.structure.n_coordinates

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the free coordinates, such as ``"hinge.angle"``."""
        return self._names

    @property
    def driven(self) -> tuple[str, ...]:
        """Joints whose motors prescribe a motion, one name a driven coordinate."""
        edges = self.structure.edges
        return tuple(edge.name for edge in edges for _ in edge.driven)

    @property
    def cut_joints(self) -> tuple[str, ...]:
        """Parts that close loops."""
        blocks = self.system.blocks
        names = [blocks[b].names[k] for b, k in self.structure.cut_joints]
        return (*names, *(edge.name for edge in self.structure.cut_locks))

    def _present(self, state: State) -> TreeState:
        relative = self.problem.relative
        return TreeState(
            frames=relative.frames.copy(),
            rates=relative.rates.copy(),
            time=float(state.time),
            history=tuple(np.array(h) for h in state.history or self.start.history),
        )

    def state_at(self, state: State) -> TreeState:
        """Relative coordinates nearest to the frames and velocities of a state."""
        motion = self.problem.motion
        motion.time[0] = state.time
        motion.poses[:] = state.poses
        take_state(self.problem, self.structure, self.reduced, state.velocities)
        return self._present(state)

    def moved(
        self,
        state: TreeState,
        *,
        step: Values | None = None,
        rates: Values | None = None,
    ) -> TreeState:
        """A state with its coordinates moved by a step, and with other rates.

        Parameters
        ----------
        state : TreeState
        step : (..., n_coordinates) array, or dict of coordinate -> float, or None
            Added in the joints' own groups [m, rad]; with many rows, many states.
        rates : the same, or None
            Instead of the state's rates [m/s, rad/s].

        Returns
        -------
        TreeState
        """
        steps = None if step is None else coordinate_vector(self._names, step)
        speeds = state.rates if rates is None else coordinate_vector(self._names, rates)
        moved = moved_state(self.problem, state, steps, speeds)
        return moved if steps is None else counted(self, moved, steps)

    def step_between(self, first: TreeState, second: TreeState) -> Array:
        """Steps that move one state to another: ``moved`` in reverse.

        Parameters
        ----------
        first, second : TreeState
            One or many.

        Returns
        -------
        (..., n_coordinates) array
            From `start`, values of the coordinates [m, rad]; turns up to pi, but for
            those of screws.
        """
        return step_between(self.structure, first.frames, second.frames)

    def place(self, state: TreeState) -> None:
        """Put one state into the arrays that `problem` holds, accelerations zero."""
        problem = self.problem
        problem.motion.time[0] = state.time
        run(self.reduced, update_signals, problem.motion)
        self._take_history(state)
        problem.relative.frames[:] = state.frames
        problem.relative.rates[:] = state.rates
        problem.given[:] = 0.0
        problem.loads[:] = 0.0
        problem.factors.is_held[:] = 0
        dynamics.place_bodies(problem)

    def point(self, name: str) -> tuple[int, Array]:
        """Body of the tree that carries a body or node, and its pose in it (7,)."""
        points = named_points(self.layout, name, error=ModelError)
        body_of = {int(f): b for b, f in enumerate(self.problem.tree.frames)}
        frame = int(points.frames[0])
        if points.frames.size == 1 and frame >= self.layout.n_frames:
            raise ModelError(
                f"'{name}' lies inside a modal body and is no body of the tree: name "
                "it in interfaces of the modal body, or ask for one of these."
            )
        if points.frames.size != 1 or frame not in body_of:
            raise ModelError(
                f"'{name}' is {points.frames.size} points or stands still: name one "
                "body or node that moves."
            )
        return body_of[frame], np.asarray(points.offsets[0])

    def frame(self, state: TreeState, name: str) -> Array:
        """Frame of a body, in its own axes, or of a node: world axes at the start.

        Parameters
        ----------
        state : TreeState
            One or many.
        name : str

        Returns
        -------
        (..., 4, 4) array
        """
        return point_frames(self, state, name)

    def matrices(self, state: TreeState) -> Matrices:
        """Inertia, Jacobians, momentum and derivatives at one state."""
        return Matrices(self, state)

    def state(self, state: TreeState, motion: TreeMotion) -> State:
        """State of all frames of the model, with the multipliers of all joints."""
        return model_state(self, state, motion)

    def results(self, state: TreeState, motion: TreeMotion) -> Results:
        """Reactions, energies and pictures of one state, or of many as rows."""
        return model_results(self, state, motion)

    def forward_dynamics(
        self,
        state: TreeState,
        *,
        forces: Values | None = None,
        wrenches: Mapping[str, Sequence[float]] | None = None,
    ) -> TreeMotion:
        """Accelerations under forces along the coordinates.

        Parameters
        ----------
        state : TreeState
            One or many.
        forces : (..., n_coordinates) array, dict, or None
            Added to springs, dampers and motors of the model [N, N m].
        wrenches : dict of body or node -> (6,), or None
            Force and moment at its frame, world axes [N, N m].

        Returns
        -------
        TreeMotion
        """
        return self.mixed_dynamics(state, forces=forces, wrenches=wrenches)

    def mixed_dynamics(
        self,
        state: TreeState,
        *,
        second_rates: Mapping[str, npt.ArrayLike] | None = None,
        forces: Values | None = None,
        wrenches: Mapping[str, Sequence[float]] | None = None,
    ) -> TreeMotion:
        """Accelerations where forces are given, and forces where accelerations are.

        Parameters
        ----------
        state : TreeState
            One or many.
        second_rates : dict of coordinate -> float or (...) array, or None
            Coordinates whose acceleration is given [m/s^2, rad/s^2].
        forces, wrenches
            As in `forward_dynamics`.

        Returns
        -------
        TreeMotion

        Raises
        ------
        ModelError
            If the given accelerations contradict the model's loops.
        """
        held = np.zeros(self.n_coordinates, dtype=np.int64)
        given = np.zeros((*np.shape(state.rates)[:-1], self.n_coordinates))
        for name, values in (second_rates or {}).items():
            k = find_coordinate(self._names, name)
            held[k] = 1
            given[..., k] = values
        found = self._ask(questions.FORWARD, state, given, held, forces, wrenches)
        if held.any() and largest_contradiction(self, state, found) > ALLOWED_GAP:
            raise ModelError(
                f"The accelerations given for {sorted(second_rates or {})} contradict "
                "the loops of the model: give as many as it has free motions."
            )
        return found

    def inverse_dynamics(
        self,
        state: TreeState,
        second_rates: Values,
        *,
        actuated: Sequence[str] | None = None,
        wrenches: Mapping[str, Sequence[float]] | None = None,
    ) -> TreeMotion:
        """Forces along the coordinates that given accelerations need.

        Parameters
        ----------
        state : TreeState
            One or many.
        second_rates : (..., n_coordinates) array or dict
            [m/s^2, rad/s^2].
        actuated : sequence of str or None
            With loops: coordinates that carry the forces, as many as the model has free
            motions; the others follow, whatever their second rates say.
        wrenches
            As in `forward_dynamics`.

        Returns
        -------
        TreeMotion

        Raises
        ------
        ModelError
            If the model has loops and nothing says where forces act.
        """
        values = coordinate_vector(self._names, second_rates)
        if self.loop_multipliers.size:
            if actuated is None:
                raise ModelError(
                    "The model has loops, so that many forces give the same motion: "
                    "say where they act by actuated=(...)."
                )
            chosen = {
                name: values[..., find_coordinate(self._names, name)]
                for name in actuated
            }
            return self.mixed_dynamics(state, second_rates=chosen, wrenches=wrenches)
        held = np.zeros(self.n_coordinates, dtype=np.int64)
        return self._ask(questions.INVERSE, state, values, held, None, wrenches)

    def _ask(
        self,
        question: int,
        state: TreeState,
        second_rates: Array,
        held: IntArray,
        forces: Any,
        wrenches: Mapping[str, Sequence[float]] | None,
    ) -> TreeMotion:
        shape = np.shape(state.rates)[:-1]
        n = int(np.prod(shape))
        k, n_bodies = self.n_coordinates, self.structure.n_bodies
        applied = np.zeros(k)
        if forces is not None:
            applied = coordinate_vector(self._names, forces)
        asked = questions.Questions(
            times=rows_of(np.asarray(state.time, float), n, ()),
            frames=rows_of(state.frames, n, (n_bodies, 7)),
            rates=rows_of(state.rates, n, (k,)),
            second_rates=rows_of(second_rates, n, (k,)),
            forces=rows_of(applied, n, (k,)),
            loads=np.zeros((n, n_bodies, 6)),
        )
        if wrenches:
            set_loads(self, asked, wrenches)
        self.problem.factors.is_held[:] = held
        self._take_history(state)
        answers = new_answers(self, n)
        done = self._run(asked, answers, question)
        if done < n:
            raise ModelError(massless_message(self.assembly))
        if not np.all(np.isfinite(answers.second_rates)):
            raise ConvergenceError(
                "The accelerations are not finite: look at the state and the forces "
                "that were given."
            )
        return TreeMotion(*(a.reshape(*shape, *a.shape[1:]) for a in answers))

    def _take_history(self, state: TreeState) -> None:
        history = state.history or self.start.history
        place_history(self.reduced, self._history_places, history)

    def _run(self, asked: Any, answers: Any, question: int) -> int:
        if self.reduced.is_compiled:
            compiled = _jit.compiled(questions.answer)
            equations = self.reduced.compiled_equations
            return int(compiled(equations, self._compiled, asked, answers, question))
        return int(
            run(self.reduced, questions.answer, self.problem, asked, answers, question)
        )
