"""Contact in pictures, tables and files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

import femlie as fl
from femlie.errors import ViewError
from femlie.view import plot
from femlie.view.scene import layers_of
from tests.validation import contact_models as models


@pytest.fixture(scope="module", name="pressed")
def pressed_fixture() -> fl.Results:
    solver = fl.Static(checks_stability=False)
    return solver.solve(models.crossing(6, 0.01), load_steps=2)


def layer(picture: Any, name: str) -> Any:
    found = [one for one in layers_of(picture.scene, picture.index) if one.name == name]
    return found[0] if found else None


def test_arrows_point_away_from_the_other_rod(pressed: fl.Results) -> None:
    picture = plot(pressed, deformation_scale=1.0)
    arrows = layer(picture, "contact force").patch
    ends = arrows.points[np.abs(arrows.points[:, 2] - 0.01) > 0.015]
    # the rods meet near the origin, at a height of one radius
    assert np.abs(ends[:, :2]).max() < 0.06
    assert ends[:, 2].max() > 0.03
    assert ends[:, 2].min() < -0.02


def test_rods_that_touch_are_drawn_where_they_are(pressed: fl.Results) -> None:
    """Enlarged, they would lie in each other; the displacement is 2 % of the size."""
    assert plot(pressed).scene.deformation_scale == 1.0


def test_no_arrows_where_nothing_presses(pressed: fl.Results) -> None:
    assert layer(plot(pressed, time=0.0), "contact force") is None


def test_pressure_is_a_color(pressed: fl.Results) -> None:
    beams = layer(plot(pressed, color="contact_pressure"), "beams beams")
    force = pressed.contact.total("touch")[-1, 2]
    # at a node in the middle: half an element of 1/6 m has it all
    assert beams.values.max() == pytest.approx(2.0 * force * 6.0, rel=0.01)
    assert beams.values.min() == pytest.approx(0.0, abs=1e-9)


def test_color_of_pressure_wants_contact() -> None:
    results = fl.Static().solve(models.cantilever(2))
    with pytest.raises(ViewError, match=r"contact_pressure.*no contact.*Contact"):
        plot(results, color="contact_pressure")


def test_color_shows_what_moves_and_not_the_ground() -> None:
    model = fl.Model()
    ball = fl.sphere(0.1, density=1e3)
    model.add(fl.Body("ball", solid=ball, position=(0.0, 0.0, 0.1)))
    model.add(fl.Shape("floor", fl.PLANE))
    model.add(fl.Contact("touch", between=("ball", "floor")))
    model.add(fl.Gravity("weight"))
    motion = fl.GeneralizedAlpha().solve(model.build(), duration=2e-3, time_step=1e-3)
    picture = plot(motion, color="displacement")
    assert layer(picture, "body floor").values is None
    assert layer(picture, "body ball").values is not None


def test_tables_and_meshes_hold_contact(pressed: fl.Results, tmp_path: Path) -> None:
    paths = fl.export_csv(pressed, tmp_path)
    assert "contacts.csv" in [path.name for path in paths]
    fl.export_vtu(pressed, tmp_path)
    mesh = meshio.read(max(tmp_path.glob("*beams*.vtu")))
    forces = mesh.cell_data["contact_force"][0]
    assert forces.shape == (12, 3)
    np.testing.assert_allclose(forces.sum(axis=0), 0.0, atol=1e-9)
    assert mesh.cell_data["contact_pressure"][0].shape == (12, 2)
