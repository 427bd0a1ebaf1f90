"""The fast message queue: fixed-size elements from one process to another through shared memory, without system calls.

It is a ring with one writing and one reading process, and the word of memory that they sleep on. The layout is in
docs/message-queue.md. Neither end trusts the other: each keeps its own position in private memory, checks the
other's position, and copies elements out of the shared memory before they are read.

:func:`create_queue` makes a queue, and :class:`QueueWriter` and :class:`QueueReader` are its ends. Bursts use them
(:mod:`nnvet.transport.burst`).

Python has no atomic read-modify-write on memory. The kernel has: FUTEX_WAKE_OP changes a word and wakes its sleepers in
one step. Memory is shared between processes, so the private variants of the calls are of no use here.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import math
import mmap
import os
import platform
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

import msgspec

from nnvet.hal.errors import failure
from nnvet.hal.types import Handle, OwnedHandle

# Commands of the system call futex, and the encoding of FUTEX_WAKE_OP's last argument (linux/futex.h).
_WAIT: Final = 0
_WAKE_OP: Final = 5
_OR: Final = 2
_AND_NOT: Final = 3
_OPERATION_SHIFT: Final = 28
_OPERAND_SHIFT: Final = 12
_EVERYBODY: Final = 2**31 - 1
"""The number of sleepers to wake: all."""
_NS_PER_S: Final = 1_000_000_000
_LONGEST_S: Final = 3600.0
"""Longest single wait, since the seconds have to fit in the kernel's type; longer waits consist of several."""

_EXPECTED: Final = (errno.EAGAIN, errno.EINTR, errno.ETIMEDOUT)
"""Errors with which a wait ends early: the word has changed already, a signal came, or the time is over."""


@dataclass(frozen=True)
class _Machine:
    """Facts about a kind of machine: the number of the system call, and whether memory accesses stay in order.

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
        """Refer to the word, and keep the mapping as long as this object lives.

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
        """The present value of the word."""
        return self._word.value

    def set_bits(self, bits: int) -> None:
        """Set ``bits`` (below 4096) and wake all sleepers, in one step that is a full memory barrier."""
        self._change(_OR, bits)

    def clear_bits(self, bits: int) -> None:
        """Clear ``bits`` (below 4096) in one step that is a full memory barrier. Sleepers may wake without need."""
        self._change(_AND_NOT, bits)

    def wait(self, expected: int, timeout_s: float | None) -> None:
        """Sleep while the word is ``expected``, at most ``timeout_s``. May return early, so check again afterwards."""
        limit = _LONGEST_S if timeout_s is None else max(0.0, min(timeout_s, _LONGEST_S))
        fraction, seconds = math.modf(limit)
        timeout = _Timespec(int(seconds), int(fraction * _NS_PER_S))
        self._call(_WAIT, expected, ctypes.addressof(timeout), None, 0)

    def order(self) -> None:
        """Order memory accesses: others see earlier ones first, but later loads may still pass earlier stores.

        x86 does that by itself, and no compiler reorders the interpreter's accesses, since each is a function call.
        Elsewhere the kernel's atomic operation on the word is the barrier.
        """
        if not self._ordered:
            self._change(_OR, 0)

    def fence(self) -> None:
        """Order memory accesses like :meth:`order`, and earlier stores before later loads as well.

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


WRITE_POSITION: Final = 0
READ_POSITION: Final = 64
EVENT_FLAG: Final = 128
ELEMENTS: Final = 192
"""Offsets in bytes. Words that different processes write are at least a cache line apart."""

MAX_BYTES: Final = 1 << 26
_POSITION_BYTES: Final = 8
_LARGEST_POSITION: Final = 1 << 62
"""Largest valid position; no queue lives long enough to reach it, so positions never wrap around."""

_CROWDED_S: Final = 0.0002
"""If a yielded processor comes back later than this, other threads need it, and sleeping is better than polling."""
_SLEEPS: Final = 64
"""Number of waits without polling after such a late return."""

_SEALS: Final = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


class EventFlagBits(IntFlag):
    """Bits of the event flag. The waiting side clears a bit before it waits, the other side sets it."""

    NOT_FULL = 1
    NOT_EMPTY = 2


class QueueDescriptor(msgspec.Struct, frozen=True):
    """Description of a queue that is passed to another process; without an event flag no process can wait on it."""

    handle: Handle
    element_size: int
    capacity: int
    event_flag: bool = True

    @property
    def size(self) -> int:
        """The number of bytes of shared memory that the queue occupies."""
        return ELEMENTS + self.element_size * self.capacity


def create_queue(element_size: int, capacity: int, *, event_flag: bool = True) -> QueueDescriptor:
    """Return a new empty queue for ``capacity`` elements of ``element_size`` bytes; the handle closes itself.

    :raises HalError: GENERAL_FAILURE if there is no memory or no descriptor for it.
    """
    try:
        handle = OwnedHandle(os.memfd_create("nnvet-queue", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        descriptor = QueueDescriptor(handle, element_size, capacity, event_flag)
        os.ftruncate(handle.fd, descriptor.size)
        fcntl.fcntl(handle.fd, fcntl.F_ADD_SEALS, _SEALS)
    except OSError as error:
        raise failure(f"a queue cannot be made: {error}", "burst/queue") from error
    return descriptor


class _End:
    """Common part of both ends. This end waits for the event ``awaited``, the other one for ``caused``."""

    def __init__(
        self, descriptor: QueueDescriptor, own: int, others: int, awaited: EventFlagBits, caused: EventFlagBits
    ) -> None:
        _check(descriptor)
        try:
            mapping = mmap.mmap(descriptor.handle.fd, descriptor.size)
        except (OSError, ValueError) as error:
            raise failure(f"the queue cannot be mapped: {error}", "burst/queue") from error
        view = memoryview(mapping)
        self.capacity: Final = descriptor.capacity
        self._element_size = descriptor.element_size
        self._elements = view[ELEMENTS : descriptor.size]
        # An access through such a view is one machine instruction of eight aligned bytes: never half a position.
        self._others = view[others : others + _POSITION_BYTES].cast("Q")
        self._shared = view[own : own + _POSITION_BYTES].cast("Q")
        self._own: int = self._shared[0]
        if self._own > _LARGEST_POSITION:
            raise failure(f"no queue starts at position {self._own}", "burst/queue")
        self._flag = Futex(mapping, EVENT_FLAG)
        self._has_flag = descriptor.event_flag
        self._awaited = int(awaited)
        self._caused = int(caused)

    def wake(self) -> None:
        """Make a wait of this end, possibly on another thread, check its condition again."""
        self._flag.set_bits(self._awaited)

    def _wait(
        self,
        ready: Callable[[], bool],
        deadline: float | None,
        given_up: Callable[[], bool],
        woken: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Sleep until ``ready``; ``woken`` is called each time the other end wakes this one."""
        if not self._has_flag:
            raise failure("the queue has no event flag to wait on", "burst/queue")
        flag, awaited = self._flag, self._awaited
        # The bit is cleared before looking, and compared when falling asleep, so no event in between is missed.
        while True:
            flag.clear_bits(awaited)
            value = flag.value
            if ready():
                return True
            left = None if deadline is None else deadline - time.monotonic()
            if given_up() or (left is not None and left <= 0):
                return False
            if not value & awaited:
                flag.wait(value, left)
                if not given_up() and woken():
                    return True

    def _publish(self, position: int) -> None:
        """Publish this end's position, and wake the other end if it sleeps."""
        self._own = position
        self._flag.order()
        self._shared[0] = position
        if self._has_flag:
            # A set bit means that nobody sleeps, since sleepers clear it before they look at the position. That is true
            # only if the position is visible before the bit is read.
            self._flag.fence()
            if not self._flag.value & self._caused:
                self._flag.set_bits(self._caused)


