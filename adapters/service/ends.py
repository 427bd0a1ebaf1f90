"""Ends of processes, in words."""

from __future__ import annotations

import signal


def end_of(code: int) -> tuple[str, str | None]:
    """Words for the exit code of a process (minus the signal if one killed it), and the signal's name."""
    if code >= 0:
        return f"exited with status {code}", None
    try:
        name = signal.Signals(-code).name
    except ValueError:
        # Those for real time, other than the first and the last, have no names.
        name = f"signal {-code}"
    return f"killed by {name}", name
