"""A word of shared memory that processes change atomically and sleep on, by the futex system call.

Python has no atomic read-modify-write on memory. The kernel has: FUTEX_WAKE_OP changes a word and wakes its
sleepers in one step. Memory is shared between processes, so the private variants of the calls are of no use here.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import platform
import threading
from dataclasses import dataclass
from typing import Final

from nnvet.hal.errors import failure

_WAIT: Final = 0
_WAKE_OP: Final = 5
_OR: Final = 2
_AND_NOT: Final = 3
_OPERATION_SHIFT: Final = 28
_OPERAND_SHIFT: Final = 12
_EVERYBODY: Final = 2**31 - 1
_NS_PER_S: Final = 1_000_000_000
_LONGEST_S: Final = 3600.0
"""Longer waits are made of several: seconds have to fit in the kernel's type."""

_EXPECTED: Final = (errno.EAGAIN, errno.EINTR, errno.ETIMEDOUT)


@dataclass(frozen=True)
class _Machine:
    """Number of the system call; whether loads and stores of one processor are seen by others in their order.

    x86 delays stores only past later loads (TSO). Others reorder freely.
    """

    futex: int
    ordered: bool


_MACHINES: Final = {
    "x86_64": _Machine(futex=202, ordered=True),
    "aarch64": _Machine(futex=98, ordered=False),
}
_MACHINE: Final = _MACHINES.get(platform.machine())


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = (
    ctypes.c_long,
    ctypes.c_void_p,
    ctypes.c_long,
    ctypes.c_long,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_long,
)


class Futex:
    """The aligned 32-bit word at ``offset`` of a writable shared mapping."""

    def __init__(self, mapping: object, offset: int) -> None:
        """Refer to the word; the mapping stays as long as this object.

        :raises HalError: GENERAL_FAILURE on a machine whose system calls are not known here.
        """
        if _MACHINE is None:
            known = ", ".join(_MACHINES)
            raise failure(f"no futex on {platform.machine()}: known machines are {known}", "burst/queue")
        self._number = _MACHINE.futex
        self._ordered = _MACHINE.ordered
        self._word = ctypes.c_uint32.from_buffer(mapping, offset)  # type: ignore[arg-type]
        self._address = ctypes.addressof(self._word)
        self._lock = threading.Lock()

    @property
    def value(self) -> int:
        """The word as it is now."""
        return self._word.value

    def set_bits(self, bits: int) -> None:
        """Set ``bits`` (below 4096) and wake whoever sleeps, in one step that is a full memory barrier."""
        self._change(_OR, bits)

    def clear_bits(self, bits: int) -> None:
        """Clear ``bits`` (below 4096) in one step that is a full memory barrier. Sleepers may wake, for nothing."""
        self._change(_AND_NOT, bits)

    def wait(self, expected: int, timeout_s: float | None) -> None:
        """Sleep while the word is ``expected``, at most ``timeout_s``. May return early: check, then call again."""
        limit = _LONGEST_S if timeout_s is None else max(0.0, min(timeout_s, _LONGEST_S))
        fraction, seconds = math.modf(limit)
        timeout = _Timespec(int(seconds), int(fraction * _NS_PER_S))
        self._call(_WAIT, expected, ctypes.addressof(timeout), None, 0)

    def order(self) -> None:
        """Loads and stores before are seen before loads and stores after, apart from stores before loads.

        x86 does so by itself, and the interpreter makes every access by a call of its own, which no compiler
        moves. Elsewhere the kernel's atomic operation on the word is the barrier.
        """
        if not self._ordered:
            self._change(_OR, 0)

    def fence(self) -> None:
        """Like :meth:`order`, and stores before are seen before loads after.

        On x86 every locked instruction is such a fence; taking a free lock is one.
        """
        if self._ordered:
            self._lock.acquire()
            self._lock.release()
        else:
            self._change(_OR, 0)

    def _change(self, operation: int, operand: int) -> None:
        # The second wake that the call offers (if the old value was equal to 0) would find nobody left.
        encoded = operation << _OPERATION_SHIFT | operand << _OPERAND_SHIFT
        self._call(_WAKE_OP, _EVERYBODY, None, self._address, encoded)

    def _call(self, operation: int, value: int, timeout: int | None, second: int | None, third: int) -> None:
        if _syscall(self._number, self._address, operation, value, timeout, second, third) < 0:
            error = ctypes.get_errno()
            if error not in _EXPECTED:
                raise OSError(error, f"futex: {os.strerror(error)}")
