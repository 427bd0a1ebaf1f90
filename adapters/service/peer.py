"""The process at the other end of a Unix socket, which was started outside the suite: its state and how it ended.

The kernel reports the end of a process to its parent only, with two exceptions. ``/proc`` has the exit code of a dead
process until the parent has waited for it (proc(5), ``exit_code``). From Linux 6.15 on, a pidfd has it even after that
(``PIDFD_GET_INFO`` with ``PIDFD_INFO_EXIT`` in ``linux/pidfd.h``).

:class:`PeerProcess` gives drivers of the selector ``unix`` (:mod:`nnvet.adapters.drivers`) the evidence that
:class:`nnvet.adapters.service.process.ServiceProcess` gives for processes that the suite starts itself.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from nnvet.adapters.service.activity import ProcessActivity, state_of
from nnvet.adapters.service.crashes import end_of
from nnvet.adapters.service.stacks import stacks_of_process
from nnvet.adapters.service.strays import tree
from nnvet.hal.types import OwnedHandle
from nnvet.transport.wire.failures import DeathEvidence

_SO_PEERPIDFD: Final = 77
"""Socket option of Linux 6.5 and later; the :mod:`socket` module of Python 3.11 does not name it."""
_INFO: Final = struct.Struct("=QQ11Ii")
"""``struct pidfd_info``, first version: mask, cgroup, eleven ids, exit code."""
_INFO_EXIT: Final = 1 << 3
"""Bit of the mask, ``PIDFD_INFO_EXIT``: the exit code is wanted, or in the answer, is there."""
_PIDFD_GET_INFO: Final = 3 << 30 | _INFO.size << 16 | 0xFF << 8 | 11
"""``_IOWR(PIDFS_IOCTL_MAGIC, 11, struct pidfd_info)``; source: ``linux/pidfd.h``."""
_DEATH_MS: Final = 500
"""Time for a dying process to end after its connection was lost."""
_ROOT: Final = 0
"""User id of the superuser, who sees the exit code of every process."""


class PeerProcess:
    """The process at the other end. All facts about it come from the kernel, none from the process itself."""

    def __init__(self, connection: socket.socket) -> None:
        """Keep a descriptor of the process at the other end of ``connection``."""
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid: int = struct.unpack("3i", credentials)[0]
        self._pidfd = OwnedHandle(_open_pidfd(connection, self.pid))
        self.activity = ProcessActivity(lambda: tree(self.pid))

    def evidence(self, *, dead: bool) -> DeathEvidence:
        """Return evidence about the process; ``dead`` if its connection is lost, so that it may be dying."""
        prefix = "connection closed, " if dead else ""
        if not self._has_ended(_DEATH_MS if dead else 0):
            stacks = "" if dead else stacks_of_process(self.pid).text
            return DeathEvidence(
                call="", state=f"{prefix}process {state_of(tree(self.pid))}", pid=self.pid, native_stacks=stacks
            )
        status = self._find_exit_status()
        if status is None:
            return DeathEvidence(call="", state=f"{prefix}process gone", pid=self.pid)
        code = os.waitstatus_to_exitcode(status)
        state, name = end_of(code)
        return DeathEvidence(call="", state=f"{prefix}process {state}", pid=self.pid, exit_code=code, signal=name)

    def _has_ended(self, limit_ms: int) -> bool:
        """Return True if the process ends within ``limit_ms`` milliseconds."""
        if self._pidfd.fd < 0:
            return not psutil.pid_exists(self.pid)
        poller = select.poll()
        poller.register(self._pidfd.fd, select.POLLIN)
        return bool(poller.poll(limit_ms))

    def _find_exit_status(self) -> int | None:
        """Return the exit status in the form of waitpid(2); None if it is unknown."""
        with suppress(OSError, ValueError, IndexError):
            folder = Path(f"/proc/{self.pid}")
            # The kernel shows 0 to everybody but the owner and root.
            if self._pidfd.fd >= 0 and os.geteuid() in (folder.stat().st_uid, _ROOT):
                fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                if fields[0] in "ZX":
                    return int(fields[-1])
        with suppress(OSError):
            answer = bytearray(_INFO.pack(_INFO_EXIT, *[0] * 13))
            fcntl.ioctl(self._pidfd.fd, _PIDFD_GET_INFO, answer)
            mask, *_, status = _INFO.unpack(answer)
            return int(status) if mask & _INFO_EXIT else None
        return None


def _open_pidfd(connection: socket.socket, pid: int) -> int:
    """Return a pidfd, which unlike a process id is never reused; -1 if none can be opened."""
    with suppress(OSError):
        return connection.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    with suppress(OSError):
        # The id is 0 if the process lies in a namespace that this one does not see.
        return os.pidfd_open(pid)
    return -1
