"""Several elements at once: numbers side by side in one scratch array.

Row ``j`` of the scratch array ``s`` holds one number of ``LANES`` elements. A stage of
a kernel is a loop over the lanes without branches, which the compiler turns into
vector instructions; between stages everything stands in rows. What differs from
element to element is decided for all lanes together: a stage does no harm to an element
that does not need it.
"""

from __future__ import annotations

from .._jit import IS_COMPILED, add_transposed, inline, put_transposed, routine

# eight doubles are the widest vector of today's processors
LANES = 8 if IS_COMPILED else 1


@inline
def get(s, j, k):
    return s[j * LANES + k]


@inline
def get3(s, j, k):
    return (s[j * LANES + k], s[(j + 1) * LANES + k], s[(j + 2) * LANES + k])


@inline
def get4(s, j, k):
    return (
        s[j * LANES + k],
        s[(j + 1) * LANES + k],
        s[(j + 2) * LANES + k],
        s[(j + 3) * LANES + k],
    )


@inline
def get33(s, j, k):
    """Nine rows as a 3x3 tuple."""
    return (
        s[j * LANES + k],
        s[(j + 1) * LANES + k],
        s[(j + 2) * LANES + k],
        s[(j + 3) * LANES + k],
        s[(j + 4) * LANES + k],
        s[(j + 5) * LANES + k],
        s[(j + 6) * LANES + k],
        s[(j + 7) * LANES + k],
        s[(j + 8) * LANES + k],
    )


@inline
def get_triangle(s, j, k):
    return get33(s, j, k), get33(s, j + 9, k)


@inline
def get_blocks(s, j, k):
    """Four 3x3 tuples of a 6x6, one after another."""
    return (
        get33(s, j, k),
        get33(s, j + 9, k),
        get33(s, j + 18, k),
        get33(s, j + 27, k),
    )


@inline
def put(s, j, k, x):
    s[j * LANES + k] = x


@inline
def put3(s, j, k, v):
    s[j * LANES + k] = v[0]
    s[(j + 1) * LANES + k] = v[1]
    s[(j + 2) * LANES + k] = v[2]


@inline
def add3(s, j, k, v):
    s[j * LANES + k] += v[0]
    s[(j + 1) * LANES + k] += v[1]
    s[(j + 2) * LANES + k] += v[2]


@inline
def put4(s, j, k, q):
    put3(s, j, k, q)
    put(s, j + 3, k, q[3])


@inline
def put33(s, j, k, m):
    s[j * LANES + k] = m[0]
    s[(j + 1) * LANES + k] = m[1]
    s[(j + 2) * LANES + k] = m[2]
    s[(j + 3) * LANES + k] = m[3]
    s[(j + 4) * LANES + k] = m[4]
    s[(j + 5) * LANES + k] = m[5]
    s[(j + 6) * LANES + k] = m[6]
    s[(j + 7) * LANES + k] = m[7]
    s[(j + 8) * LANES + k] = m[8]


@inline
def put_triangle(s, j, k, triangle):
    put33(s, j, k, triangle[0])
    put33(s, j + 9, k, triangle[1])


@inline
def put_blocks(s, j, k, m):
    put33(s, j, k, m[0])
    put33(s, j + 9, k, m[1])
    put33(s, j + 18, k, m[2])
    put33(s, j + 27, k, m[3])


@inline
def copy(s, target, source, n):
    for j in range(n * LANES):
        s[target * LANES + j] = s[source * LANES + j]


@inline
def clear(s, j, n):
    for k in range(n * LANES):
        s[j * LANES + k] = 0.0


@inline
def gather(s, j, k, array, i, first, n):
    """``n`` numbers of row ``i`` of an array, from column ``first`` on."""
    for column in range(n):
        s[(j + column) * LANES + k] = array[i, first + column]


@inline
def gather_four(s, j, k, array, rows, first, n):
    """`gather` for four lanes from ``k`` on, of four numbers and more."""
    for column in range(0, n - 3, 4):
        at = (j + column) * LANES + k
        put_transposed(s, at, LANES, array, first + column, rows)
    if n % 4 != 0:
        # once more what is there already, and the rest
        at = (j + n - 4) * LANES + k
        put_transposed(s, at, LANES, array, first + n - 4, rows)


