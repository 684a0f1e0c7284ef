"""The command ``femlie``: arguments, messages and exit codes; no physics."""

from .command import main

__all__ = ["main"]
