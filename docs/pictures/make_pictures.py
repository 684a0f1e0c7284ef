"""Draw the pictures of the gallery: run every example, and make its picture small.

``python docs/pictures/make_pictures.py`` needs a machine that can draw.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SIZE = (840, 630)


def main() -> None:
    """Pictures of all examples, in this folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for script in sorted(EXAMPLES.glob("[0-9]*.py")):
            runpy.run_path(str(script), run_name="__main__")
            name = f"{script.stem.partition('_')[2]}.png"
            with Image.open(name) as picture:
                small = picture.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
            small.save(HERE / f"{script.stem}.png", optimize=True)
        os.chdir(HERE)


if __name__ == "__main__":
    main()
