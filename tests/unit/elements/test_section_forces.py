"""Loads along a beam, as its section forces see them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.elements import _body_kernel as body
from femlie.elements._beam_geometry import N_OUTPUTS, N_PARAMETERS
from femlie.elements._section_forces import add_spread_loads
from femlie.elements.spread import SpreadLoads, flat_spread_loads
from tests.block_case import assert_close, block_case
from tests.oracles import beam as oracle
from tests.oracles import load as load_oracle
from tests.oracles.joint import exp, frame, inverse
from tests.sample_elements import beam_block, beam_variants, chain

SIGNAL = 3


@pytest.mark.parametrize("kind", [body.DEAD, body.FOLLOWER, body.WEIGHT])
@pytest.mark.parametrize("name", beam_variants())
def test_ends_and_middle_are_in_balance_with_loads_on_the_nodes(
    name: str, kind: int
) -> None:
    """The second of two elements, whose ends are turned and offset, on both ends."""
    rng = np.random.default_rng(5)
    element = beam_variants()[name]
    case = block_case(beam_block([element, element]), chain(2, rng), rng)
    loads = rng.normal(size=(2, body.N_LOAD_PARAMETERS))
    signals, kinds = np.full(2, SIGNAL), np.full(2, kind)
    spread = SpreadLoads(1, np.array([2, 3]), signals, kinds, loads)
    # another block stands before that of the beams
    starts = np.array([[0, 0], [7, 11]])
    codes, flat = flat_spread_loads(spread, [case.block, case.block], starts)
    parameters = np.concatenate([np.zeros(11), case.data.parameters.ravel()])
    assert parameters.size == 11 + 2 * N_PARAMETERS
    outputs = np.zeros(7 + 2 * N_OUTPUTS)
    add_spread_loads(case.motion, codes, flat, parameters, outputs)
    nodes = [frame(pose) for pose in case.motion.poses[1:]]
    sections = oracle.ends(element, nodes)
    signal = case.motion.signals[SIGNAL, 0]
    wrenches = []
    for node, offset, row in zip(nodes, element.offsets, loads, strict=True):
        given: Any = (signal * row[:3], signal * row[3:6], row[6:])
        on_node = load_oracle.wrench(node, *given, is_follower=kind == body.FOLLOWER)
        # minus the wrench of a load on the node; the same power at the section
        to_node = oracle.carried(frame(np.asarray(offset)))
        wrenches.append(-to_node.T @ on_node)
    half = exp(0.5 * oracle.log(inverse(sections[0]) @ sections[1]))
    both = np.concatenate(wrenches)
    middle = oracle.inertia_at_middle(half, -both, oracle.LOAD_AT_END)
    expected = np.concatenate([wrenches[0], middle, -wrenches[1]])
    assert_close(outputs[7 + N_OUTPUTS :], expected, 1e-12)
    assert not np.any(outputs[: 7 + N_OUTPUTS])
