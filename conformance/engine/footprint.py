"""Resources of a driver's process: descriptors, threads and memory, with those of its children."""

from __future__ import annotations

import os
import time
from typing import Final, NamedTuple

import psutil

from nnvet.adapters.calls import session_of
from nnvet.conformance.engine.outcome import unsupported
from nnvet.conformance.engine.subject import Subject

_SETTLING_S: Final = 2.0
_PATIENCE_S: Final = 1.0
_PAUSE_S: Final = 0.02
_SHADOW_BYTES: Final = 1 << 40
"""Address space that no driver has without a sanitizer, whose shadow alone is larger on machines of 64 bits."""


class Footprint(NamedTuple):
    """Present resources of a process, or by how much they may grow."""

    descriptors: float
    threads: float
    memory_bytes: float

    def __sub__(self, other: Footprint) -> Footprint:
        """The growth from ``other`` to this."""
        return Footprint(*(now - before for now, before in zip(self, other, strict=True)))


def footprint(subject: Subject) -> Footprint:
    """Return the resources of the driver's process, once it has seen what its client has released.

    :raises CaseFailed: the process cannot be looked into.
    """
    # Objects are released with the next call.
    subject.device.get_feature_level()
    session = session_of(subject.device)
    if session is not None:
        session.settle()
    try:
        process = psutil.Process(subject.process_id or os.getpid())
        family = [process, *process.children(recursive=True)]
        counts = [(member.num_fds(), member.num_threads(), member.memory_info().rss) for member in family]
    except psutil.Error as error:
        raise unsupported(f"the driver's process cannot be measured: {error}") from error
    return Footprint(*(sum(column) for column in zip(*counts, strict=True)))


def has_sanitizer(subject: Subject) -> bool:
    """Look for the shadow memory of a sanitizer in the driver's process; False if it cannot be looked into."""
    try:
        return bool(psutil.Process(subject.process_id or os.getpid()).memory_info().vms > _SHADOW_BYTES)
    except psutil.Error:
        return False


def settle_growth(subject: Subject, before: Footprint, allowed: Footprint) -> Footprint:
    """The growth since ``before``, once what is being closed has been closed: nothing, or what is allowed.

    What is more than allowed gets two seconds, what is allowed one.
    """
    began = time.monotonic()
    while True:
        growth, waited = footprint(subject) - before, time.monotonic() - began
        nothing = growth.descriptors <= 0 and growth.threads <= 0
        enough = all(grown <= most for grown, most in zip(growth, allowed, strict=True))
        if (enough and (nothing or waited > _PATIENCE_S)) or waited > _SETTLING_S:
            return growth
        time.sleep(_PAUSE_S)
