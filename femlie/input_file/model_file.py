"""What a model file says, once read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputFileError, ModelError
from ..model import Model
from ..solvers.schedule import Output, Schedule
from ..system import State, System
from .hints import hint_of, options_of
from .words import METHODS

# keys of the table [analysis] that are fields of the output
OUTPUT_KEYS = {"output_every": "every", "checkpoint_every": "checkpoint_every"}


@dataclass(frozen=True)
class Analysis:
    """A solver and what its ``solve`` is called with.

    Attributes
    ----------
    solver : solver
        ``Static``, ``GeneralizedAlpha``, ...
    arguments : dict of name to value
        Keyword arguments of ``solver.solve``, e.g. ``duration``, ``time_step`` and
        ``output``.
    """

    solver: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The word for the solver in model files."""
        for method, (_, name) in METHODS.items():
            if type(self.solver).__name__ == name:
                return method
        known = ", ".join(name for _, name in METHODS.values())
        raise ModelError(
            f"The solver {type(self.solver).__name__} has no name in model files; "
            f"known are {known}."
        )

    def solve(
        self,
        system: System,
        *,
        path: Path | None = None,
        progress: Callable[[float, str], None] | None = None,
        start: State | Path | None = None,
    ) -> Any:
        """Run on a system and return results; see the solver's ``solve``."""
        arguments = dict(self.arguments)
        if path is not None:
            output = arguments.get("output", Output())
            arguments["output"] = dataclasses.replace(output, path=path)
        given = {"start": start, "progress": progress}
        chosen = {name: value for name, value in given.items() if value is not None}
        return self.solver.solve(system, **arguments, **chosen)

    def check(self, system: System) -> None:
        """Refuse what `solve` would refuse before its first step.

        Raises
        ------
        FemlieError
            In one sentence.
        """
        if "duration" in self.arguments:
            from ..solvers.start import check_run

            check_run(self.solver, system, Schedule(**self.arguments))
        else:
            self.solver.check(system, **self.arguments)

    @property
    def can_restart(self) -> bool:
        """Whether the solver can go on from earlier results."""
        return Path in options_of(hint_of(self.solver.solve, "start"))


@dataclass(frozen=True)
class ModelFile:
    """What a model file says.

    Attributes
    ----------
    model : Model
    analysis : Analysis or None
        None where the file has no table ``[analysis]``.
    path : Path
        The file.
    mesh_path : Path or None
        The mesh file, if there is just one.
    """

    model: Model
    analysis: Analysis | None
    path: Path
    mesh_path: Path | None = None

    def check(self, system: System) -> None:
        """Refuse what a run would refuse before its first step."""
        if self.analysis is None:
            return
        try:
            self.analysis.check(system)
        except ModelError as error:
            raise InputFileError(f"{self.path}: {error}") from error

    def build(self) -> System:
        """The model as a system; files that parts name lie beside the model file."""
        try:
            return self.model.build()
        except ModelError as error:
            raise InputFileError(f"{self.path}: {error}") from error