@inline
def gather_elements(s, j, array, start, n_lanes, first, n):
    """``n`` numbers of each element's row, from column ``first`` on."""
    if n_lanes == LANES and LANES % 4 == 0:
        for k in range(0, LANES, 4):
            i = start + k
            rows = (i, i + 1, i + 2, i + 3)
            gather_four(s, j, k, array, rows, first, n)
    else:
        for k in range(n_lanes):
            gather(s, j, k, array, start + k, first, n)


@inline
def gather_frames(s, j, array, frames, side, start, n_lanes, first, n):
    """The same of the rows of the elements' frames."""
    if n_lanes == LANES and LANES % 4 == 0:
        for k in range(0, LANES, 4):
            i = start + k
            rows = (
                frames[i, side], frames[i + 1, side],
                frames[i + 2, side], frames[i + 3, side],
            )  # fmt: skip
            gather_four(s, j, k, array, rows, first, n)
    else:
        for k in range(n_lanes):
            gather(s, j, k, array, frames[start + k, side], first, n)


@inline
def gather_blocks(s, j, k, array, i, first):
    """A 6x6 that is stored row by row, as four 3x3 blocks."""
    for row in range(3):
        for column in range(3):
            at = j + 3 * row + column
            place = first + 6 * row + column
            put(s, at, k, array[i, place])
            put(s, at + 9, k, array[i, place + 3])
            put(s, at + 18, k, array[i, place + 18])
            put(s, at + 27, k, array[i, place + 21])


@inline
def add_run(s, j, stride, k, array, slots, place, step, n):
    """Add rows ``j``, ``j + stride``, ... of a lane to ``n`` entries of an array.

    Their slots are ``step`` apart from ``place`` on, and stand for entries one after
    another where nothing is locked. What is locked goes to the last entry, which
    nobody reads.
    """
    start = int(slots[place])
    if int(slots[place + (n - 1) * step]) == start + n - 1:
        for m in range(n):
            array[start + m] += s[(j + stride * m) * LANES + k]
    else:
        for m in range(n):
            at = int(slots[place + step * m])
            if at < array.shape[0] - 1:
                array[at] += s[(j + stride * m) * LANES + k]


@inline
def add_six(s, j, k, array, slots, i, n_lanes, place, step):
    """Add rows ``j`` to ``j + 5`` of four lanes from ``k`` on, each as `add_run` does.

    ``i`` is the element of the first of them; fewer than four are worked on one by one.
    """
    if LANES % 4 == 0 and n_lanes == 4:
        last = place + 5 * step
        a, b = int(slots[i, place]), int(slots[i + 1, place])
        c, d = int(slots[i + 2, place]), int(slots[i + 3, place])
        gaps = (int(slots[i, last]) - a - 5) | (int(slots[i + 1, last]) - b - 5)
        gaps |= (int(slots[i + 2, last]) - c - 5) | (int(slots[i + 3, last]) - d - 5)
        if gaps == 0:
            add_transposed(array, (a, b, c, d), s, j * LANES + k, LANES)
            return
    for m in range(n_lanes):
        add_run(s, j, 1, k + m, array, slots[i + m], place, step, 6)


@routine
def add_sixes(s, j, array, slots, start, n_lanes, place, step):
    """Add rows ``j`` to ``j + 5`` of all lanes."""
    for k in range(0, n_lanes, 4):
        n = min(4, n_lanes - k)
        add_six(s, j, k, array, slots, start + k, n, place, step)


@routine
def add_columns(s, j, stride, array, slots, start, n_lanes, width, first):
    """The same for columns of a square from the ``first`` on, ``stride`` rows apart."""
    for k in range(0, n_lanes, 4):
        i, n = start + k, min(4, n_lanes - k)
        for c in range(first, stride):
            for row in range(0, stride, 6):
                at, place = j + stride * c + row, row * width + c
                add_six(s, at, k, array, slots, i, n, place, width)
