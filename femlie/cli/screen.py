"""What the command line says: tables on standard output, all else on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

DONE, NOT_CONVERGED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
LINE_EVERY = 0.1  # of the run, where there is no terminal
REDRAW_EVERY = 0.1  # s


def show(text: str) -> None:
    """Print what was asked for."""
    _write(text, sys.stdout)


def say(text: str) -> None:
    """Print a message on standard error."""
    _write(f"femlie: {text}", sys.stderr)


def _write(text: str, stream: Any) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # a name in letters that the terminal lacks is no reason to stop
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


class ProgressBar:
    """Progress with the time that is left: a bar on a terminal, else lines.

    Parameters
    ----------
    is_quiet : bool
        Show nothing.
    """

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_quiet = is_quiet
        self._bar: Any = None
        self._task: Any = None
        self._start = time.monotonic()
        self._next_line = LINE_EVERY
        self._last_drawn = 0.0

    def __enter__(self) -> ProgressBar:
        self._start = time.monotonic()
        if not self._is_quiet and sys.stderr.isatty():
            self._bar = _rich_bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=1.0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, fraction: float, text: str) -> None:
        """Show what part of the run is done, 0 to 1, and where it stands."""
        if self._is_quiet:
            return
        if self._bar is not None:
            now = time.monotonic()
            if now - self._last_drawn >= REDRAW_EVERY or fraction >= 1.0:
                self._last_drawn = now
                self._bar.update(self._task, completed=fraction, description=text)
        elif fraction >= self._next_line:
            after = fraction + LINE_EVERY
            self._next_line = min(after, 1.0) if fraction < 1.0 else 2.0
            say(f"{100.0 * fraction:3.0f} % ({text}){self._time_left(fraction)}")

    def _time_left(self, fraction: float) -> str:
        if not 0.0 < fraction < 1.0:
            return ""
        left = (time.monotonic() - self._start) * (1.0 - fraction) / fraction
        return f", about {max(left, 1.0):.0f} s left"


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TaskProgressColumn(),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        auto_refresh=False,
    )
