"""Libraries that are loaded before all others (LD_PRELOAD), which are meant for the driver, wherever that is.

The runtime of a sanitizer in the fuzzer's own process makes that slow, and ends it when C++ throws an exception there
whose library was loaded later. So what fuzzes a driver in a service starts without, and hands them on to the service.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

PRELOAD: Final = "LD_PRELOAD"
_KEPT: Final = "NNVET_SERVICE_PRELOAD"
_SHADOW: Final = 2
"""Memory that a process with a sanitizer has for each byte that it uses, about."""
_QUARANTINE_MIB: Final = 512


def environment_of(*, in_process: bool) -> Mapping[str, str]:
    """The environment of a process that asks a driver, in itself or in a service."""
    environment = dict(os.environ)
    preload = environment.pop(PRELOAD, "")
    if not preload:
        return environment
    return {**environment, PRELOAD if in_process else _KEPT: preload}


def hand_on() -> None:
    """Whatever this process starts from now on has the libraries that it was started without."""
    preload = os.environ.pop(_KEPT, "")
    if preload:
        os.environ[PRELOAD] = preload


def kill_group(process: subprocess.Popen[Any]) -> None:
    """End a process that was started in a session of its own, and what it has left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def memory_with_sanitizer(mib: int, *, in_process: bool) -> int:
    """The limit of a process whose driver may have so many MiB; what a sanitizer keeps comes on top."""
    is_preloaded = in_process and "san" in os.environ.get(PRELOAD, "")
    return _SHADOW * mib + _QUARANTINE_MIB if is_preloaded else mib
