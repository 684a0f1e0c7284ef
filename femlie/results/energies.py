"""Energies of a run."""

from __future__ import annotations

from dataclasses import dataclass

from ..elements.base import Array


@dataclass(frozen=True)
class Energies:
    """Energies at the output times, each an (n_times,) array [J].

    Attributes
    ----------
    kinetic, strain, potential : array
    load_work, motor_work : array
        Work done by loads and motors since the start.
    dissipated, numerical_dissipation : array
        Lost in dampers and drag, and by the method, since the start.
    impact_loss, correction_work : array
        Of contacts in motion: lost when velocities jump, and work done in moving parts
        out of each other at the end of steps, since the start.
    friction_loss : array
        Lost where surfaces of contacts slide in motion, and where joints with friction
        do, since the start.
    relative_balance : array
        What is missing, divided by the sum of magnitudes.
    """

    kinetic: Array
    strain: Array
    potential: Array
    load_work: Array
    motor_work: Array
    dissipated: Array
    numerical_dissipation: Array
    relative_balance: Array
    impact_loss: Array
    correction_work: Array
    friction_loss: Array

    @property
    def total(self) -> Array:
        """Kinetic, strain and potential energy together."""
        return self.kinetic + self.strain + self.potential