class QueueWriter(_End):
    """The writing end; one thread at a time."""

    def __init__(self, descriptor: QueueDescriptor) -> None:
        """Map the queue. Afterwards the descriptor's handle is not needed.

        :raises HalError: GENERAL_FAILURE if the descriptor is not a valid queue.
        """
        super().__init__(descriptor, WRITE_POSITION, READ_POSITION, EventFlagBits.NOT_FULL, EventFlagBits.NOT_EMPTY)

    @property
    def space(self) -> int:
        """The number of elements that can be written at present.

        :raises HalError: GENERAL_FAILURE if the other end has corrupted the queue.
        """
        used = self._own - self._others[0]
        if not 0 <= used <= self.capacity:
            raise failure(f"says the reading position: {used} of {self.capacity} elements wait", "burst/queue")
        return self.capacity - used

    def write(self, elements: bytes) -> bool:
        """Append whole elements, which the reader sees all at once; return False and do nothing if there is no space.

        :raises HalError: like :attr:`space`, and for bytes that are no whole elements.
        """
        count = self._count(elements)
        if count > self.space:
            return False
        # The reader loaded the elements that are overwritten here before it published its position.
        self._flag.order()
        size = self._element_size
        begin = self._own % self.capacity
        first = min(count, self.capacity - begin) * size
        self._elements[begin * size : begin * size + first] = elements[:first]
        if first < len(elements):
            self._elements[: len(elements) - first] = elements[first:]
        self._publish(self._own + count)
        return True

    def announce(self) -> None:
        """Wake a sleeping reader in advance: elements will follow soon, and until then it polls."""
        if self._has_flag and not self._flag.value & self._caused:
            self._flag.set_bits(self._caused)

    def write_blocking(
        self, elements: bytes, deadline: float | None = None, given_up: Callable[[], bool] = lambda: False
    ) -> bool:
        """Write as soon as there is space; return False at the deadline (``time.monotonic``), or once ``given_up``.

        :raises HalError: like :attr:`space`, for more elements than the queue holds, and without event flag.
        """
        count = self._count(elements)
        if count > self.capacity:
            raise failure(f"{count} elements for a queue of {self.capacity}", "burst/queue")
        return self.write(elements) or (
            self._wait(lambda: self.space >= count, deadline, given_up) and self.write(elements)
        )

    def _count(self, elements: bytes) -> int:
        count, rest = divmod(len(elements), self._element_size)
        if rest:
            raise failure(f"{len(elements)} bytes are no elements of {self._element_size}", "burst/queue")
        return count


