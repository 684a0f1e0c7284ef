"""Compilation of kernels: the only package that imports numba.

Kernels are compiled on first use and cached on disk. Numba's cache does not notice an
edit to a helper in another file, so the cache folder carries a hash of all sources
that hold compiled code.
"""

from .cache import CACHE_FOLDER, IS_COMPILED

# isort: split
from .compiling import (
    address,
    allocating_kernel,
    allocating_routine,
    call,
    compile_for,
    compiled,
    entry_point,
    inline,
    kernel,
    routine,
    shared,
)
from .external import call_external, external
from .references import by_reference
from .transposing import add_transposed, put_transposed
from .views import part_of, rows_of, scratch

__all__ = [
    "CACHE_FOLDER",
    "IS_COMPILED",
    "add_transposed",
    "address",
    "allocating_kernel",
    "allocating_routine",
    "by_reference",
    "call",
    "call_external",
    "compile_for",
    "compiled",
    "entry_point",
    "external",
    "inline",
    "kernel",
    "part_of",
    "put_transposed",
    "routine",
    "rows_of",
    "scratch",
    "shared",
]
