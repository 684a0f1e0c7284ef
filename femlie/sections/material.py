"""Isotropic linear elastic material."""

from __future__ import annotations

from dataclasses import dataclass

from femlie.errors import ModelError
from femlie.sections._checks import check_number, is_finite_number


class Derived(float):
    """A number that follows from others, and does so again in a changed copy."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Isotropic linear elastic material.

    Parameters
    ----------
    young : float
        Young's modulus [Pa].
    poisson : float, optional
        Poisson's ratio [1], above -1 and up to 0.5.
    density : float
        Mass per volume [kg/m^3]; 0 for statics without weight.
    shear_modulus : float, optional
        Shear modulus [Pa]. Give this or ``poisson``; when both are given they must
        agree, ``young = 2 (1 + poisson) shear_modulus``, to one in a million. Both
        attributes can be read afterwards, whichever was given; in a copy made by
        `dataclasses.replace` the other one follows again.

    Raises
    ------
    ModelError
        A number outside its range, or two that contradict each other.
    """

    young: float
    poisson: float = None  # type: ignore[assignment]
    density: float = 0.0
    shear_modulus: float = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name in ("poisson", "shear_modulus"):
            if isinstance(getattr(self, name), Derived):
                object.__setattr__(self, name, None)
        check_number("Material", "young", self.young)
        check_number("Material", "density", self.density, zero=True)
        if self.shear_modulus is not None:
            check_number("Material", "shear_modulus", self.shear_modulus)
        if self.poisson is None:
            object.__setattr__(self, "poisson", self._poisson_from_moduli())
        elif not (is_finite_number(self.poisson) and -1 < self.poisson <= 0.5):
            raise ModelError(
                f"Material: poisson is {self.poisson!r}, expected a number above -1 "
                "and up to 0.5."
            )
        self._settle_shear_modulus()

    def _poisson_from_moduli(self) -> float:
        if self.shear_modulus is None:
            raise ModelError(
                f"Material: young is {self.young:g} and nothing else elastic is given; "
                "expected poisson or shear_modulus too."
            )
        poisson = Derived(0.5 * self.young / self.shear_modulus - 1.0)
        if not -1.0 < poisson <= 0.5:
            bound = (
                f"at least young / 3 = {self.young / 3:g}"
                if poisson > 0.5
                else f"less, such as young / 2 = {self.young / 2:g}"
            )
            raise ModelError(
                f"Material: shear_modulus is {self.shear_modulus:g}, which makes "
                f"poisson {poisson:.4g}; expected {bound} "
                "(a GeneralSection takes any stiffness)."
            )
        return poisson

    def _settle_shear_modulus(self) -> None:
        shear_modulus = Derived(0.5 * self.young / (1.0 + self.poisson))
        if self.shear_modulus is None:
            object.__setattr__(self, "shear_modulus", shear_modulus)
        elif abs(self.shear_modulus - shear_modulus) > 1e-6 * shear_modulus:
            raise ModelError(
                f"Material: shear_modulus is {self.shear_modulus:g}, but young and "
                f"poisson = {self.poisson:g} make it {shear_modulus:.7g}; "
                "leave one of the three out."
            )