class QueueReader(_End):
    """The reading end; one thread at a time."""

    def __init__(self, descriptor: QueueDescriptor) -> None:
        """Map the queue. Afterwards the descriptor's handle is not needed.

        :raises HalError: GENERAL_FAILURE if the descriptor is not a valid queue.
        """
        super().__init__(descriptor, READ_POSITION, WRITE_POSITION, EventFlagBits.NOT_EMPTY, EventFlagBits.NOT_FULL)
        self._is_prompt = True
        self._sleeps = 0

    @property
    def available(self) -> int:
        """The number of elements that can be read at present.

        :raises HalError: GENERAL_FAILURE if the other end has corrupted the queue.
        """
        written = self._others[0] - self._own
        if not 0 <= written <= self.capacity:
            raise failure(f"says the writing position: {written} of {self.capacity} elements wait", "burst/queue")
        return written

    def read(self, count: int | None = None) -> bytes:
        """Return the next ``count`` elements, or all present ones; return nothing and do nothing if there are fewer.

        :raises HalError: like :attr:`available`.
        """
        available = self.available
        count = available if count is None else count
        if not 0 < count <= available:
            return b""
        self._flag.order()
        size = self._element_size
        begin = self._own % self.capacity
        end = begin + count
        if end <= self.capacity:
            elements = bytes(self._elements[begin * size : end * size])
        else:
            elements = bytes(self._elements[begin * size :]) + bytes(self._elements[: (end - self.capacity) * size])
        self._publish(self._own + count)
        return elements

    def read_blocking(
        self,
        count: int | None = None,
        deadline: float | None = None,
        given_up: Callable[[], bool] = lambda: False,
        polling_s: float = 0.0,
    ) -> bytes:
        """Return the next ``count`` elements as soon as there are so many, or all present ones as soon as there is one.

        ``polling_s`` is the time to poll before going to sleep; after a wait that took longer, the next one sleeps at
        once. The result is empty at the deadline (``time.monotonic``), or once ``given_up``.

        :raises HalError: like :attr:`available`, for more elements than the queue holds, and without event flag.
        """
        wanted = 1 if count is None else count
        if wanted > self.capacity:
            raise failure(f"{wanted} elements from a queue of {self.capacity}", "burst/queue")
        begin = time.monotonic()
        polls = polling_s and self._is_prompt and not self._sleeps
        self._sleeps = max(0, self._sleeps - 1)
        if self.available < wanted and not (polls and self._poll(wanted, begin + polling_s)):
            self._is_prompt = False

            def woken() -> bool:
                if self.available >= wanted or not polling_s or self._sleeps:
                    return self.available >= wanted
                # A reader that is woken without an element expects one soon (QueueWriter.announce), so it polls.
                end = time.monotonic() + polling_s
                self._is_prompt = self._poll(wanted, end if deadline is None else min(end, deadline))
                return self._is_prompt

            if not self._wait(lambda: self.available >= wanted, deadline, given_up, woken):
                return b""
            self._is_prompt = self._is_prompt or time.monotonic() - begin <= polling_s
        return self.read(count)

    def _poll(self, wanted: int, end: float) -> bool:
        while self.available < wanted:
            if time.monotonic() > end:
                return False
            # The writer may be a thread of this process, which needs the interpreter's lock.
            began = time.monotonic()
            os.sched_yield()
            if time.monotonic() - began > _CROWDED_S:
                self._sleeps = _SLEEPS
                return self.available >= wanted
        return True


def _check(descriptor: QueueDescriptor) -> None:
    """Refuse a descriptor that is not a queue, or whose memory could shrink: accessing it could kill this process."""
    if descriptor.element_size <= 0 or descriptor.capacity <= 0 or descriptor.size > MAX_BYTES:
        message = f"no queue has {descriptor.capacity} elements of {descriptor.element_size} bytes"
        raise failure(message, "burst/queue")
    try:
        sealed = fcntl.fcntl(descriptor.handle.fd, fcntl.F_GET_SEALS) & _SEALS == _SEALS
        size = os.fstat(descriptor.handle.fd).st_size
    except (OSError, ValueError, OverflowError) as error:
        raise failure(f"the queue has no memory that can be sealed: {error}", "burst/queue") from error
    if not sealed or size < descriptor.size:
        raise failure(f"the queue's memory has {size} of {descriptor.size} bytes, sealed: {sealed}", "burst/queue")
