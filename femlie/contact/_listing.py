"""Kernels that write the rows of a list of contacts."""

from __future__ import annotations

from .._jit import inline, kernel, routine
from . import _layout as layout
from ._chords import part_of_pair


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


@inline
def row_beside(pairs, contact, i, master):
    """The same of a master across an end of that of row ``i``, with the same slave."""
    begin, end = contact
    slave = pairs[i, 0]
    for k in (i - 1, i + 1):
        if begin <= k < end and pairs[k, 1] == master and pairs[k, 0] == slave:
            return k
    return row_of(pairs, begin, end, slave, master)


@inline
def put_neighbors(codes, i, pairs, contact, neighbors, is_line):
    """Rows across both ends of the slave, and of the master, of the same contact."""
    for j in range(2):
        codes[i, layout.NEXT + j] = codes[i, layout.NEXT + 2 + j] = layout.CHAIN_END
        there = neighbors[pairs[i, 0], j]
        if there >= 0:
            # a line has one slave
            found = layout.NOT_LISTED
            if not is_line:
                found = row_of(pairs, contact[0], contact[1], there, pairs[i, 1])
            codes[i, layout.NEXT + j] = found
        there = neighbors[pairs[i, 1], j]
        if there >= 0:
            codes[i, layout.NEXT + 2 + j] = row_beside(pairs, contact, i, there)


@inline
def put_pair(targets, i, slave, master, segments):
    """What a pair of segments is of itself: see `fill_rows`."""
    rows, codes, parameters = targets
    frames, offsets, has_offsets, lengths, radii, first, second = segments
    codes[i, layout.SLAVE], codes[i, layout.MASTER] = slave, master
    codes[i, layout.HAS_OFFSETS] = int(has_offsets[slave] or has_offsets[master])
    # the first contact part that asks for the pair
    part, is_first = part_of_pair(first, second, slave, master)
    codes[i, layout.TOTAL] = radii.shape[0] + part
    codes[i, layout.IS_FIRST] = int(is_first)
    codes[i, layout.SHAPE] = codes[i, layout.AT_NODES] = 0
    parameters[i, layout.LENGTH] = lengths[slave]
    parameters[i, layout.MASTER_LENGTH] = lengths[master]
    parameters[i, layout.RADII] = radii[slave] + radii[master]
    parameters[i, layout.GROWTH] = 0.0
    for j in range(2):
        rows[i, j], rows[i, 2 + j] = frames[slave, j], frames[master, j]
        parameters[i, layout.PENALTY + j] = parameters[i, layout.WEAK + j] = 0.0
    for k in range(14):
        parameters[i, layout.SLAVE_OFFSETS + k] = offsets[slave, k]
        parameters[i, layout.MASTER_OFFSETS + k] = offsets[master, k]


@kernel
def fill_rows(contacts, neighbors, segments, sizes, is_owned, targets):
    """Rows of contacts: form, multipliers, who owns them, neighbors, and segments.

    Parameters
    ----------
    contacts : tuple
        Pairs (n, 2); first row (n_contacts + 1,) of each run or point contact; their
        multipliers (n_contacts, 2), -1 for none; forms (n_points,) of point contacts,
        which are the last.
    neighbors : (n_segments, 2) int array
    segments : tuple
        Frames (n_segments, 2), poses of sections (n_segments, 14), which of these are
        not those of nodes, lengths, radii, and bits of the contact parts that name
        them first, and second.
    sizes : tuple
        Unit of length and reach.
    is_owned : (n_multipliers,) bool array
        False before.
    targets : tuple
        Receive frames (n, 4), codes and parameters.
    """
    pairs, starts, numbers, forms = contacts
    _, codes, parameters = targets
    n_lines = starts.shape[0] - 1 - forms.shape[0]
    for g in range(starts.shape[0] - 1):
        begin, end = starts[g], starts[g + 1]
        is_line = g < n_lines
        for i in range(begin, end):
            codes[i, layout.FORM] = layout.LINE if is_line else forms[g - n_lines]
            codes[i, layout.FIRST], codes[i, layout.COUNT] = begin, end - begin
            for j in range(2):
                codes[i, layout.MULTIPLIER + j] = numbers[g, j]
                codes[i, layout.OWNS + j] = 0
            put_neighbors(codes, i, pairs, (begin, end), neighbors, is_line)
            put_pair(targets, i, pairs[i, 0], pairs[i, 1], segments)
            parameters[i, layout.UNIT], parameters[i, layout.REACH] = sizes
        for j in range(2):
            number = numbers[g, j]
            if number >= 0 and not is_owned[number]:
                is_owned[number] = True
                codes[begin, layout.OWNS + j] = 1
