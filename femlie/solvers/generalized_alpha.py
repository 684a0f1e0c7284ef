"""Lie-group generalized-alpha: implicit, second order, for stiff flexible systems."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ModelError
from ..fields import check_fields
from ..system import System
from .alpha_run import Run, RunOnTree
from .formulation import Formulation, refuse_on_tree
from .method import MethodKind
from .stepping import Stepping
from .time_stepper import TimeStepper


@dataclass(frozen=True, kw_only=True)
class GeneralizedAlpha(TimeStepper):
    """Generalized-alpha method on Lie groups.

    Attributes
    ----------
    spectral_radius : float
        Damping of the fastest modes: 1 none, 0 complete in one step.
    is_stabilized : bool
        Stabilized index 2: velocities satisfy the constraints too. False: index 3,
        which is unstable on long chains.
    projects_velocities : bool
        Whether velocities of the index-3 form are moved onto the constraints after
        each step, as little as the matrix of the step says.
    tolerance : float or None
        Error of one step, relative to the model's size and in radians, that the step
        is chosen for; ``time_step`` is then the first one. None: a fixed step.
    reuses_factors : bool
        Whether factors of an iteration serve in the next ones where these are predicted
        to cost less than new factors. False: Newton's iteration in full.
    residual_tolerance : float
        Relative size of the residual at which Newton's iteration ends.
    iteration_limit : int
        Newton iterations of a step before it counts as failed.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.
    quiet_steps : float
        Of contact: an approach slower than the speed that smooth forces give in so many
        steps has no rebound, so that bodies come to rest. Ten is usual.
    formulation : Formulation
        ``TREE``: the same formulas in relative coordinates along the tree of the
        model. Joints of the tree hold exactly; only loops have constraints. The error
        of a step is then that of the joints' coordinates.
    cut : tuple of str
        ``TREE``: joints that are cut where they lie on a loop; others where they hold
        least.

    References
    ----------
    Bruels, Cardona, Arnold 2012; Arnold, Bruels, Cardona 2015 (starting values).
    """

    spectral_radius: float = 0.9
    is_stabilized: bool = True
    projects_velocities: bool = False
    tolerance: float | None = None
    reuses_factors: bool = True
    residual_tolerance: float = 1e-8
    iteration_limit: int = 20
    projects_start: bool = False
    quiet_steps: float = 0.0
    formulation: Formulation = Formulation.ABSOLUTE
    cut: tuple[str, ...] = ()

    @property
    def loop(self) -> str:
        """Compiled loop that a run takes its steps in."""
        is_on_tree = self.formulation is Formulation.TREE
        return "tree_alpha" if is_on_tree else "generalized_alpha"

    def __post_init__(self) -> None:
        check_fields(self, "GeneralizedAlpha")
        refuse_on_tree(self, "reuses_factors", "quiet_steps")
        if not 0.0 <= self.spectral_radius <= 1.0:
            raise ModelError(
                f"spectral_radius is {self.spectral_radius:g}: expected 0 (strongest "
                "damping) to 1 (none)."
            )
        if not self.quiet_steps >= 0.0:
            raise ModelError(
                f"quiet_steps is {self.quiet_steps:g}: expected a number of steps, "
                "zero or more."
            )
        if self.projects_velocities and self.is_stabilized:
            raise ModelError(
                "projects_velocities belongs to the index-3 form: the stabilized one "
                "meets the velocity constraints by itself. Give is_stabilized=False."
            )

    @property
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""
        return RunOnTree if self.formulation is Formulation.TREE else Run

    @property
    def may_touch(self) -> bool:
        """Whether its runs look at contact and hard stops in the model."""
        return self.formulation is not Formulation.TREE

    @property
    def may_rub(self) -> bool:
        """Whether its steps find out what sticks in joints with friction."""
        return True

    def runs_on(self, system: System) -> tuple[type[Stepping], MethodKind]:
        """Classes of the runs of a system."""
        # what is no system is refused by the run
        touches = isinstance(system, System) and (
            system.contact is not None or bool(system.stops)
        )
        if not touches or not self.may_touch:
            return Stepping, self.kind
        # not loaded where nothing touches
        from .impact_run import ImpactRun
        from .impact_stepping import ImpactStepping

        return ImpactStepping, ImpactRun
