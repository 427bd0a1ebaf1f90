"""Looking into another process by ptrace(2), for as long as it takes: registers, memory, system calls in its place.

It is held by one thread of ours from :func:`held` to its end, and nothing of it stays traced: debuggers, sanitizers
and the process itself notice nothing afterwards.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_SEIZE, _INTERRUPT, _DETACH, _CONT, _SINGLESTEP = 0x4206, 0x4207, 17, 7, 9
_GETREGS, _SETREGS, _SETREGSET, _VECTORS = 12, 13, 0x4205, 0x202
"""Requests, and the set NT_X86_XSTATE; source: ``linux/ptrace.h``, ``linux/elf.h``, ``sys/ptrace.h`` of x86-64."""
_WALL: Final = 0x40000000
"""Threads that are no leaders are waited for, too; source: waitpid(2)."""
_EVENT_STOP: Final = 128
_STATUS_BITS: Final = 8
_CODE_SEGMENT: Final = 0x33
"""Of programs of 64 bits."""
_NO_CALL: Final = (1 << 64) - 1
_ERRORS: Final = 4096
_SYSCALL: Final = b"\x0f\x05"
_VDSO: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", re.MULTILINE)

NAMES: Final = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi"),
    *("orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs"),
)
"""Registers in the order of ``struct user_regs_struct``."""
IS_KNOWN: Final = platform.machine() == "x86_64" and platform.architecture()[0] == "64bit"
"""True on the one kind of processor whose registers are known here."""
_Registers = ctypes.c_uint64 * len(NAMES)


class _HasEndedError(OSError):
    """The process has ended meanwhile."""


def _ptrace(request: int, thread: int, data: int | ctypes.Array[ctypes.c_uint64] = 0, address: int = 0) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.restype = ctypes.c_long
    value = ctypes.byref(data) if isinstance(data, ctypes.Array) else ctypes.c_void_p(data)
    if library.ptrace(ctypes.c_long(request), ctypes.c_long(thread), ctypes.c_void_p(address), value) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class HeldThread:
    """A thread of another process that stands still for us."""

    def __init__(self, process: int, thread: int) -> None:
        """It is stopped; see :func:`held`."""
        self._thread = thread
        self._memory = Path(f"/proc/{process}/mem")
        self._maps = Path(f"/proc/{process}/maps")
        self.pending = 0
        """A signal that was about to be delivered, and is when the thread goes on."""

    def registers(self) -> dict[str, int]:
        """All registers by name."""
        values = _Registers()
        _ptrace(_GETREGS, self._thread, values)
        return dict(zip(NAMES, values, strict=True))

    def set_registers(self, registers: Mapping[str, int]) -> None:
        """Set all registers."""
        _ptrace(_SETREGS, self._thread, _Registers(*(registers[name] for name in NAMES)))

    def set_vectors(self, state: bytes) -> None:
        """Set the registers of floating point and vectors to a state in the form of the instruction XSAVE."""
        content = ctypes.create_string_buffer(state, len(state))
        described = (ctypes.c_uint64 * 2)(ctypes.addressof(content), len(state))
        _ptrace(_SETREGSET, self._thread, described, _VECTORS)

    def write(self, address: int, data: bytes) -> None:
        """Write into the memory of the process, also where the process itself may not."""
        with self._memory.open("r+b", buffering=0) as memory:
            memory.seek(address)
            memory.write(data)

    def call(self, number: int, *arguments: int) -> int:
        """The result of a system call that the thread makes.

        :raises OSError: it fails.
        """
        names = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
        given = dict(zip(names, (*arguments, *(0,) * (len(names) - len(arguments))), strict=True))
        at = {"rip": self._syscall_instruction(), "rax": number, "orig_rax": _NO_CALL}
        self.set_registers({**self.registers(), **at, **{name: value % (1 << 64) for name, value in given.items()}})
        while True:
            _ptrace(_SINGLESTEP, self._thread)
            stopped_by = wait(self._thread)
            if stopped_by == signal.SIGTRAP:
                break
            self.pending = stopped_by if stopped_by < _EVENT_STOP else self.pending
        result = self.registers()["rax"]
        if result > _NO_CALL - _ERRORS:
            error = _NO_CALL + 1 - result
            raise OSError(error, os.strerror(error))
        return result

    def _syscall_instruction(self) -> int:
        """Address of an instruction for system calls: the kernel maps one into every process."""
        found = _VDSO.search(self._maps.read_text(encoding="utf-8", errors="replace"))
        if found is None:
            raise OSError("the process has no vdso")
        begin, end = (int(part, 16) for part in found.groups())
        with self._memory.open("rb", buffering=0) as memory:
            memory.seek(begin)
            place = memory.read(end - begin).find(_SYSCALL)
        if place < 0:
            raise OSError("the vdso has no system call")
        return begin + place


def wait(thread: int) -> int:
    """Wait until a thread that we trace stops: the signal that is about to be delivered, or more than 128.

    :raises OSError: it has ended; whoever waits for that still can.
    """
    ended = os.waitid(os.P_PID, thread, os.WSTOPPED | os.WEXITED | os.WNOWAIT | _WALL)
    if ended is None or ended.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
        raise _HasEndedError("it has ended")
    stopped = os.waitid(os.P_PID, thread, os.WSTOPPED | _WALL)
    return 0 if stopped is None else stopped.si_status


@contextmanager
def held(process: int, thread: int | None = None) -> Iterator[HeldThread]:
    """Hold a thread of a process (None: the first) inside the block. All its registers are as before afterwards.

    Unless :meth:`HeldThread.registers` are set last of all: those it has then.

    :raises OSError: that is not allowed, is not possible here, or it has ended.
    """
    if not IS_KNOWN:
        raise OSError(f"registers of {platform.machine()} are not known")
    thread = thread or process
    _ptrace(_SEIZE, thread)
    holder = HeldThread(process, thread)
    try:
        _ptrace(_INTERRUPT, thread)
        while (stopped_by := wait(thread)) >> _STATUS_BITS != _EVENT_STOP:
            # A signal was there first. It is delivered; that we want to stop the thread is not forgotten.
            _ptrace(_CONT, thread, stopped_by)
        if holder.registers()["cs"] != _CODE_SEGMENT:
            raise OSError("it is no program of 64 bits")
        yield holder
    finally:
        with suppress(OSError):
            _ptrace(_DETACH, thread, holder.pending)
