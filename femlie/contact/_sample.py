"""Gaps at three places of slave segments, to choose the form of contacts."""

from __future__ import annotations

from .._jit import kernel
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import clip, nearest
from ._segments import origin_of, point_on, segment
from ._shape_spots import distance_to, is_shape, shape_frame


@kernel
def sample(poses, block, gaps, masters, features):
    """Gap at three places of each run, and the master segment next to each.

    And whether that is a sharp edge of a rigid shape.
    """
    codes, parameters = block.codes, block.parameters
    found = 0
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        origin = origin_of(poses, block.frames[i, 0])
        for k in range(3):
            point = point_on(segment(poses, block, i, 0, origin), 0.5 * k)
            if is_shape(codes, i):
                body = shape_frame(poses, block, i, origin)
                distance, _, feature = distance_to(block, i, body, point)
                gaps[found, k] = distance - parameters[i, layout.RADII]
                masters[found, k] = codes[i, layout.MASTER]
                features[found, k] = feature
                continue
            row, eta, _, _, one = nearest(poses, block, i, point, origin)
            other = point_on(one, clip(eta, 0.0, 1.0))
            distance = lie.norm(lie.subtract(point, other))
            gaps[found, k] = distance - parameters[row, layout.RADII]
            masters[found, k] = codes[row, layout.MASTER]
        found += 1
