"""What to look at where a static analysis has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..assembly import Assembly
from ..elements.base import Motion
from ..system import System
from .mobility import free_motion_in_words
from .reports import contradiction_at_full_load

if TYPE_CHECKING:
    from .contact import ContactRun


def advice(
    assembly: Assembly, motion: Motion, contact: ContactRun | None, log: list[float]
) -> str:
    """Contradictions, free motions and contacts, as far as there are any, in words.

    Parameters
    ----------
    assembly : Assembly
    motion : Motion
        Where the last load step has ended.
    contact : ContactRun or None
    log : list of float
        Residuals of the iterations of the step that failed.
    """
    system, reached = assembly.system, float(motion.time[0])
    free = _free_motion(system, contact, motion)
    # what slides off leaves rows of contacts that seem to contradict each other
    text = free if contact is not None and contact.slips is not None else ""
    if system.n_redundant and not text:
        text = contradiction_at_full_load(assembly, motion)
    text = text or free
    if contact is not None:
        # not loaded where nothing touches
        from .contact_words import with_contact

        motion.time[0] = reached
        text = with_contact(text, contact, (assembly, motion), log)
    return text or (
        "Check supports and loads there, or run it as a dynamic analysis with damping."
    )


def _free_motion(system: System, contact: ContactRun | None, motion: Motion) -> str:
    """What nothing but contact holds, in some sentences; empty without."""
    text = free_motion_in_words(system)
    if not text or contact is None:
        return text
    if system.summary.get("disconnected_parts", 1) == 1:
        # not loaded where nothing touches
        from .contact_words import touching_in_words

        text = touching_in_words(contact, motion) or text
    return text if contact.slips is None else f"{contact.slips.words()} {text}"
