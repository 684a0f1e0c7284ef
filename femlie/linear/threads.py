"""One thread for linear algebra: two threads on a busy computer wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from .factorization import Factorization
from .fronts import has_fronts


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  (finds libraries that are loaded already)
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS has one thread inside of this, and as many as before behind it."""
    with _controller().limit(limits=1):
        yield


@contextmanager
def calm(factorization: Factorization | None) -> Iterator[None]:
    """One thread if a factorization calls BLAS; else nothing happens."""
    if factorization is None or not has_fronts(factorization):
        yield
        return
    with one_thread():
        yield


def keep_one_thread() -> None:
    """BLAS has one thread from here on: for a process of its own."""
    _controller().limit(limits=1)
