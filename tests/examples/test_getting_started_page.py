"""docs/getting_started.md runs as it stands, from top to bottom."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main
from femlie.view import Picture

PAGE = (Path(__file__).parents[2] / "docs" / "getting_started.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GROUPS = {1: ("foot", 0), 2: ("tip", 0), 3: ("column", 1), 4: ("arm", 1)}


def write_mesh(path: Path) -> None:
    """What gmsh makes of the crane: 8 lines up, 8 lines to the side (format 2.2)."""
    column = [(0.0, 0.0, 3.0 * k / 8) for k in range(9)]
    nodes = [*column, *[(0.5 * k, 0.0, 3.0) for k in range(1, 9)]]
    lines = [f"1 2 {3 if k < 8 else 4} {k + 1} {k + 1} {k + 2}" for k in range(16)]
    cells = ["15 2 1 1 1", "15 2 2 2 17", *lines]
    path.write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n"
        + "".join(f'{dim} {k} "{name}"\n' for k, (name, dim) in GROUPS.items())
        + f"$EndPhysicalNames\n$Nodes\n{len(nodes)}\n"
        + "".join(f"{k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(nodes, start=1))
        + f"$EndNodes\n$Elements\n{len(cells)}\n"
        + "".join(f"{k} {cell}\n" for k, cell in enumerate(cells, start=1))
        + "$EndElements\n"
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Model files, scripts and commands in their order; nothing is drawn."""
    folder = tmp_path_factory.mktemp("page")
    write_mesh(folder / "crane.msh")
    space: dict[str, Any] = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(Picture, "save", lambda _self, path: Path(path))
        patch.setattr("femlie.view.animate", lambda _results, path, **_look: Path(path))
        for language, code in FENCE.findall(PAGE):
            if language == "toml":
                Path(code.split()[1]).write_text(code, encoding="utf-8")
            elif language == "python":
                exec(compile(code, "docs/getting_started.md", "exec"), space)
            elif "pip" not in code:
                run_commands(code)
    space["folder"] = folder
    return space


def run_commands(code: str) -> None:
    for line in code.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        assert program == "femlie"
        assert main(arguments) == 0, line


def test_script_and_file_agree(page: dict[str, Any]) -> None:
    from_file = fl.load_results(page["folder"] / "crane" / "results.h5")
    np.testing.assert_allclose(
        page["result"].positions("tip")[-1], from_file.positions("tip")[-1]
    )
    # the weight of 4 m of arm, 3 m of column and the load
    area = np.pi * (0.05**2 - 0.045**2)
    weight = 9.81 * 7850.0 * (3.0 * area + 4.0 * 0.12 * 0.06) + 2000.0
    assert page["result"].reactions("foot")[-1, 2] == pytest.approx(weight)


def test_the_crane_falls_as_far_in_the_script_as_in_the_file(
    page: dict[str, Any],
) -> None:
    swing = fl.load_results(page["folder"] / "swing" / "results.h5")
    np.testing.assert_allclose(
        page["motion"].positions("tip"), swing.positions("tip"), atol=1e-6
    )
    assert (page["folder"] / "tables" / "section_forces.csv").exists()
