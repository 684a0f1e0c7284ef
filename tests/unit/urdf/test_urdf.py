"""URDF files: what becomes of links and joints, and what is refused."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import so3

ARM = Path(__file__).parents[3] / "meshes" / "robot_arm" / "robot_arm.urdf"
QUARTER = 0.5 * np.pi

LINK = """<link name="{name}">
<inertial>
<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
<mass value="2"/>
<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/>
</inertial>
{more}</link>"""


def link(name: str, more: str = "") -> str:
    return LINK.format(name=name, more=more)


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="1 0 0" rpy="0 0 {QUARTER}"/>'
        f'<axis xyz="0 1 0"/>{more}</joint>'
    )


def write(folder: Path, *tags: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="robot">{"".join(tags)}</robot>')
    return path


def two_links(folder: Path, kind: str = "continuous", more: str = "") -> Path:
    return write(
        folder, link("base"), link("arm"), joint("elbow", kind, "base", "arm", more)
    )


LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="1"/>'


def test_links_become_bodies_at_their_frames(tmp_path):
    model = fl.read_urdf(two_links(tmp_path))
    arm = model.parts["arm"]
    np.testing.assert_allclose(arm.position, (1.0, 0.0, 0.0))
    np.testing.assert_allclose(arm.orientation, (0.0, 0.0, QUARTER), atol=1e-15)
    assert arm.mass == 2.0
    np.testing.assert_allclose(arm.center, (0.1, 0.0, 0.0))
    # turned by a quarter about z: xx and yy trade places, xy changes its sign
    expected = [[2.0, -0.1, 0.0], [-0.1, 1.0, 0.0], [0.0, 0.0, 2.5]]
    np.testing.assert_allclose(arm.inertia, expected, atol=1e-15)


def test_joints_have_the_axes_and_places_of_the_file(tmp_path):
    elbow = fl.read_urdf(two_links(tmp_path)).parts["elbow"]
    assert elbow.kind is fl.REVOLUTE
    assert (elbow.parent, elbow.child) == ("base", "arm")
    # the axis y of a frame that is turned by a quarter about z
    np.testing.assert_allclose(elbow.axis, (-1.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(elbow.position, (1.0, 0.0, 0.0))
    assert elbow.stop is None


@pytest.mark.parametrize(
    ("kind", "expected"), [("revolute", fl.REVOLUTE), ("prismatic", fl.PRISMATIC)]
)
def test_limits_become_stops(tmp_path, kind, expected):
    path = two_links(tmp_path, kind, LIMIT)
    part = fl.read_urdf(path).parts["elbow"]
    assert part.kind is expected
    # the effort of 30 presses them in by 0.01
    assert part.stop == fl.Stop(lower=-1.0, upper=2.0, stiffness=3000.0)
    own = fl.read_urdf(path, stop=fl.Stop(stiffness=5.0, damping=0.1))
    assert own.parts["elbow"].stop.stiffness == 5.0
    assert own.parts["elbow"].stop.upper == 2.0
    without = fl.read_urdf(path, leave_out=[fl.UrdfFeature.LIMITS])
    assert without.parts["elbow"].stop is None


def test_damping_motors_and_springs_come_together(tmp_path):
    path = two_links(tmp_path, more='<dynamics damping="0.3" friction="0.0"/>')
    motor, spring = fl.Motor(torque=2.0), fl.JointSpring(stiffness=4.0)
    model = fl.read_urdf(path, motors={"elbow": motor}, springs={"elbow": spring})
    elbow = model.parts["elbow"]
    assert elbow.motor == motor
    assert elbow.spring == (fl.JointSpring(damping=0.3), spring)


def test_fixed_joints_cost_nothing_and_links_without_mass_are_frames(tmp_path):
    path = write(
        tmp_path,
        link("base"),
        link("arm"),
        link("hand"),
        '<link name="tool"/>',
        joint("elbow", "continuous", "base", "arm"),
        joint("wrist", "fixed", "arm", "hand"),
        joint("mount", "fixed", "hand", "tool"),
    )
    model = fl.read_urdf(path)
    system = model.build()
    # the base is clamped; arm, hand and tool are one frame
    assert system.dofs.n_frame_rows == 6
    tree = fl.Tree(system)
    assert tree.coordinates == ("elbow.angle",)
    place = tree.frame(tree.start, "tool")[:3, 3]
    np.testing.assert_allclose(place, (0.0, 1.0, 0.0), atol=1e-15)
    bent = tree.moved(tree.start, step=[QUARTER])
    # about -x through (1, 0, 0): y goes to -z
    place = tree.frame(bent, "tool")[:3, 3]
    np.testing.assert_allclose(place, (0.0, 0.0, -1.0), atol=1e-15)
    assert system.summary["mass"] == pytest.approx(6.0)


def test_base_may_float(tmp_path):
    system = fl.read_urdf(two_links(tmp_path), base_is_free=True).build()
    assert fl.Tree(system).n_coordinates == 7


def test_floating_and_planar_joints(tmp_path):
    path = write(
        tmp_path,
        link("base"),
        link("float"),
        link("slide"),
        joint("a", "floating", "base", "float"),
        joint("b", "planar", "base", "slide"),
    )
    tree = fl.Tree(fl.read_urdf(path).build())
    assert tree.n_coordinates == 9
    assert "b.angle" in tree.coordinates


def test_a_joint_with_the_name_of_a_link_gets_another(tmp_path):
    path = write(tmp_path, link("a"), link("b"), joint("b", "continuous", "a", "b"))
    assert isinstance(fl.read_urdf(path).parts["joint b"], fl.Joint)


SHAPES = """<visual><origin xyz="0 0 1" rpy="0 0 0"/><geometry>{}</geometry></visual>"""


def test_simple_shapes_are_drawn_together(tmp_path):
    more = SHAPES.format('<box size="2 4 6"/>') + SHAPES.format('<sphere radius="1"/>')
    more += SHAPES.format('<cylinder radius="1" length="8"/>')
    path = write(tmp_path, link("base", more))
    surface = fl.read_urdf(path).parts["base"].surface
    assert isinstance(surface, fl.Surface)
    np.testing.assert_allclose(
        np.ptp(surface.points, axis=0), (2.0, 4.0, 8.0), atol=1e-9
    )
    volume = fl.mass_properties(surface, 1.0).mass
    # facets cut some of the round ones
    exact = 48.0 + np.pi * (4.0 / 3.0 + 8.0)
    assert volume == pytest.approx(exact, rel=0.02)
    assert volume < exact


def test_meshes_are_found_scaled_and_mirrored(tmp_path):
    package = tmp_path / "parts"
    (package / "urdf").mkdir(parents=True)
    obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (package / "corner.obj").write_text(obj)
    mesh = '<mesh filename="package://parts/corner.obj" scale="-1 2 3"/>'
    path = write(package / "urdf", link("base", SHAPES.format(mesh)))
    surface = fl.read_urdf(path).parts["base"].surface
    np.testing.assert_allclose(surface.points.min(axis=0), (-1.0, 0.0, 1.0))
    np.testing.assert_allclose(surface.points.max(axis=0), (0.0, 2.0, 4.0))
    corners = surface.points[surface.triangles]
    # seen from outside counterclockwise: the volume is positive
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(1.0)
    assert fl.read_urdf(path).build(folder=tmp_path).summary["mass"] == 2.0


def test_surfaces_of_the_arm_stay_files(monkeypatch, tmp_path):
    folder = ARM.parents[1]
    model = fl.read_urdf("robot_arm/robot_arm.urdf", folder=folder)
    assert model.parts["link_2"].surface == "robot_arm/link_2.stl"
    monkeypatch.chdir(tmp_path)
    whole = fl.read_urdf(ARM)
    assert Path(whole.parts["link_2"].surface) == ARM.parent / "link_2.stl"
    assert "gripper" in whole.build().catalog.surfaces


def test_masses_of_the_arm_are_those_of_its_surfaces():
    model = fl.read_urdf(ARM)
    density = {"base": 2700.0, "link_2": 1500.0, "link_4": 1500.0}
    for body in model.parts.values():
        if not isinstance(body, fl.Body) or body.mass == 0.0:
            continue
        surface = fl.read_surface(body.surface)
        mass = fl.mass_properties(surface, density.get(body.name, 2000.0))
        assert body.mass == pytest.approx(mass.mass, rel=1e-5)
        np.testing.assert_allclose(body.center, mass.center, atol=1e-6)
        size = np.abs(mass.inertia).max()
        np.testing.assert_allclose(body.inertia, mass.inertia, atol=1e-5 * size)


def test_a_model_file_holds_the_same_robot(tmp_path):
    two_links(tmp_path, "revolute", LIMIT)
    file = tmp_path / "model.toml"
    file.write_text(
        '[urdf]\npath = "robot.urdf"\nmotors.elbow = { torque = 2.0 }\n'
        "springs = { elbow = { stiffness = 4.0 } }\nstop = { stiffness = 9.0 }\n"
        'leave_out = ["friction", "surfaces"]\n[gravity.weight]\n'
    )
    model = fl.read_urdf(
        "robot.urdf",
        folder=tmp_path,
        motors={"elbow": fl.Motor(torque=2.0)},
        springs={"elbow": fl.JointSpring(stiffness=4.0)},
        stop=fl.Stop(stiffness=9.0),
    )
    model.add(fl.Gravity("weight"))
    assert fl.read_model(file).model == model
    again = tmp_path / "again.toml"
    fl.write_model(model, None, again)
    assert fl.read_model(again).model == model


def test_a_robot_drawn_by_shapes_is_written_with_its_surface(tmp_path):
    path = write(tmp_path, link("base", SHAPES.format('<box size="2 4 6"/>')))
    model = fl.read_urdf(path)
    file = tmp_path / "model.toml"
    fl.write_model(model, None, file)
    assert fl.read_model(file).model == model


FRICTION = '<dynamics friction="0.2"/>'
MIMIC = '<mimic joint="other"/>'
FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "dry friction": (
        joint("elbow", "continuous", "base", "arm", FRICTION),
        ("elbow", "friction", "0.2", "FRICTION"),
    ),
    "a joint that follows another": (
        joint("elbow", "continuous", "base", "arm", MIMIC),
        ("elbow", "'other'", "MIMIC"),
    ),
    "no limits": (
        joint("elbow", "revolute", "base", "arm"),
        ("elbow", "<limit>", "continuous"),
    ),
    "limits without an effort": (
        joint("elbow", "revolute", "base", "arm", '<limit lower="0" upper="1"/>'),
        ("elbow", "effort", "fl.Stop"),
    ),
    "an unknown type": (
        joint("elbow", "ball", "base", "arm"),
        ("elbow", "'ball'", "revolute"),
    ),
    "an unknown link": (
        joint("elbow", "continuous", "bsae", "arm"),
        ("elbow", "'bsae'", "Did you mean 'base'"),
    ),
    "two roots": ("", ("one link", "'base', 'arm'")),
    "a ring": (
        joint("a", "fixed", "base", "arm") + joint("b", "fixed", "arm", "base"),
        ("one link", "none"),
    ),
    "negative damping": (
        joint("elbow", "continuous", "base", "arm", '<dynamics damping="-1"/>'),
        ("elbow", "damping", "-1"),
    ),
    "damping of a plane": (
        joint("elbow", "planar", "base", "arm", '<dynamics damping="1"/>'),
        ("elbow", "planar", "damping"),
    ),
    "an axis of no length": (
        joint("elbow", "continuous", "base", "arm").replace("0 1 0", "0 0 0"),
        ("elbow", "axis"),
    ),
    "a joint twice": (
        joint("elbow", "fixed", "base", "arm") * 2,
        ("'elbow'", "twice"),
    ),
    "a joint without a parent": (
        '<joint name="elbow" type="fixed"><child link="arm"/></joint>',
        ("yourdfpy",),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_followed_is_refused_by_name(tmp_path, fault):
    joints, words = FAULTS[fault]
    path = write(tmp_path, link("base"), link("arm"), joints)
    with pytest.raises(fl.ModelError) as error:
        fl.read_urdf(path)
    for word in ("robot.urdf", *words):
        assert word in str(error.value)


@pytest.mark.parametrize("feature", ["friction", "mimic"])
def test_what_cannot_be_followed_may_be_left_out(tmp_path, feature):
    path = two_links(tmp_path, more={"friction": FRICTION, "mimic": MIMIC}[feature])
    model = fl.read_urdf(path, leave_out=(fl.UrdfFeature(feature),))
    assert fl.Tree(model.build()).n_coordinates == 1


def test_impossible_inertias_are_refused_or_taken_as_they_are(tmp_path):
    text = two_links(tmp_path).read_text().replace('izz="2.5"', 'izz="9"')
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(fl.ModelError, match=r"link 'base'.*INERTIA_CHECK"):
        fl.read_urdf(path)
    model = fl.read_urdf(path, leave_out=(fl.UrdfFeature.INERTIA_CHECK,))
    tree = fl.Tree(model.build())
    # the axis is y of the arm's frame, about which the inertia is 1, and the center
    # lies 0.1 beside it
    assert tree.matrices(tree.start).mass_matrix()[0, 0] == pytest.approx(1.02)


def test_inertia_without_mass_is_refused(tmp_path):
    text = two_links(tmp_path).read_text().replace('mass value="2"', 'mass value="0"')
    (tmp_path / "robot.urdf").write_text(text)
    with pytest.raises(fl.ModelError, match=r"'base' has inertia but no mass"):
        fl.read_urdf(tmp_path / "robot.urdf")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot name='r'><link name='a'>", "well-formed"),
        ("<mujoco/>", "<mujoco>"),
        ("<robot name='r'></robot>", "no links"),
        ("<robot name='r'><link/></robot>", "yourdfpy"),
        ("not XML", "well-formed"),
    ],
)
def test_other_files_are_refused(tmp_path, caplog, text, words):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(fl.ModelError, match=words):
        fl.read_urdf(path)
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]


def test_missing_files_are_named(tmp_path):
    two_links(tmp_path)
    with pytest.raises(fl.ModelError, match=r"no file.*Did you mean 'robot\.urdf'"):
        fl.read_urdf(tmp_path / "robto.urdf")
    more = SHAPES.format('<mesh filename="package://parts/lost.stl"/>')
    path = write(tmp_path, link("base", more))
    with pytest.raises(fl.ModelError, match=r"'base'.*lost\.stl.*SURFACES"):
        fl.read_urdf(path)
    fl.read_urdf(path, leave_out=(fl.UrdfFeature.SURFACES,))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "lost.stl").write_bytes(b"nothing")
    with pytest.raises(fl.ModelError, match=r"'base' cannot be drawn.*SURFACES"):
        fl.read_urdf(path.rename(tmp_path / "other.urdf"))


def test_options_for_joints_that_do_not_move_are_refused(tmp_path):
    path = two_links(tmp_path)
    with pytest.raises(fl.ModelError, match=r"motors names the joint 'ebow'.*'elbow'"):
        fl.read_urdf(path, motors={"ebow": fl.Motor(torque=1.0)})
    with pytest.raises(fl.ModelError, match="stop has limits of its own"):
        fl.read_urdf(path, stop=fl.Stop(stiffness=1.0, lower=0.0))
    with pytest.raises(fl.ModelError, match=r"members of fl\.UrdfFeature"):
        fl.read_urdf(path, leave_out=("friction",))  # type: ignore[arg-type]


def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(fl.ModelError, match=r"pip install 'femlie\[robots\]'"):
        fl.read_urdf(two_links(tmp_path))


def body(**options: Any) -> fl.Body:
    return fl.Body("frame", position=(1.0, 0.0, 0.0), mass=0.0, **options)


def test_a_body_without_mass_names_a_frame():
    model = fl.Model()
    model.add(fl.Body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(body(orientation=(0.0, 0.0, 1.0)))
    with pytest.raises(fl.ModelError, match="'frame' has the mass 0"):
        model.build()
    model.add(fl.RigidLink("tie", at=("arm", "frame")))
    system = model.build()
    assert system.dofs.n_frame_rows == 6
    assert system.summary["mass"] == 1.0
    start = fl.Tree(system).start
    np.testing.assert_allclose(
        fl.Tree(system).frame(start, "frame")[:3, 3], (1.0, 0.0, 0.0)
    )


def test_a_body_between_two_joints_needs_no_mass():
    """A cross of no mass between two hinges is a universal joint."""
    model = fl.Model()
    model.add(fl.Body("cross", mass=0.0))
    model.add(fl.Body("arm", position=(0, 0, -1), mass=2.0, inertia=(0.1, 0.2, 0.3)))
    for name, parent, child, axis in (
        ("a", fl.GROUND, "cross", (1, 0, 0)),
        ("b", "cross", "arm", (0, 1, 0)),
    ):
        model.add(
            fl.Joint(name, fl.REVOLUTE, parent=parent, child=child, axis=axis,
                     position=(0.0, 0.0, 0.0))
        )  # fmt: skip
    tree = fl.Tree(model.build())
    found = tree.matrices(tree.start).mass_matrix()
    np.testing.assert_allclose(found, np.diag([2.1, 2.2]), atol=1e-15)


def test_a_body_without_mass_has_no_inertia():
    model = fl.Model()
    model.add(body(inertia=(1.0, 1.0, 1.0)))
    with pytest.raises(fl.ModelError, match="inertia but the mass 0"):
        model.build()


def test_orientation_of_the_tool_follows_the_frames_of_the_file():
    """The tool points down: three frames turned by quarters about y."""
    tool = fl.read_urdf(ARM).parts["tool"]
    down = so3.exp(np.array(tool.orientation)) @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(down, (0.0, 0.0, -1.0), atol=1e-15)
    np.testing.assert_allclose(tool.position, (0.37, 0.0, 0.5), atol=1e-15)
