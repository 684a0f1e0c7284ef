"""The same motion wherever the model stands, and in both forms of the loop."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import Assembly
from femlie.lie import so3
from tests.validation.dynamics import rubber_rod, run


def test_turned_and_shifted_model_moves_the_same(rng: np.random.Generator) -> None:
    turn = so3.exp(rng.normal(size=3))
    shift = rng.normal(size=3)
    options = {"duration": 0.3, "time_step": 1e-3, "residual_tolerance": 1e-11}
    here = run(rubber_rod(8), **options)
    there = run(rubber_rod(8, turn=turn, shift=shift), **options)
    expected = here.positions("rod") @ turn.T + shift
    # only the stopping of Newton's iteration lies between the two
    np.testing.assert_allclose(there.positions("rod"), expected, atol=1e-9)
    # reactions of thin rods carry rounding of stretch: 1e-9 of a weight of 0.85 N,
    # times E A over the weight
    np.testing.assert_allclose(
        there.reactions("hinge")[:, :3],
        here.reactions("hinge")[:, :3] @ turn.T,
        atol=1e-6,
    )


def driven_rod(*, interpreted: bool) -> fl.Model:
    """Rubber rod whose gravity is switched by a table, or by the same as a function."""
    model = rubber_rod(3)
    ramp = fl.Table(times=(0.0, 0.1), values=(0.5, 1.0))

    def function(time: float) -> float:
        return 0.5 + 5.0 * min(time, 0.1)

    del model.parts["weight"]
    model.add(fl.Gravity("weight", over_time=function if interpreted else ramp))
    return model


@pytest.mark.parametrize("radius", [0.0, 0.9])
def test_interpreted_loop_gives_the_compiled_numbers(radius: float) -> None:
    systems = [driven_rod(interpreted=flag).build() for flag in (False, True)]
    assert not Assembly(systems[1]).is_compiled
    compiled, interpreted = (
        run(system, duration=0.06, time_step=2e-3, spectral_radius=radius)
        for system in systems
    )
    for name in ("poses", "velocities", "outputs", "energies"):
        one, other = (getattr(r.records, name) for r in (compiled, interpreted))
        # fused multiply-adds differ in the last bit, which stiff stretch amplifies
        np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-9 * np.abs(one).max())
    assert compiled.summary["iterations"] == interpreted.summary["iterations"]
    assert compiled.summary["loop"] != interpreted.summary["loop"]
