"""Parts of a file in Gmsh's MSH format: sections, names and streams of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femlie.errors import MeshError
from femlie.mesh.cells import DIMENSIONS, CellBlock
from femlie.mesh.mesh import Array, IntArray

_HEADING = re.compile(rb"\s*\$(\w+)[ \t]*\r?\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors put it in front of UTF-8 text
_ANYTHING = re.compile(rb"\S")
_FIRST_SECTIONS = (b"MeshFormat", b"Comments", b"Comment")
_ONLY_ONCE = ("MeshFormat", "PhysicalNames", "Entities", "Nodes", "Elements")
_SAVE_AGAIN = "set Mesh.MshFileVersion to 4.1 or 2.2 in Gmsh and save the mesh again"


@dataclass(frozen=True)
class Layout:
    """How numbers are written in a file."""

    source: str
    version: str
    is_binary: bool
    byte_order: str
    size_bytes: int


def read_sections(data: bytes, source: str) -> dict[str, bytes]:
    """Content of each section, between ``$Name`` and ``$EndName``."""
    sections: dict[str, bytes] = {}
    place = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    while _ANYTHING.search(data, place):
        heading = _HEADING.match(data, place)
        if not sections and (heading is None or heading[1] not in _FIRST_SECTIONS):
            raise MeshError(
                f"'{source}' is not a Gmsh mesh: it does not start with $MeshFormat; "
                f"if it comes from Gmsh, {_SAVE_AGAIN}."
            )
        if heading is None:
            raise MeshError(
                f"'{source}' is damaged: byte {place} should start a section like "
                "$Nodes."
            )
        name = heading[1].decode()
        end = data.find(b"$End" + heading[1], heading.end())
        if end < 0:
            raise MeshError(
                f"'{source}' is cut off: its section ${name} has no $End{name}; "
                "write or copy the file again."
            )
        if name in sections and name in _ONLY_ONCE:
            raise MeshError(f"'{source}' is damaged: it has two sections ${name}.")
        sections[name] = data[heading.end() : end]
        place = end + len(b"$End" + heading[1])
    if "MeshFormat" not in sections:
        raise MeshError(f"'{source}' is not a Gmsh mesh: it has no $MeshFormat.")
    return sections


def read_layout(header: bytes, source: str) -> Layout:
    """Layout that the section $MeshFormat announces; MeshError if not supported."""
    first, _, rest = header.partition(b"\n")
    words = first.split()
    if len(words) != 3 or words[1] not in (b"0", b"1") or not words[2].isdigit():
        raise MeshError(
            f"'{source}' has a damaged $MeshFormat: expected version, file type and "
            f"data size, such as '4.1 0 8', got {first[:40]!r}."
        )
    version = words[0].decode("ascii", "replace")
    if version in ("2", "2.0", "2.1", "2.2"):
        version = "2.2"
    elif version != "4.1":
        shown = "4.0" if version == "4" else version
        raise MeshError(
            f"'{source}' is in Gmsh format {shown}, but only 4.1 and 2.2 are "
            f"supported: {_SAVE_AGAIN}."
        )
    is_binary = words[1] == b"1"
    size_bytes = int(words[2])
    orders = {b"\x01\x00\x00\x00": "<", b"\x00\x00\x00\x01": ">"}
    if is_binary and (rest[:4] not in orders or size_bytes not in (4, 8)):
        raise MeshError(
            f"'{source}' has a damaged $MeshFormat: its byte order cannot be told; "
            "save it again, or as ASCII (Mesh.Binary = 0)."
        )
    return Layout(source, version, is_binary, orders.get(rest[:4], "<"), size_bytes)


class Names:
    """Physical names by dimension and number; reports which were used."""

    def __init__(self, section: bytes, source: str) -> None:
        self.source = source
        self.known: dict[tuple[int, int], str] = {}
        self.names: set[tuple[int, str]] = set()
        try:
            lines = [line for line in section.decode().split("\n") if line.strip()]
        except UnicodeDecodeError as error:
            raise MeshError(
                f"'{source}' has physical names that are not UTF-8 text: "
                "save the geometry file as UTF-8 and mesh it again."
            ) from error
        for line in lines[1:]:
            match = re.fullmatch(r"\s*([0-3])\s+(\d+)\s+(.*?)\s*", line)
            if match is None:
                raise MeshError(
                    f"'{source}' has a damaged physical name: expected dimension, "
                    f'number and "name", got {line.strip()!r}.'
                )
            self._add((int(match[1]), int(match[2])), match[3])
        if lines and lines[0].strip() != str(len(lines) - 1):
            raise MeshError(
                f"'{source}' announces {lines[0].strip()!r} physical names, "
                f"but lists {len(lines) - 1}."
            )

    def _add(self, key: tuple[int, int], quoted: str) -> None:
        is_quoted = len(quoted) > 1 and quoted[0] == quoted[-1] == '"'
        name = quoted[1:-1] if is_quoted else quoted
        if not name:
            return
        if key in self.known or (key[0], name) in self.names:
            raise MeshError(
                f"'{self.source}' has the physical name '{name}' or its number "
                f"{key[1]} twice in dimension {key[0]}: give each group its own name."
            )
        self.known[key] = name
        self.names.add((key[0], name))

    def name(self, dimension: int, number: int) -> str:
        """Name of a physical group; its number as text where it has none."""
        if (dimension, number) in self.known:
            return self.known[dimension, number]
        if (dimension, str(number)) in self.names:
            raise MeshError(
                f"'{self.source}' has a physical group named '{number}' and another "
                f"one without name whose number is {number}: rename the first."
            )
        return str(number)

    def check_all_used(self, blocks: Sequence[CellBlock]) -> None:
        """Refuse a name of points or curves that has no cells.

        Surfaces and solids are not needed for lines: a mesh saved in one dimension
        may name them.
        """
        used = {
            (DIMENSIONS[block.shape], name)
            for block in blocks
            for name, rows in block.groups.items()
            if len(rows)
        }
        for dimension, name in sorted(self.names - used):
            if dimension < 2:
                raise MeshError(
                    f"'{self.source}' has the physical name '{name}' (dimension "
                    f"{dimension}), but no cells in it: mesh that part, or remove "
                    "the physical group."
                )


class Numbers:
    """The numbers of one section, taken from the front, ASCII or binary."""

    def __init__(self, section: bytes, title: str, layout: Layout) -> None:
        self.title = title
        self.layout = layout
        self.section = section
        self.words = [] if layout.is_binary else section.split()
        self.place = 0

    def integers(self, number: int) -> IntArray:
        """The next ``number`` values of type int."""
        return self._take(number, "i4", np.int64)

    def sizes(self, number: int) -> IntArray:
        """The next ``number`` values of type size_t."""
        return self._take(number, f"u{self.layout.size_bytes}", np.int64)

    def floats(self, number: int) -> Array:
        """The next ``number`` values of type double."""
        return self._take(number, "f8", np.float64)

    def records(self, number: int) -> tuple[IntArray, Array]:
        """Nodes of format 2.2: numbers (number,) and places (number, 3)."""
        if not self.layout.is_binary:
            table = self.floats(4 * number).reshape(number, 4)
            return table[:, 0].astype(np.int64), table[:, 1:]
        order = self.layout.byte_order
        dtype = np.dtype([("number", order + "i4"), ("place", order + "f8", 3)])
        rows = self._from_bytes(number, dtype)
        return rows["number"].astype(np.int64), rows["place"].astype(np.float64)

    def count_line(self) -> int:
        """The count on a line of its own that opens each section of format 2.2."""
        line, _, rest = self.section.partition(b"\n")
        if not line.strip().isdigit():
            raise self.fault(f"starts with {line[:40]!r}, not with a count")
        if self.layout.is_binary:
            self.section = rest
        else:
            self.place = 1
        return int(line)

    def check_end(self) -> None:
        """Refuse words that are left over; binary sections end with a line end."""
        if not self.layout.is_binary and self.place != len(self.words):
            raise self.fault("holds more numbers than it announces")

    def fault(self, what: str) -> MeshError:
        """The error that says what is wrong with this section."""
        return MeshError(
            f"'{self.layout.source}' is damaged: its section ${self.title} {what}."
        )

    def _take(self, number: int, kind: str, dtype: type) -> npt.NDArray[Any]:
        if self.layout.is_binary:
            raw = self._from_bytes(number, np.dtype(self.layout.byte_order + kind))
            return raw.astype(dtype)
        self._check_number(number, len(self.words) - self.place)
        words = self.words[self.place : self.place + number]
        self.place += number
        try:
            return np.array(words, dtype="S" if words else dtype).astype(dtype)
        except (ValueError, OverflowError) as error:
            raise self.fault("holds text where a number is expected") from error

    def _from_bytes(self, number: int, dtype: np.dtype) -> npt.NDArray[Any]:
        self._check_number(number, (len(self.section) - self.place) // dtype.itemsize)
        values = np.frombuffer(self.section, dtype, number, self.place)
        self.place += number * dtype.itemsize
        return values

    def _check_number(self, number: int, available: int) -> None:
        if not 0 <= number <= available:
            raise self.fault("ends before all that it announces")


class NodeRows:
    """From node numbers in the file to rows of the points."""

    def __init__(self, numbers: IntArray, source: str) -> None:
        if not len(numbers):
            raise MeshError(f"'{source}' holds no nodes: mesh the geometry, then save.")
        self.source = source
        self.order = np.argsort(numbers, kind="stable")
        self.numbers = numbers[self.order]

    def __call__(self, numbers: IntArray) -> IntArray:
        places = np.searchsorted(self.numbers, numbers)
        places = np.minimum(places, len(self.numbers) - 1)
        is_unknown = self.numbers[places] != numbers
        if is_unknown.any():
            raise MeshError(
                f"'{self.source}' is damaged: an element refers to node "
                f"{numbers[is_unknown][0]}, which is not in $Nodes."
            )
        return self.order[places]
