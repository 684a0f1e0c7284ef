"""Kernels that put pairs of segments together: runs, shared nodes, patches.

See `runs` for what these are.
"""

from __future__ import annotations

from .._jit import inline, kernel, routine

# two hollows of the distance along a run are two runs if the barrier between them is
# higher than this part of the radii
BARRIER = 0.25


@inline
def is_next(neighbors, one, other):
    """Whether two segments follow each other on their rod."""
    return neighbors[one, 0] == other or neighbors[one, 1] == other


@kernel
def orient(pairs, is_sphere, ranks, places, found):
    """Pairs (m, 2) as slave and master: spheres first, then by rank, then by place."""
    for k in range(pairs.shape[0]):
        one, other = pairs[k, 0], pairs[k, 1]
        if is_sphere[one] != is_sphere[other]:
            is_turned = is_sphere[other]
        elif ranks[one] != ranks[other]:
            is_turned = ranks[one] > ranks[other]
        else:
            is_turned = places[one] > places[other]
        found[k, 0] = other if is_turned else one
        found[k, 1] = one if is_turned else other


@kernel
def set_keys(pairs, chains, places, sizes, keys):
    """Numbers (m,) to sort pairs by: slave, rod of the master, place on it.

    ``sizes``: how many rods there are, and how many places on a rod. Returns whether
    pairs are sorted.
    """
    n_chains, most_places = sizes
    is_sorted = True
    for k in range(pairs.shape[0]):
        master = pairs[k, 1]
        key = pairs[k, 0] * n_chains + chains[master]
        keys[k] = key * most_places + places[master]
        is_sorted = is_sorted and (k == 0 or keys[k - 1] <= keys[k])
    return is_sorted


@routine
def next_barrier(gaps, low, end, height):
    """Where the hollow that begins here ends, and where the next one is seen.

    Both are ``end`` if there is no other.
    """
    top = low
    is_rising = False
    for k in range(low + 1, end):
        if not is_rising:
            if gaps[k] < gaps[low]:
                low = k
            elif gaps[k] > gaps[low] + height:
                is_rising, top = True, k
        elif gaps[k] > gaps[top]:
            top = k
        elif gaps[k] < gaps[top] - height:
            return top, k, low
    return end, end, low


@routine
def end_of_run(pairs, begin, neighbors):
    """Behind the last of the pairs of one slave with masters that follow each other."""
    end = begin + 1
    while (
        end < pairs.shape[0]
        and pairs[end, 0] == pairs[begin, 0]
        and is_next(neighbors, pairs[end - 1, 1], pairs[end, 1])
    ):
        end += 1
    return end


@kernel
def split(pairs, gaps, neighbors, radii, slaves, starts, masters):
    """Runs of oriented pairs that are sorted along each master; how many there are.

    A barrier between two hollows of the gap parts a run, and is in both parts.

    Parameters
    ----------
    pairs : (m, 2) int array
        Slave and master.
    gaps : (m,) array
    neighbors : (n, 2) int array
    radii : (n,) array
    slaves, starts, masters : (2 m,), (2 m + 1,), (2 m,) int arrays
        Receive slave and first place of each run, and all masters.
    """
    m = pairs.shape[0]
    n_runs = at = begin = 0
    starts[0] = 0
    while begin < m:
        end = end_of_run(pairs, begin, neighbors)
        least = radii[pairs[begin, 1]]
        for k in range(begin, end):
            least = min(least, radii[pairs[k, 1]])
        first = low = begin
        while first < end:
            top, low, _ = next_barrier(gaps, low, end, BARRIER * least)
            for j in range(first, min(top + 1, end)):
                masters[at] = pairs[j, 1]
                at += 1
            slaves[n_runs] = pairs[begin, 0]
            n_runs += 1
            starts[n_runs] = at
            first = top
        begin = end
    return n_runs


@routine
def overlap(starts, masters, neighbors, a, b):
    """How much two runs have in common: common masters, and neighboring ones."""
    score = 0
    for j in range(starts[b], starts[b + 1]):
        is_same = is_beside = False
        for k in range(starts[a], starts[a + 1]):
            is_same = is_same or masters[k] == masters[j]
            is_beside = is_beside or is_next(neighbors, masters[k], masters[j])
        score += 3 if is_same else int(is_beside)
    return score


