"""Forces and moments by their virtual work."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.joint import hat


def in_space(frame: Any, vector: Any, *, is_follower: bool) -> Any:
    """World components of a dead or follower vector."""
    return frame[:3, :3] @ vector if is_follower else np.asarray(vector)


def wrench(
    frame: Any, force: Any, moment: Any, point: Any, *, is_follower: bool
) -> Any:
    """Minus the virtual work (6,) of a force at a point and of a moment."""
    force = in_space(frame, force, is_follower=is_follower)
    moment = in_space(frame, moment, is_follower=is_follower)
    total = np.zeros(6)
    for k, unit in enumerate(np.eye(6)):
        moved = (frame @ hat(unit) @ np.array([*point, 1.0]))[:3]
        turned = frame[:3, :3] @ unit[3:]
        total[k] = -(moved @ force + turned @ moment)
    return total
