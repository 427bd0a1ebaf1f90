"""Has a process of ours print the stacks of its threads when it crashes, or when it is asked to by a signal."""

from __future__ import annotations

import faulthandler
import signal
from typing import Final

from nnvet.adapters.service.process import STACKS_SIGNAL, STUCK_SIGNAL

_STDERR: Final = 2
"""A driver may have put something else in the place of ``sys.stderr``."""


def print_stacks_on_signal() -> None:
    """From now on obey the signals of :class:`nnvet.adapters.service.process.ServiceProcess`."""
    # Of a crash only the thread that crashed: what the others do meanwhile is another thing in every run.
    faulthandler.enable(all_threads=False)
    # A handler in Python has the interpreter to itself; faulthandler's own reads stacks that change meanwhile.
    signal.signal(STACKS_SIGNAL, _print_stacks)
    faulthandler.register(STUCK_SIGNAL)


def _print_stacks(*_: object) -> None:
    faulthandler.dump_traceback(_STDERR)
