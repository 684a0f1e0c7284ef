"""Where compiled code is kept; must be known before numba is imported."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

COMPILED_CODE = re.compile(
    rb"^@(kernel|allocating_kernel|allocating_routine|inline|routine|shared)$",
    re.MULTILINE,
)


def _cache_folder() -> Path:
    root = os.environ.get("FEMLIE_CACHE_DIR")
    base = Path(root) if root else Path.home() / ".cache" / "femlie"
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for source in sorted(here.parent.rglob("*.py")):
        content = source.read_bytes()
        if source.parent == here or COMPILED_CODE.search(content):
            digest.update(content)
    return base / digest.hexdigest()[:16]


CACHE_FOLDER = _cache_folder()
os.environ.setdefault("NUMBA_CACHE_DIR", str(CACHE_FOLDER))

import numba  # noqa: E402  (the cache folder must be known before)

# numba may have been imported before, and reads the variable only once
numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

IS_COMPILED = not numba.config.DISABLE_JIT
