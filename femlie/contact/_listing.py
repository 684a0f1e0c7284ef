"""Kernels that write the rows of a list of contacts."""

from __future__ import annotations

from .._jit import kernel, routine
from . import _layout as layout


@routine
def row_of(pairs, begin, end, slave, master):
    """Row of a pair within its contact, or that it is not listed."""
    for k in range(begin, end):
        if pairs[k, 0] == slave and pairs[k, 1] == master:
            return k
    return layout.NOT_LISTED


@kernel
def number_nodes(nodes, known, numbers):
    """Nodes (n, 2) numbered as they come; how many there are.

    ``known``: -1 for each node; receives its number.
    """
    n = 0
    for g in range(nodes.shape[0]):
        for end in range(2):
            node = nodes[g, end]
            if known[node] < 0:
                known[node] = n
                n += 1
            numbers[g, end] = known[node]
    return n


@kernel
def fill_codes(pairs, starts, numbers, forms, neighbors, is_owned, codes):
    """Rows of contacts: form, multipliers, who owns them, and neighboring rows.

    Parameters
    ----------
    pairs : (n, 2) int array
    starts : (n_contacts + 1,) int array
        First row of each run or point contact.
    numbers : (n_contacts, 2) int array
        Multipliers, -1 for none.
    forms : (n_contacts,) int array
    neighbors : (n_segments, 2) int array
    is_owned : (n_multipliers,) bool array
        False before.
    codes : (n, n_codes) int array
        Receives them; zero before.
    """
    for g in range(starts.shape[0] - 1):
        begin, end = starts[g], starts[g + 1]
        for i in range(begin, end):
            slave, master = pairs[i, 0], pairs[i, 1]
            codes[i, layout.FORM] = forms[g]
            codes[i, layout.FIRST] = begin
            codes[i, layout.COUNT] = end - begin
            codes[i, layout.SLAVE] = slave
            codes[i, layout.MASTER] = master
            for j in range(2):
                codes[i, layout.MULTIPLIER + j] = numbers[g, j]
                there = neighbors[slave, j]
                found = layout.CHAIN_END
                if there >= 0:
                    found = row_of(pairs, begin, end, there, master)
                codes[i, layout.NEXT + j] = found
                there = neighbors[master, j]
                found = layout.CHAIN_END
                if there >= 0:
                    found = row_of(pairs, begin, end, slave, there)
                codes[i, layout.NEXT + 2 + j] = found
        for j in range(2):
            number = numbers[g, j]
            if number >= 0 and not is_owned[number]:
                is_owned[number] = True
                codes[begin, layout.OWNS + j] = 1


@kernel
def fill_parameters(pairs, frames, sizes, offsets, has_offsets, targets):
    """Lengths, radii and poses of sections of all rows.

    Parameters
    ----------
    pairs : (n, 2) int array
    frames : (n_segments, 2) int array
    sizes : tuple
        Lengths and radii of segments, unit, reach.
    offsets : (n_segments, 2, 7) array
    has_offsets : (n_segments,) bool array
    targets : tuple
        Frames (n, 4), codes and parameters of the rows; zero before.
    """
    lengths, radii, unit, reach = sizes
    rows, codes, parameters = targets
    for i in range(pairs.shape[0]):
        slave, master = pairs[i, 0], pairs[i, 1]
        parameters[i, layout.LENGTH] = lengths[slave]
        parameters[i, layout.MASTER_LENGTH] = lengths[master]
        parameters[i, layout.RADII] = radii[slave] + radii[master]
        parameters[i, layout.UNIT] = unit
        parameters[i, layout.REACH] = reach
        for side in range(2):
            one = pairs[i, side]
            for end in range(2):
                rows[i, 2 * side + end] = frames[one, end]
                at = layout.SLAVE_OFFSETS + 14 * side + 7 * end
                for k in range(7):
                    parameters[i, at + k] = offsets[one, end, k]
        if has_offsets[slave] or has_offsets[master]:
            codes[i, layout.HAS_OFFSETS] = 1
