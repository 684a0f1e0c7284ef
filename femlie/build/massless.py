"""Bodies without mass, which only name a frame."""

from __future__ import annotations

from ..elements.base import Block
from ..errors import ModelError
from .draft import Draft

# a joint carries what it holds; springs and loads carry nothing
KINDS_WITH_MASS = ("beam", "body", "modal_body", "user")


def refuse_massless(draft: Draft) -> None:
    """Bodies without mass must be tied to mass, held, or carried by joints.

    Raises
    ------
    ModelError
    """
    carried = {
        frame
        for block in draft.blocks
        if _carries(block)
        for frame in block.frames.reshape(-1).tolist()
    }
    places = draft.places
    for name, body in draft.bodies.items():
        frame = int(places.node_frames[places.body_nodes[name]])
        is_free = draft.numbers[frame].max() >= 0
        if body.mass is None and is_free and frame not in carried:
            raise ModelError(
                f"Body '{name}' has the mass 0, and nothing holds it or is tied to it "
                "that has mass: expected a positive number."
            )


def _carries(block: Block) -> bool:
    return block.kind in KINDS_WITH_MASS or block.n_multipliers > 0
