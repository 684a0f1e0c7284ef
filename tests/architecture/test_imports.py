"""Imports go one way, and each outside package has one door."""

from __future__ import annotations

import graphlib
import subprocess
import sys

import pytest

from tests.architecture.source import Module, imports, modules, own_imports

# lowest first: a module imports from rows before its own, and within its own folder
ROWS = (
    ("errors", "_jit"),
    ("fields", "units"),
    ("lie", "sections", "mesh"),
    ("elements",),
    ("contact",),
    ("system",),
    ("records",),
    ("recovery",),
    ("tracking", "coordinates", "along_beams"),
    ("sensors",),
    ("_groups",),
    ("_equations",),
    ("pattern",),
    ("assembly", "recursive"),
    ("linear", "newton"),
    ("results_file",),
    ("results",),
    ("solvers",),
    ("parts",),
    ("build",),
    ("model",),
    ("loops",),
    ("urdf",),
    ("input_file",),
    ("view",),
    ("export", "sweeps", "compare"),
    ("cli",),
    ("__main__",),
    ("",),  # femlie/__init__.py, which only re-exports
)
ROW_OF = {name: row for row, names in enumerate(ROWS) for name in names}

# outside packages that are imported in one place only
DOORS = {
    "numba": ("femlie._jit",),
    "llvmlite": ("femlie._jit",),  # vectors of four numbers, which numba has no type for
    "pyvista": ("femlie.view",),
    "vtk": ("femlie.view",),
    "vtkmodules": ("femlie.view",),
    "matplotlib": ("femlie.view",),
    "imageio": ("femlie.view",),
    "h5py": ("femlie.results_file",),
    "meshio": ("femlie.mesh.vtk", "femlie.export"),  # one reads, one writes
}
# outside packages that one module imports, whichever that is
SINGLE = ("trimesh", "sksparse", "threadpoolctl", "rich", "yourdfpy")


def is_within(name: str, folders: tuple[str, ...]) -> bool:
    return any(name == folder or name.startswith(f"{folder}.") for folder in folders)


def outside_imports(package: str) -> list[str]:
    return [
        module.name
        for module in modules().values()
        if any(name.split(".")[0] == package for name, _ in imports(module))
    ]


@pytest.mark.parametrize("module", modules().values(), ids=lambda m: m.name)
def test_every_module_has_a_row(module: Module) -> None:
    assert module.family in ROW_OF, (
        f"{module.place} stands in no row: say in ROWS which modules it may import"
    )


def test_every_row_has_its_modules() -> None:
    families = {module.family for module in modules().values()}
    assert set(ROW_OF) == families


@pytest.mark.parametrize("module", modules().values(), ids=lambda m: m.name)
def test_imports_point_to_lower_rows(module: Module) -> None:
    own_row = ROW_OF.get(module.family, len(ROWS))
    wrong = []
    for name, line in own_imports(module):
        family = name.partition(".")[2].partition(".")[0]
        if family != module.family and ROW_OF.get(family, len(ROWS)) >= own_row:
            wrong.append(f"{module.place}:{line} imports {name}")
    assert not wrong, wrong


def test_no_import_leads_back_to_itself() -> None:
    graph = {
        module.name: {name for name, _ in own_imports(module)} - {module.name}
        for module in modules().values()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"circular import: {' <- '.join(error.args[1])}")


@pytest.mark.parametrize("package", DOORS)
def test_outside_package_is_imported_through_its_door(package: str) -> None:
    wrong = [n for n in outside_imports(package) if not is_within(n, DOORS[package])]
    assert not wrong, f"{package} belongs to {DOORS[package]}, not to {wrong}"


@pytest.mark.parametrize("package", SINGLE)
def test_outside_package_is_imported_by_one_module(package: str) -> None:
    assert len(outside_imports(package)) <= 1, outside_imports(package)


def test_importing_femlie_loads_no_viewer_and_no_file_reader() -> None:
    heavy = ("pyvista", "vtkmodules", "matplotlib", "meshio", "trimesh", "pandas")
    code = (
        "import sys, femlie\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
