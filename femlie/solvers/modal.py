"""Natural frequencies and mode shapes of small vibrations."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._equations import evaluate_blocks, move_frames, start_step
from ..assembly import DYNAMIC, STATIC, Assembly
from ..elements.base import Array, Motion
from ..errors import ModelError
from ..fields import check_fields
from ..linear import lowest_modes
from ..records import Records
from ..results import Results
from ..system import State, System
from .factors import frames_of
from .march import NOW, Progress, Recorder, run
from .reports import summary_of
from .restart import check_state
from .schedule import Output, check_kind, check_system
from .start import massless_message
from .static import equilibrium

# largest displacement of a mode that is shown, relative to the model's size, and
# largest rotation [rad]
SHOWN_MOVE, SHOWN_TURN = 0.1, 0.5
# asymmetry of the stiffness beyond rounding, relative to its largest entry
SYMMETRY = 1e-8


@dataclass(frozen=True, kw_only=True)
class Modal:
    """Natural frequencies and mode shapes without damping.

    Attributes
    ----------
    n_modes : int
        Number of modes, from the lowest frequency on; rigid motions count.
    at_equilibrium : bool
        Whether vibrations are about the static equilibrium under the loads, whose
        stress stiffens or softens the model; else about the model as built, without
        loads.
    """

    loop: ClassVar[str] = "modal"
    can_restart: ClassVar[bool] = False
    n_modes: int = 6
    at_equilibrium: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "Modal")
        if self.n_modes < 1:
            raise ModelError(f"n_modes is {self.n_modes}: expected one or more.")

    def check(self, system: System, *, output: Output = Output()) -> None:
        """Refuse what `solve` would refuse before it begins.

        Raises
        ------
        ModelError, ResultsError
        """
        check_system(system)
        check_kind("output", output, Output)
        output.check_path()
        if output != Output(path=output.path):
            raise ModelError(
                "A modal analysis writes its modes at once: only the path of the "
                "output can be chosen."
            )

    def solve(
        self,
        system: System,
        *,
        start: State | None = None,
        output: Output = Output(),
        progress: Progress | None = None,
    ) -> Results:
        """Modes of small vibrations about a state.

        Parameters
        ----------
        system : System
        start : State or None
            State to vibrate about, in the place of the model as built, under the loads
            of its load factor or its time; its velocities count as zero.
        output : Output
            Its path is a results file that is written at the end.
        progress : callable or None
            Called with the load factor of the static analysis and a text.

        Returns
        -------
        Results
            Row 0 is the state, row k it and mode k, scaled to be seen; ``times`` are
            these numbers. ``frequencies`` and ``summary`` hold the numbers.

        Raises
        ------
        ModelError
            A part without mass, or no free motion at all.
        ConvergenceError
            If the static equilibrium is not found.
        """
        self.check(system, output=output)
        if start is not None:
            check_state(start, system)
        clock = (time.process_time(), time.perf_counter())
        unloaded = dataclasses.replace(system.state, load_factor=0.0)
        state = unloaded if start is None else start
        state = dataclasses.replace(
            state,
            velocities=np.zeros_like(state.velocities),
            accelerations=np.zeros_like(state.accelerations),
            increments=np.zeros_like(state.increments),
        )
        if self.at_equilibrium:
            state = equilibrium(system, start=start, progress=progress)
        assembly = Assembly(system)
        values, shapes, masses, notes = self._modes(assembly, state)
        records, layout = _records(assembly, state, shapes)
        summary = summary_of(
            assembly,
            Records(*(rows[:1] for rows in records)),
            analysis="modal",
            converged=True,
            steps=len(values),
            iterations=0,
            clock=clock,
            warnings=[*system.warnings, *notes],
            linear_solver="shift and invert",
        )
        summary |= {
            "eigenvalues": values.tolist(),
            "frequencies": frequencies(values).tolist(),
            "effective_masses": masses.tolist(),
        }
        results = Results(
            layout=layout,
            records=records,
            summary=summary,
            warnings=tuple(summary["warnings"]),
            analysis={"method": "modal", **dataclasses.asdict(self)},
        )
        if output.path is not None:
            results.save(output.path)
        return results

    def _modes(
        self, assembly: Assembly, state: State
    ) -> tuple[Array, Array, Array, list[str]]:
        """Eigenvalues, rows of shapes, effective masses along x, y and z, notes."""
        system = assembly.system
        n = system.dofs.n_frame_rows
        stiffness = _stiffness(assembly, state)
        mass = assembly.tangent(state, mass=1.0, stiffness=0.0)[:n, :n]
        mass = (0.5 * (mass + mass.T)).tocsc()
        mass.eliminate_zeros()
        if n == 0 or mass.nnz == 0:
            raise ModelError(
                "A modal analysis needs unknowns and mass: give materials a density "
                "or bodies an inertia, and let something move."
            )
        notes = []
        if abs(stiffness - stiffness.T).max() > SYMMETRY * abs(stiffness).max():
            notes.append(
                "The stiffness is not symmetric (followers, moments fixed in space): "
                "the modes are those of its symmetric part."
            )
        try:
            values, shapes = lowest_modes(
                stiffness,
                mass,
                n_multipliers=system.dofs.n_multipliers,
                n_modes=self.n_modes,
                is_redundant=system.n_redundant > 0,
                frames=frames_of(assembly),
            )
        except np.linalg.LinAlgError as error:
            assembly.tangent(state, mass=1.0, stiffness=0.0)
            raise ModelError(
                f"The modes were not found. {massless_message(assembly)}"
            ) from error
        if len(values) < self.n_modes:
            notes.append(f"The model has {len(values)} modes, fewer than asked for.")
        if np.any(values < -1e-9 * np.abs(values).max(initial=0.0)):
            notes.append(
                "The state is unstable: some eigenvalues are negative; their "
                "frequencies are given as negative growth rates over 2 pi."
            )
        return values, shapes, _effective_masses(assembly, state, shapes), notes


def _motion_at_rest(assembly: Assembly, state: State) -> Motion:
    """Arrays of a state under its loads, for kernels that leave inertia out."""
    regime = DYNAMIC if state.load_factor is None else STATIC
    motion = assembly.motion(state, regime=regime)
    motion.time[1] = STATIC
    run(assembly, start_step, motion)
    return motion


def _stiffness(assembly: Assembly, state: State) -> Any:
    """Tangent of statics, constraints too, as a sparse matrix."""
    motion, target = _motion_at_rest(assembly, state), assembly.target
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 1.0)
    return assembly.matrix(target.data)


def frequencies(eigenvalues: Array) -> Array:
    """Frequencies [Hz] of eigenvalues [1/s^2]; negative ones where these are."""
    return np.sign(eigenvalues) * np.sqrt(np.abs(eigenvalues)) / (2.0 * math.pi)


def _effective_masses(assembly: Assembly, state: State, shapes: Array) -> Array:
    """(n_modes, 3) mass [kg] that each mode moves along the world axes.

    From the forces of inertia when everything, the ground included, speeds up.
    """
    n = assembly.system.dofs.n_frame_rows
    zero = np.zeros_like(state.velocities)
    at_rest = dataclasses.replace(state, velocities=zero, accelerations=zero)
    rest = assembly.residual(at_rest)[:n]
    turns = state.frames[:, :3, :3]
    forces = np.zeros((n, 3))
    for k in range(3):
        rates = zero.copy()
        rates[:, :3] = turns[:, k]
        # amplitudes stay as they are when the whole moves
        rates[assembly.system.catalog.amplitude_frames] = 0.0
        moved = dataclasses.replace(at_rest, accelerations=rates)
        forces[:, k] = assembly.residual(moved)[:n] - rest
    return np.asarray((shapes @ forces) ** 2)


def _records(assembly: Assembly, state: State, shapes: Array) -> tuple[Records, Any]:
    """The state, then one row for each mode."""
    recorder = Recorder(assembly)
    numbers = assembly.system.dofs.numbers
    padded = np.append(np.zeros(assembly.system.dofs.n_rows), 0.0)
    for k in range(len(shapes) + 1):
        motion = _motion_at_rest(assembly, state)
        if k > 0:
            padded[: shapes.shape[1]] = shapes[k - 1]
            moves = padded[numbers]
            move = np.linalg.norm(moves[:, :3], axis=1).max() / assembly.system.size
            turn = np.linalg.norm(moves[:, 3:], axis=1).max()
            factor = 1.0 / max(move / SHOWN_MOVE, turn / SHOWN_TURN, 1e-300)
            run(assembly, move_frames, motion, factor * padded[:-1], 1.0)
        motion.time[0] = float(k)
        recorder.take(motion, np.zeros(NOW))
    return recorder.finish(), recorder.layout
