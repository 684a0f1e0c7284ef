"""Where the sample meshes are, and small Gmsh files written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

# An L of two lines on nodes 5, 700 and 12, in Gmsh's format 2.2.
CORNER_22 = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
0 1 "foot"
1 2 "both arms"
$EndPhysicalNames
$Nodes
3
5 0 0 0
700 1 0 0
12 1 2 0
$EndNodes
$Elements
3
1 15 2 1 1 5
2 1 2 2 1 5 700
3 1 2 2 2 700 12
$EndElements
"""

# The same in format 4.1.
CORNER_41 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
0 1 "foot"
1 2 "both arms"
$EndPhysicalNames
$Entities
1 1 0 0
1 0 0 0 1 1
1 0 0 0 1 2 0 1 2 0
$EndEntities
$Nodes
1 3 5 700
1 1 0 3
5
700
12
0 0 0
1 0 0
1 2 0
$EndNodes
$Elements
2 3 1 3
0 1 15 1
1 5
1 1 1 2
2 5 700
3 700 12
$EndElements
"""


@pytest.fixture
def meshes() -> Path:
    return Path(__file__).parents[3] / "meshes"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a small file and return its path."""

    def write(content: str | bytes, name: str = "part.msh") -> Path:
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    return write


@pytest.fixture(params=[CORNER_22, CORNER_41], ids=["2.2", "4.1"])
def corner(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def corner_22() -> str:
    return CORNER_22


@pytest.fixture
def corner_41() -> str:
    return CORNER_41