@routine
def root(parents, k):
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


@routine
def best_match(runs, first, nodes, one, end, other, there):
    """Two runs of neighboring slaves that overlap most and have no partner there."""
    starts, masters, neighbors = runs
    best, a, b = 0, -1, -1
    for i in range(first[one], first[one + 1]):
        if nodes[i, end] >= 0:
            continue
        for j in range(first[other], first[other + 1]):
            if nodes[j, there] >= 0:
                continue
            score = overlap(starts, masters, neighbors, i, j)
            if score > best:
                best, a, b = score, i, j
    return a, b


@kernel
def link(slaves, starts, masters, neighbors, first, nodes, patches):
    """Nodes that runs of neighboring slaves share, and patches of linked runs.

    Of several runs of two neighbors those that overlap most go together.

    Parameters
    ----------
    slaves, starts, masters : int arrays
        Runs, sorted by slave.
    neighbors : (n, 2) int array
    first : (n + 1,) int array
        Receives the first run of each segment.
    nodes : (n_runs, 2) int array
        Receives the number of the node at each end of the slave; -1 before.
    patches : (n_runs,) int array
        Receives the lowest run of each patch.
    """
    n_runs = slaves.shape[0]
    runs = (starts, masters, neighbors)
    segment = 0
    for k in range(n_runs):
        patches[k] = k
        while segment <= slaves[k]:
            first[segment] = k
            segment += 1
    first[segment:] = n_runs
    n_nodes = 0
    for g in range(n_runs):
        slave = slaves[g]
        if g > 0 and slaves[g - 1] == slave:
            continue
        for end in range(2):
            other = neighbors[slave, end]
            if other <= slave:
                continue
            there = 1 if neighbors[other, 1] == slave else 0
            if neighbors[other, 0] == slave and neighbors[other, 1] == slave:
                there = 1 - end
            while True:
                a, b = best_match(runs, first, nodes, slave, end, other, there)
                if a < 0:
                    break
                nodes[a, end] = nodes[b, there] = n_nodes
                n_nodes += 1
                low, high = root(patches, a), root(patches, b)
                patches[max(low, high)] = min(low, high)
    for g in range(n_runs):
        for end in range(2):
            if nodes[g, end] < 0:
                nodes[g, end] = n_nodes
                n_nodes += 1
        patches[g] = root(patches, g)
    return n_nodes


@routine
def holds(masters, begin, end, one):
    """Place of a master among others, or -1."""
    for k in range(begin, end):
        if masters[k] == one:
            return k
    return -1


@kernel
def extend(slaves, starts, masters, neighbors, chains, new_starts, wide):
    """One more master at either end of each run, of another rod."""
    at = 0
    new_starts[0] = 0
    for g in range(slaves.shape[0]):
        begin, end = starts[g], starts[g + 1]
        before = behind = -1
        if chains[slaves[g]] != chains[masters[begin]]:
            for k in range(2):
                one = neighbors[masters[begin], k]
                if one >= 0 and before < 0 and holds(masters, begin, end, one) < 0:
                    before = one
                one = neighbors[masters[end - 1], k]
                is_new = one >= 0 and holds(masters, begin, end, one) < 0
                if is_new:
                    behind = one
        if behind == before:
            behind = -1
        if before >= 0:
            wide[at] = before
            at += 1
        for k in range(begin, end):
            wide[at] = masters[k]
            at += 1
        if behind >= 0:
            wide[at] = behind
            at += 1
        new_starts[g + 1] = at
    return at


@kernel
def cut(masters, windows, starts, kept):
    """Masters from the first to the last place of each of ``windows`` (n, 2).

    ``starts`` (n + 1,) receives where these begin, ``kept`` receives the masters.
    """
    at = 0
    starts[0] = 0
    for g in range(windows.shape[0]):
        for k in range(windows[g, 0], windows[g, 1] + 1):
            kept[at] = masters[k]
            at += 1
        starts[g + 1] = at


@kernel
def put_pairs(slaves, starts, masters, pairs):
    """Slave and master of each place, into the first rows of ``pairs``."""
    for g in range(slaves.shape[0]):
        for k in range(starts[g], starts[g + 1]):
            pairs[k, 0], pairs[k, 1] = slaves[g], masters[k]
