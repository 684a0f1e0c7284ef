"""Two yarns wound on a stocky mandrel (case D7 of the reference list, after ODIN).

Mandrel: a fixed beam of radius 0.2 m. Yarns: 5 m long, radius 2 mm, held beside it;
their other ends sit on a ring of radius 2 m that turns, and that a force pulls along
the axis. What lies on the mandrel is a helix under tension T: pressure T sin(b)^2 / R,
with the angle b to the axis and the radius R of the helix, plus what bending adds.
"""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl

MANDREL, YARN, LENGTH, RING = 0.2, 0.002, 5.0, 2.0
APART = 2e-4
YARNS = ("first", "second")
N, TURN, PULL = 120, np.radians(150.0), 200.0
MATERIAL = fl.Material(young=90e9, poisson=0.21, density=2750.0)


def wound() -> fl.Results:
    """Yarns tangent to the mandrel, and a ring that winds them up."""
    radius = MANDREL + YARN + APART
    way = np.sqrt(RING**2 - radius**2)
    height = float(np.sqrt(LENGTH**2 - way**2))
    axis = fl.straight_line(
        (0.0, 0.0, -0.5),
        (0.0, 0.0, 4.5),
        n_elements=10,
        name="axis",
        start_name="foot",
        end_name="head",
    )
    sides = dict(zip(YARNS, (1.0, -1.0), strict=True))
    lines = [
        fl.straight_line(
            (side * radius, 0.0, 0.0),
            (side * radius, side * way, height),
            n_elements=N,
            name=f"{name} line",
            start_name=f"{name} start",
            end_name=f"{name} end",
        )
        for name, side in sides.items()
    ]
    model = fl.Model(fl.join_meshes(axis, *lines))
    thick = fl.CircularSection(radius=MANDREL, material=MATERIAL)
    model.add(fl.Beam("mandrel", cells="axis", section=thick))
    for end in ("foot", "head"):
        model.add(fl.Support(f"{end} hold", at=end))
    place = (0.0, 0.0, height)
    body = {"position": place, "mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    model.add(fl.Body("ring", **body))
    turn = fl.Motor(motion=float(TURN), coordinate=fl.JointCoordinate.ANGLE)
    guide = {"axis": (0.0, 0.0, 1.0), "position": place, "motor": turn}
    model.add(
        fl.Joint("guide", fl.CYLINDRICAL, parent=fl.GROUND, child="ring", **guide)
    )
    steady = fl.Table(times=(0.0, 1.0), values=(1.0, 1.0))
    model.add(fl.Force("pull", at="ring", force=(0.0, 0.0, PULL), over_time=steady))
    thin = fl.CircularSection(radius=YARN, material=MATERIAL)
    for name in YARNS:
        model.add(fl.Beam(name, cells=f"{name} line", section=thin))
        model.add(fl.Support(f"{name} hold", at=f"{name} start"))
        eye = {"parent": "ring", "child": f"{name} end"}
        model.add(fl.Joint(f"{name} eye", fl.SPHERICAL, **eye))
        model.add(fl.Contact(f"{name} wrap", between=(name, "mandrel")))
    return fl.Static().solve(model.build(), load_steps=30)


@pytest.mark.slow
def test_yarns_lie_on_the_mandrel_as_helices_under_tension() -> None:
    results = wound()
    assert results.summary["refused_steps"] == 0
    middles = {}
    for name in YARNS:
        places = results.positions(name)[-1]
        pressure = results.contact.pressures(name)[-1].mean(axis=1)
        inside = np.flatnonzero(pressure > 1.0)[5:-5]
        assert inside.size > 5
        radii = np.linalg.norm(places[inside, :2], axis=1)
        np.testing.assert_allclose(radii, MANDREL + YARN, rtol=2e-3)
        tension = results.section_forces(name, at="middle")[-1, inside, 0]
        tangent = places[inside[-1]] - places[inside[0]]
        angle = np.unwrap(np.arctan2(places[inside, 1], places[inside, 0]))
        around = (MANDREL + YARN) * (angle[-1] - angle[0])
        sine = around / np.hypot(around, tangent[2])
        middles[name] = pressure[inside].mean()
        expected = tension.mean() * sine**2 / (MANDREL + YARN)
        assert middles[name] == pytest.approx(expected, rel=0.05)
    assert middles["first"] == pytest.approx(middles["second"], rel=1e-3)
    # the ring carries the pull into both yarns
    loads = results.summary["balance"]
    assert loads["reactions"][2] == pytest.approx(-PULL, rel=1e-8)
