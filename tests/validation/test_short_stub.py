"""A rod pressed over a short parallel stub, which it touches at both ends only."""

from __future__ import annotations

import functools

import pytest

import femlie as fl
from tests.validation import contact_models as rods

RADIUS = 0.01
QUICK = fl.Static(checks_stability=False)


@functools.cache
def force_on_stub(n: int | None) -> float:
    """Force [N] of a rod of 40 cm on a clamped stub of 20 cm.

    Its supports go down by 1 cm in five load steps.

    Parameters
    ----------
    n : int or None
        Elements of the stub; none: a rigid capsule.
    """
    upper = rods.line("a", (-0.2, 0.0, 2 * RADIUS), (0.2, 0.0, 2 * RADIUS), 24)
    mesh = upper
    if n is not None:
        stub = rods.line("b", (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0), n)
        mesh = fl.join_meshes(upper, stub)
    model = fl.Model(mesh)

    def section(young: float) -> fl.CircularSection:
        material = fl.Material(young=young, poisson=0.3)
        return fl.CircularSection(radius=RADIUS, material=material)

    model.add(fl.Beam("rod", cells="a", section=section(3e9)))
    for end in "01":
        way = (0.0, 0.0, -0.01)
        model.add(fl.Support(f"press {end}", at=f"a_{end}", displacement=way))
    if n is None:
        axis = (1.0, 0.0, 0.0)
        model.add(fl.Shape("stub", fl.CAPSULE, radius=RADIUS, length=0.2, axis=axis))
    else:
        model.add(fl.Beam("stub", cells="b", section=section(210e9)))
        for end in "01":
            model.add(fl.Support(f"hold {end}", at=f"b_{end}"))
    model.add(fl.Contact("touch", between=("rod", "stub")))
    results = QUICK.solve(model.build(), load_steps=5)
    assert results.contact.smallest_gap("touch")[-1] > -1e-9
    return float(results.contact.total("touch")[-1, 2])


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_stub_bears_what_a_rigid_one_does_whatever_its_mesh(n: int) -> None:
    """Between its clamped ends nothing touches, so that it does not bend."""
    assert force_on_stub(n) == pytest.approx(force_on_stub(None), rel=1e-7)
