"""The documents name files, keys and code that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.architecture.source import REPOSITORY, Module, modules

DOCUMENTS = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SOURCE_FILE = re.compile(r"`((?:femlie|tests|examples|meshes)/[\w/.]+\.\w+)`")
REFERENCES_SECTION = re.compile(r"References\n-+\n(.*?)(?:\n\n|\Z)", re.DOTALL)
KEY = re.compile(r"\[([A-Z]\w+)\]")
NAMES_AND_YEAR = re.compile(r"([A-Z][\w-]+)[^.;\d]*?(\d{4})")

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)


def anchors(document: Path) -> set[str]:
    """Anchors that a heading gets where Markdown is shown."""
    headings = HEADING.findall(document.read_text(encoding="utf-8"))
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def code_blocks(document: Path, language: str) -> list[str]:
    text = document.read_text(encoding="utf-8")
    return [code for kind, code in FENCE.findall(text) if kind == language]


def citations(module: Module) -> list[str]:
    """Sections named References of all docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [
        ast.get_docstring(node) or ""
        for node in ast.walk(module.tree)
        if isinstance(node, kinds)
    ]
    return [
        s for docstring in docstrings for s in REFERENCES_SECTION.findall(docstring)
    ]


@every_document
def test_links_lead_somewhere(document: Path) -> None:
    missing = []
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    assert not missing, f"{document.name}: {missing}"


@every_document
def test_files_that_a_document_names_exist(document: Path) -> None:
    names = SOURCE_FILE.findall(document.read_text(encoding="utf-8"))
    missing = [
        name
        for name in names
        if not (REPOSITORY / name).exists() and "NAME" not in name
    ]
    assert not missing, f"{document.name}: {missing}"


@every_document
def test_code_in_a_document_is_well_formed(document: Path) -> None:
    for code in code_blocks(document, "python"):
        compile(code, document.name, "exec")
    for code in code_blocks(document, "toml"):
        tomllib.loads(code)


def test_readme_starts_with_one_line_that_runs_and_one_that_tests() -> None:
    first, second = code_blocks(REPOSITORY / "README.md", "bash")[:2]
    assert "femlie run" in first
    assert "--picture" in first
    assert "pytest" in second
    assert first.count("\n") == second.count("\n") == 1


@pytest.mark.parametrize("module", modules().values(), ids=lambda m: m.name)
def test_cited_sources_stand_in_the_references(module: Module) -> None:
    entries = (REPOSITORY / "docs" / "references.md").read_text(encoding="utf-8")
    known = set(KEY.findall(entries))
    paragraphs = entries.split("\n- ")
    missing = []
    for section in citations(module):
        missing += [key for key in KEY.findall(section) if key not in known]
        for name, year in NAMES_AND_YEAR.findall(KEY.sub("", section)):
            if not any(name in p and year in p for p in paragraphs):
                missing.append(f"{name} {year}")
    assert not missing, f"{module.place}: {missing}"
