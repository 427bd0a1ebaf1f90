"""Makes the suite's own service print the stacks of its threads when it crashes, or when a signal asks for them."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
from contextlib import suppress
from typing import Final

from nnvet.adapters.service import sandbox, sanitizers, traps
from nnvet.adapters.service.belongings import STACKS_SIGNAL, STUCK_SIGNAL
from nnvet.adapters.service.strays import MARK_VARIABLE

_PR_SET_PTRACER: Final = 0x59616D61
"""Of ``linux/prctl.h``."""
_FIRST: Final = "1"
"""The parent in namespaces of their own, as a number there; outside somebody watches all the same."""
_STDERR: Final = 2
"""A driver may have put something else in the place of ``sys.stderr``."""


def print_stacks_on_signal() -> None:
    """Handle the signals that :class:`nnvet.adapters.service.process.ServiceProcess` sends."""
    # Python's own handlers end with the interpreter and leave the signals to what was there before them: that has to be
    # the trap, so that it catches a crash in a library's destructors, too. -X faulthandler has set them already.
    faulthandler.disable()
    _trap_signals()
    # Of a crash only the thread that crashed: what the others do meanwhile is another thing in every run.
    faulthandler.enable(all_threads=False)
    _trap_signals()
    # A handler in Python has the interpreter to itself; faulthandler's own reads stacks that change meanwhile.
    signal.signal(STACKS_SIGNAL, _print_stacks)
    faulthandler.register(STUCK_SIGNAL)
    _let_parent_look()


def _trap_signals() -> None:
    """Stop at fatal signals if the parent process can examine this process then."""
    starter = os.environ.get(MARK_VARIABLE, "").rpartition("/")[2].partition(".")[0]
    parents = (starter, _FIRST) if os.environ.get(sandbox.VARIABLE) else (starter,)
    if str(os.getppid()) in parents and not sanitizers.is_asked_for():
        traps.set_trap()


def _let_parent_look() -> None:
    """Let our debuggers look at this process where Yama lets ancestors alone do so: they are its siblings."""
    with suppress(OSError, AttributeError):
        # It fails where there is no Yama.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(os.getppid()), 0, 0, 0)


def _print_stacks(*_: object) -> None:
    faulthandler.dump_traceback(_STDERR)
