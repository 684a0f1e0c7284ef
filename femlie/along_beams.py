"""Section forces of beams, read from records in one direction along each beam.

Elements write their own, in their own axes, first end first. A beam runs as the first
of its elements does; what others that point against it have written is turned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .elements.base import Array, IntArray
from .errors import FemlieError, ResultsError, check_name, suggestion
from .mesh.chains import BoolArray, turned_lines
from .records import N_SECTION_OUTPUTS, SECTION_PLACES, Layout

# An element from B to A in place of one from A to B has its section axes turned by
# half a turn about axis 2, and the other face of a cut for its positive one: the wrench
# changes its sign, and so do components along the axes 1 and 3.
TURNED_SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])


class SectionColumns(NamedTuple):
    """Columns of a beam's section forces in ``Records.outputs``, along the beam.

    Attributes
    ----------
    columns : (k, 3, 6) int array
        First end, middle and second end of each element as the beam runs.
    signs : (k, 1, 6) array
        Factors on them.
    is_turned : (k,) bool array
        Whether an element points against the beam, its first end last.
    """

    columns: IntArray
    signs: Array
    is_turned: BoolArray


def section_columns(
    layout: Layout, name: str, *, error: type[FemlieError] = ResultsError
) -> SectionColumns:
    """Where the section forces of a beam stand in ``Records.outputs``.

    Parameters
    ----------
    layout : Layout
    name : str
    error : type
        What to raise.

    Returns
    -------
    SectionColumns
        Along the beam: what elements that point against it have written is turned.

    Raises
    ------
    FemlieError
        If there is no such beam.
    """
    check_name(name, layout.sections, what="beams", error=error)
    if name not in layout.sections:
        hint = suggestion(name, layout.sections, what="beams")
        raise error(f"There is no beam '{name}' with section forces. {hint}")
    columns = layout.sections[name][:, None] + np.arange(N_SECTION_OUTPUTS)
    columns = columns.reshape(-1, len(SECTION_PLACES), 6)
    signs = np.ones((len(columns), 1, 6))
    is_turned = np.zeros(len(columns), dtype=bool)
    rows = layout.catalog.beam_ranges.get(name)
    if rows is not None:
        is_turned = turned_lines(layout.catalog.beams.nodes[rows])
        columns[is_turned] = columns[is_turned, ::-1]
        signs[is_turned] = TURNED_SIGNS
    return SectionColumns(columns, signs, is_turned)


def section_forces(
    layout: Layout, outputs: Array, name: str, *, places: Any = slice(None)
) -> Array:
    """Section forces of a beam, along the beam.

    Parameters
    ----------
    layout : Layout
    outputs : (n, n_outputs) array
    name : str
    places : int, list of int or slice
        Of ``SECTION_PLACES``.

    Returns
    -------
    (n, k, 3, 6) array
        Or what of it ``places`` takes: N, Vy, Vz [N], T, My, Mz [N m].
    """
    found = section_columns(layout, name)
    signs = np.broadcast_to(found.signs, found.columns.shape)
    return np.asarray(outputs[:, found.columns[:, places]] * signs[:, places])
