"""Where compiled code is kept; must be known before numba is imported."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path

COMPILED_CODE = re.compile(
    rb"^@(kernel|allocating_kernel|allocating_routine|inline|routine|shared)$",
    re.MULTILINE,
)
NAME = re.compile(r"[0-9a-f]{16}")
# what numba and femlie write there
CONTENT = ("*.nbi", "*.nbc", "loop_of_*")
UNUSED = 30 * 24 * 3600.0  # time after which a folder of other sources goes [s]


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


def remove_unused(base: Path, *, now: float) -> None:
    """Remove folders of other sources that no process has used for a month.

    Parameters
    ----------
    base : Path
        The folder that they stand in.
    now : float
        Time in seconds since 1970.

    Notes
    -----
    Only files that a cache has are deleted: a folder with others stays.
    """
    for folder in base.glob("*"):
        if not NAME.fullmatch(folder.name):
            continue
        with contextlib.suppress(OSError):
            if now - folder.stat().st_mtime > UNUSED:
                _remove(folder)


def _remove(folder: Path) -> None:
    for pattern in CONTENT:
        for file in folder.rglob(pattern):
            file.unlink(missing_ok=True)
    for inner in (*sorted(folder.rglob("*/"), reverse=True), folder):
        # fails where something else is left
        inner.rmdir()


CACHE_FOLDER = _cache_folder()
if CACHE_FOLDER.is_dir():
    with contextlib.suppress(OSError):
        # the time of its last use
        os.utime(CACHE_FOLDER)
else:
    remove_unused(CACHE_FOLDER.parent, now=time.time())
os.environ.setdefault("NUMBA_CACHE_DIR", str(CACHE_FOLDER))

import numba  # noqa: E402  (the cache folder must be known before)

# numba may have been imported before, and reads the variable only once
numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

IS_COMPILED = not numba.config.DISABLE_JIT
