"""Make the robot arm of the examples: its links as surfaces, and its URDF file.

``python meshes/make_robot_arm.py`` writes the folder robot_arm beside this file. Links
are made of cylinders and blocks; masses and inertias are those of their surfaces, each
link with a density of its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from make_meshes import around, block, prism, write_stl

import femlie as fl

HERE = Path(__file__).parent / "robot_arm"
Array = np.ndarray
QUARTER = "1.5707963267948966"
X, Y, Z = range(3)

# joint: type, parent, child, place, turn, axis, (lower, upper, effort, speed), damping
JOINTS = (
    ("joint_1", "revolute", "base", "link_1", "0 0 0.12", "0 0 0", "0 0 1",
     (-3.1, 3.1, 330, 2.1), 1.0),
    ("joint_2", "revolute", "link_1", "link_2", "0 0 0.16", "0 0 0", "0 1 0",
     (-1.9, 1.9, 330, 2.1), 1.0),
    ("joint_3", "revolute", "link_2", "link_3", "0 0 0.4", "0 0 0", "0 1 0",
     (-2.4, 1.4, 150, 3.1), 0.5),
    ("joint_4", "revolute", "link_3", "link_4", "0.12 0 0.04", f"0 {QUARTER} 0",
     "0 0 1", (-3.1, 3.1, 56, 3.1), 0.2),
    ("joint_5", "revolute", "link_4", "link_5", "0 0 0.25", f"0 {QUARTER} 0", "0 1 0",
     (-2.0, 2.0, 56, 3.1), 0.2),
    ("joint_6", "continuous", "link_5", "link_6", "0 0 0.08", "0 0 0", "0 0 1",
     (None, None, 56, 6.3), 0.1),
    ("gripper_mount", "fixed", "link_6", "gripper", "0 0 0.03", "0 0 0", None, None, 0),
    ("tool_mount", "fixed", "gripper", "tool", "0 0 0.11", "0 0 0", None, None, 0),
)  # fmt: skip
# the base is heavy, the arms are hollow
DENSITY = {"base": 2700.0, "link_2": 1500.0, "link_4": 1500.0}
OTHERS = 2000.0


def rod(
    axis: int, radius: float, low: float, high: float, center: tuple[float, ...]
) -> Array:
    """Triangles (n, 3 corners, 3) of a cylinder along an axis about a center."""
    upright = prism(around((0.0, 0.0), radius=radius), low, high)
    # a cyclic permutation keeps the outside outside
    return np.roll(upright, axis - Z, axis=2) + np.array(center)


def shapes() -> dict[str, Array]:
    """Surface of each link in its own frame."""
    o = (0.0, 0.0, 0.0)
    return {
        "base": np.concatenate(
            [rod(Z, 0.13, 0.0, 0.03, o), rod(Z, 0.09, 0.03, 0.12, o)]
        ),
        "link_1": np.concatenate(
            [rod(Z, 0.085, 0.0, 0.1, o), rod(Y, 0.07, -0.09, 0.03, (0.0, 0.0, 0.16))]
        ),
        "link_2": np.concatenate(
            [
                rod(Y, 0.07, 0.03, 0.13, o),
                rod(Z, 0.05, 0.06, 0.34, (0.0, 0.08, 0.0)),
                rod(Y, 0.06, 0.03, 0.13, (0.0, 0.0, 0.4)),
            ]
        ),
        "link_3": np.concatenate(
            [rod(Y, 0.06, -0.06, 0.03, o), rod(X, 0.05, 0.0, 0.12, (0.0, 0.0, 0.04))]
        ),
        "link_4": np.concatenate(
            [rod(Z, 0.042, 0.0, 0.2, o), rod(Y, 0.045, -0.05, 0.05, (0.0, 0.0, 0.25))]
        ),
        "link_5": rod(Z, 0.042, 0.045, 0.08, o),
        "link_6": rod(Z, 0.036, 0.0, 0.03, o),
        "gripper": np.concatenate(
            [
                block((-0.05, -0.03, 0.0), (0.05, 0.03, 0.05)),
                block((-0.05, -0.012, 0.05), (-0.035, 0.012, 0.11)),
                block((0.035, -0.012, 0.05), (0.05, 0.012, 0.11)),
            ]
        ),
    }


def write_obj(path: Path, triangles: Array) -> None:
    """OBJ file of triangles (n, 3 corners, 3)."""
    corners = triangles.reshape(-1, 3).round(6)
    points, rows = np.unique(corners, axis=0, return_inverse=True)
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in points]
    lines += [f"f {a} {b} {c}" for a, b, c in 1 + rows.reshape(-1, 3)]
    path.write_text("\n".join(["# femlie: gripper", *lines, ""]), encoding="ascii")


def link(name: str, file: str | None) -> str:
    """The tag of a link, with the mass properties of its surface."""
    if file is None:
        return f'  <link name="{name}"/>'
    surface = fl.read_surface(HERE / file)
    mass = fl.mass_properties(surface, DENSITY.get(name, OTHERS))
    tensor = mass.inertia.round(10) + 0.0
    entries = " ".join(
        f'i{"xyz"[i]}{"xyz"[j]}="{tensor[i, j]:.6g}"'
        for i in range(3)
        for j in range(i, 3)
    )
    x, y, z = mass.center.round(6) + 0.0
    return f"""  <link name="{name}">
    <inertial>
      <origin xyz="{x:g} {y:g} {z:g}"/>
      <mass value="{mass.mass:.6g}"/>
      <inertia {entries}/>
    </inertial>
    <visual>
      <geometry><mesh filename="package://robot_arm/{file}"/></geometry>
    </visual>
  </link>"""


def joint(data: tuple[object, ...]) -> str:
    """The tag of a joint."""
    name, kind, parent, child, place, turn, axis, limits, damping = data
    lines = [
        f'  <joint name="{name}" type="{kind}">',
        f'    <parent link="{parent}"/>',
        f'    <child link="{child}"/>',
        f'    <origin xyz="{place}" rpy="{turn}"/>',
    ]
    if axis is not None and isinstance(limits, tuple):
        lower, upper, effort, speed = limits
        ends = "" if lower is None else f'lower="{lower}" upper="{upper}" '
        lines += [
            f'    <axis xyz="{axis}"/>',
            f'    <limit {ends}effort="{effort}" velocity="{speed}"/>',
            f'    <dynamics damping="{damping}"/>',
        ]
    return "\n".join([*lines, "  </joint>"])


def main() -> None:
    """Write all files."""
    HERE.mkdir(exist_ok=True)
    files: dict[str, str | None] = {}
    for name, triangles in shapes().items():
        files[name] = f"{name}.obj" if name == "gripper" else f"{name}.stl"
        if name == "gripper":
            write_obj(HERE / "gripper.obj", triangles)
        else:
            write_stl(HERE / f"{name}.stl", triangles)
    files["tool"] = None
    tags = [link(name, file) for name, file in files.items()]
    tags += [joint(data) for data in JOINTS]
    head = '<?xml version="1.0"?>\n<!-- made by meshes/make_robot_arm.py -->'
    text = "\n".join([head, '<robot name="robot_arm">', *tags, "</robot>", ""])
    (HERE / "robot_arm.urdf").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
