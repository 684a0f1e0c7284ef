"""Make the links of Andrews' squeezer: ``python meshes/make_squeezer.py``.

Writes squeezer.msh beside this file: a closed surface for each link, about its mass
center in the axes of the link, with the joints where the benchmark has them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from make_meshes import around, prism, write_surfaces

# ends of each link about its mass center [m], and between which heights it lies
LINKS = {
    "crank": (((-0.00092, 0.0), (0.00608, 0.0)), 2),
    "coupler": (((0.0115, 0.0), (-0.0165, 0.0)), 1),
    "triangle": (((-0.01043, 0.01874), (-0.01043, -0.01626), (0.00957, 0.00074)), 0),
    "upper link": (((0.0, 0.00579), (0.0, -0.01421)), 2),
    "upper lever": (((-0.02308, -0.00916), (0.01692, -0.00916)), 1),
    "lower link": (((-0.00579, 0.0), (0.01421, 0.0)), 3),
    "lower lever": (((0.00449, 0.01228), (0.00449, -0.02772)), 2),
}
RADIUS, HEIGHT = 0.0018, 0.002


def main() -> None:
    """Write the file."""
    parts = {}
    for name, (ends, level) in LINKS.items():
        outline = np.array(around(*ends, radius=RADIUS))
        low = HEIGHT * (level - 1.5)
        parts[name] = prism(outline, low, low + 0.8 * HEIGHT)
    write_surfaces(Path(__file__).parent / "squeezer.msh", parts)


if __name__ == "__main__":
    main()
