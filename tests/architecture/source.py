"""The sources of femlie as syntax trees, and who imports what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "femlie"


@dataclass(frozen=True)
class Module:
    """One source file.

    Attributes
    ----------
    name : str
        Dotted name, e.g. ``"femlie.lie.se3"``.
    path : Path
    tree : ast.Module
    n_lines : int
    """

    name: str
    path: Path
    tree: ast.Module
    n_lines: int

    @property
    def place(self) -> str:
        """Path from the repository, for messages."""
        return self.path.relative_to(REPOSITORY).as_posix()

    @property
    def family(self) -> str:
        """Name of the module or folder directly within femlie; empty for its own."""
        return self.name.partition(".")[2].partition(".")[0]


@cache
def modules() -> dict[str, Module]:
    """All modules of femlie by name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(REPOSITORY).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, ast.parse(text), len(text.splitlines()))
    return found


def imports(module: Module) -> Iterator[tuple[str, int]]:
    """Absolute name and line of all that a module imports, wherever it does so."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in modules() else base), node.lineno


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    is_package = module.path.name == "__init__.py"
    above = node.level - 1 if is_package else node.level
    base = parts[: len(parts) - above]
    return ".".join([*base, node.module] if node.module else base)


def own_imports(module: Module) -> Iterator[tuple[str, int]]:
    """Imports from femlie itself."""
    for name, line in imports(module):
        if name == "femlie" or name.startswith("femlie."):
            yield name, line
