"""The trap: stop a process at a fatal signal, so that the suite can take its stacks before it dies.

A few instructions of machine code handle SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. They stop the process, and leave
pointers to the signal's context in registers that ``/proc/PID/task/TID/syscall`` shows. :func:`find_fatal_signal` reads
them, and moves the thread back to the failed instruction, so that any debugger sees the stack of the fault and nothing
else. Then the process continues, fails once more, and dies as it would have without the trap. All its registers are
restored for that, vector registers too: a handler starts with cleared ones, with which the instruction might succeed.

A service in Python sets the trap itself (:func:`set_trap`, called by :mod:`nnvet.adapters.service.stacks`). For any
other program, :class:`nnvet.adapters.service.crashes.CrashWatch` puts it in from outside while the program starts
(:func:`put_trap`). In between nothing is traced, so threads and signals cost nothing, and a program's own handlers
stay. Where a trap is impossible, a core is the only evidence (:mod:`nnvet.adapters.service.crashes`).

The first half of the module is ptrace(2): reading and writing registers and memory of a stopped thread, and making
system calls in it. One thread of the suite traces, from the beginning of :func:`hold` to its end. Afterwards nothing
stays traced: debuggers, sanitizers and the process itself notice nothing.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import re
import signal
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, ClassVar, Final, NamedTuple

from nnvet.diagnostics.native_faults import NativeFrame

_SEIZE, _INTERRUPT, _DETACH, _CONT, _SINGLESTEP = 0x4206, 0x4207, 17, 7, 9
_GETREGS, _SETREGS, _GETREGSET, _SETREGSET, _VECTORS = 12, 13, 0x4204, 0x4205, 0x202
"""Requests of ptrace, and the register set NT_X86_XSTATE; source: ``linux/ptrace.h``, ``linux/elf.h``."""
_LARGEST_STATE: Final = 1 << 16
"""Size of a buffer that is larger than the registers of any processor: AMX has about 11,000 bytes."""
_WALL: Final = 0x40000000
"""Wait also for threads that do not lead their process; source: waitpid(2)."""
_STOPPING_S: Final = 30.0
"""Time for a thread to stop, on the busiest machine too, unless it waits for a device."""
_SHORTEST_PAUSE_S: Final = 0.0001
_LONGEST_PAUSE_S: Final = 0.01
"""Pauses between two looks at a thread that has to stop: each is twice as long as the one before, up to the longest."""
_EVENT_STOP: Final = 128
"""The event PTRACE_EVENT_STOP, by which a thread stops that was interrupted; source: ``linux/ptrace.h``."""
_STATUS_BITS: Final = 8
"""Bits below the event in a status; the signal is in them. Source: ptrace(2)."""
_CODE_SEGMENT: Final = 0x33
"""Code segment of a 64-bit program."""
_NO_CALL: Final = (1 << 64) - 1
"""In ``orig_rax``: the thread is not in a system call, so the kernel restarts none."""
_ERRORS: Final = 4096
"""System calls return errors as the numbers between minus this and 0; source: MAX_ERRNO in ``linux/err.h``."""
_SYSCALL: Final = b"\x0f\x05"
"""The instruction ``syscall``."""
_VDSO: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", re.MULTILINE)
"""Line of ``/proc/PID/maps`` with the code that the kernel maps into every process; source: vdso(7)."""

NAMES: Final = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi"),
    *("orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs"),
)
"""Registers in the order of ``struct user_regs_struct``."""
IS_KNOWN: Final = platform.machine() == "x86_64" and platform.architecture()[0] == "64bit"
"""True on x86-64, the only architecture whose registers are known here."""
_Registers = ctypes.c_uint64 * len(NAMES)
"""``struct user_regs_struct`` as an array, since all its members are 64-bit numbers."""


class _HasEndedError(OSError):
    """Raised if the process has ended meanwhile."""


def _ptrace(request: int, thread: int, data: int | ctypes.Array[ctypes.c_uint64] = 0, address: int = 0) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.restype = ctypes.c_long
    value = ctypes.byref(data) if isinstance(data, ctypes.Array) else ctypes.c_void_p(data)
    if library.ptrace(ctypes.c_long(request), ctypes.c_long(thread), ctypes.c_void_p(address), value) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class HeldThread:
    """A stopped thread of another process."""

    def __init__(self, process: int, thread: int) -> None:
        """Represent a thread that is already stopped; see :func:`hold`."""
        self._thread = thread
        self._memory = Path(f"/proc/{process}/mem")
        self._maps = Path(f"/proc/{process}/maps")
        self.pending = 0
        """A signal that was about to be delivered; it is delivered when the thread continues."""

    def registers(self) -> dict[str, int]:
        """Return all registers by name."""
        values = _Registers()
        _ptrace(_GETREGS, self._thread, values)
        return dict(zip(NAMES, values, strict=True))

    def set_registers(self, registers: Mapping[str, int]) -> None:
        """Set all registers."""
        _ptrace(_SETREGS, self._thread, _Registers(*(registers[name] for name in NAMES)))

    def set_vectors(self, state: bytes) -> None:
        """Set the floating-point and vector registers to a state in the format of the instruction XSAVE.

        Linux only accepts a whole state. The state of a signal is shorter on processors with registers that the process
        has never used, such as the tiles of AMX; their initial state is all zeros.
        """
        content = ctypes.create_string_buffer(_LARGEST_STATE)
        described = (ctypes.c_uint64 * 2)(ctypes.addressof(content), _LARGEST_STATE)
        _ptrace(_GETREGSET, self._thread, described, _VECTORS)
        whole = int(described[1])
        ctypes.memmove(content, state[:whole].ljust(whole, b"\0"), whole)
        _ptrace(_SETREGSET, self._thread, described, _VECTORS)

    def write(self, address: int, data: bytes) -> None:
        """Write into the memory of the process, even where the process itself may not."""
        with self._memory.open("r+b", buffering=0) as memory:
            memory.seek(address)
            memory.write(data)

    def call(self, number: int, *arguments: int) -> int:
        """Make the thread execute a system call, and return its result.

        :raises OSError: the call fails.
        """
        names = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
        given = dict(zip(names, (*arguments, *(0,) * (len(names) - len(arguments))), strict=True))
        at = {"rip": self._find_syscall_instruction(), "rax": number, "orig_rax": _NO_CALL}
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

    def _find_syscall_instruction(self) -> int:
        """Return the address of a syscall instruction: the kernel maps one into every process with the vdso."""
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
    """Wait until a traced thread stops; return the signal that is about to be delivered, or a number above 128.

    Nobody else in this process may wait for the thread meanwhile: a stop is reported only once.

    :raises OSError: the thread has ended (whoever waits for that still can), or it does not stop, for example inside a
    system call that no signal interrupts.
    """
    end, pause = time.monotonic() + _STOPPING_S, _SHORTEST_PAUSE_S
    while (ended := os.waitid(os.P_PID, thread, os.WSTOPPED | os.WEXITED | os.WNOWAIT | os.WNOHANG | _WALL)) is None:
        if time.monotonic() > end:
            raise OSError(f"it does not stop in {_STOPPING_S} s")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
    if ended.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
        raise _HasEndedError("it has ended")
    stopped = os.waitid(os.P_PID, thread, os.WSTOPPED | _WALL)
    return 0 if stopped is None else stopped.si_status


@contextmanager
def hold(process: int, thread: int | None = None) -> Iterator[HeldThread]:
    """Stop a thread of a process (None: the first one) while the block runs; all its registers are kept.

    If the block's last action is :meth:`HeldThread.set_registers`, the thread continues with those instead.

    :raises OSError: ptrace is not permitted or not possible here, or the process has ended.
    """
    if not IS_KNOWN:
        raise OSError(f"registers of {platform.machine()} are not known")
    thread = thread or process
    _ptrace(_SEIZE, thread)
    holder = HeldThread(process, thread)
    try:
        _ptrace(_INTERRUPT, thread)
        while (stopped_by := wait(thread)) >> _STATUS_BITS != _EVENT_STOP:
            # A signal came first. Deliver it; the request to stop stays pending.
            _ptrace(_CONT, thread, stopped_by)
        if holder.registers()["cs"] != _CODE_SEGMENT:
            raise OSError("it is no program of 64 bits")
        yield holder
    finally:
        with suppress(OSError):
            _ptrace(_DETACH, thread, holder.pending)


SIGNALS: Final = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)
"""The fatal signals at which the trap stops a process."""

_MAGIC: Final = 0x6E76_6574
"""The letters "nvet", by which the suite knows the handler's system call; tgkill ignores the argument."""
_PAGE: Final = 4096
"""Bytes of a page on x86-64: code and data of the trap take less than one."""
_ALTERNATE: Final = 1 << 16
"""Size of a stack for the handler, for a thread that has overflowed its own."""
_SET_SIZE: Final = 8
"""Size of a signal set in the kernel's own form."""
_ACTION: Final = struct.Struct("<QQQQ")
"""The kernel's ``struct sigaction``: handler, flags, restorer, mask."""
_ALTERNATE_STACK: Final = struct.Struct("<QiiQ")
"""``stack_t``: pointer, flags, size."""
_FLAGS: Final = 0x4 | 0x04000000 | 0x08000000 | 0x40000000 | 0x80000000
"""SA_SIGINFO, SA_RESTORER, SA_ONSTACK, SA_NODEFER, SA_RESETHAND; source: ``asm/signal.h``."""
_MMAP, _MPROTECT, _RT_SIGACTION, _TGKILL, _SIGALTSTACK = 9, 10, 13, 234, 131
"""Numbers of system calls of x86-64; source: ``asm/unistd_64.h``."""

_KEEP: Final = bytes.fromhex("49 89 f4  49 89 d1  89 fb")
"""mov r12, rsi (siginfo); mov r9, rdx (context); mov ebx, edi (signal)."""
_RESTORE: Final = bytes.fromhex("31 d2  41 ba 08 00 00 00  b8 0d 00 00 00  0f 05")
"""xor edx, edx; mov r10d, 8; mov eax, 13; syscall: rt_sigaction(edi, rsi, 0, 8)."""
_MOV_RSI: Final = b"\x48\xbe"
_WHO: Final = bytes.fromhex("4d 89 e2  b8 27 00 00 00  0f 05  89 c7  b8 ba 00 00 00  0f 05  89 c6")
"""mov r10, r12; mov eax, 39; syscall; mov edi, eax; mov eax, 186; syscall; mov esi, eax: getpid, gettid."""
_CHOOSE: Final = bytes.fromhex("89 da  b9 13 00 00 00  81 ff")
"""mov edx, ebx; mov ecx, SIGSTOP; cmp edi, the process that is watched."""
_STOP: Final = bytes.fromhex("0f 44 d1  41 b8")
"""cmove edx, ecx; mov r8d, magic. A forked child sends itself the signal, not SIGSTOP: nobody watches it."""
_SEND: Final = bytes.fromhex("b8 ea 00 00 00  0f 05  c3")
"""mov eax, 234; syscall; ret: tgkill(edi, esi, edx)."""
_RESTORER: Final = bytes.fromhex("48 c7 c0 0f 00 00 00  0f 05")
"""mov rax, 15; syscall: rt_sigreturn()."""

_CONTEXT: Final = struct.Struct("<18Q")
_CONTEXT_AT: Final = 40
"""Form and offset of the registers in ``ucontext_t``."""
_CONTEXT_NAMES: Final = (
    *("r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp"),
    *("rip", "eflags"),
)
"""Registers of ``ucontext_t``; source: ``sys/ucontext.h`` of x86-64."""
_INFO: Final = struct.Struct("<iiiiQ")
"""Head of ``siginfo_t``: signal, errno, code, padding, then an address or the sender."""
_REASONS: Final = {
    (signal.SIGSEGV, 1): "address not mapped",
    (signal.SIGSEGV, 2): "no permission for the address",
    (signal.SIGSEGV, 128): "no address of a program",
    (signal.SIGBUS, 1): "misaligned address",
    (signal.SIGBUS, 2): "no memory behind the address, such as beyond the end of a mapped file",
    (signal.SIGFPE, 1): "integer division by zero",
    (signal.SIGFPE, 2): "integer overflow",
}
"""Reasons by signal and code; source: sigaction(2)."""
_HAS_ADDRESS: Final = (signal.SIGSEGV, signal.SIGBUS)
"""Signals that come with the address whose use failed."""
_KERNEL: Final = 128
"""Code of a signal that the kernel sends without an address (SI_KERNEL); source: sigaction(2)."""
_VECTORS_AT: Final = 224
"""Offset of the pointer to the vector registers in ``ucontext_t``; source: ``sys/ucontext.h`` of x86-64."""
_LEGACY: Final = struct.Struct("<464xIIQI")
"""Head of that state, ``struct _fpstate``: magic number, and size of the extended form; ``asm/sigcontext.h``."""
_EXTENDED: Final = 0x46505853
"""Magic number of the extended form (FP_XSTATE_MAGIC1); source: ``asm/sigcontext.h``."""
_MAPPING: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ +(/.+)$", re.MULTILINE)
"""Mapping of a file in ``/proc/PID/maps``."""
_NUMBERS: Final = re.compile(r"^NSpid:.*?(\d+)$", re.MULTILINE)
"""Line of ``/proc/PID/status`` with the ids of a process, that in the innermost namespace last."""
_CAUGHT: Final = re.compile(r"^SigCgt:\s*([0-9a-f]+)$", re.MULTILINE)
"""Line of ``/proc/PID/status`` with the signals that a process handles, as a mask of bits."""


class FatalSignal(NamedTuple):
    """A signal that is about to kill a process: number, thread, and the reason in words."""

    number: int
    thread: int
    reason: str
    is_sent: bool
    """True if a process sent it, perhaps this one: no instruction would fail again, so it has to be sent again."""
    at: NativeFrame | None = None
    """The failed instruction, as an address in a library or program."""

    def __str__(self) -> str:
        """Return the form ``SIGSEGV (address not mapped) at 0x8``."""
        return f"{signal.Signals(self.number).name}{self.reason}"


def _assemble(process: int, before: int = 0) -> bytes:
    """Return the handler's machine code; ``before`` is the address of the signal's previous action, 0 if default."""
    restoring = _MOV_RSI + struct.pack("<Q", before) + _RESTORE if before else b""
    who = _WHO + _CHOOSE + struct.pack("<I", process) + _STOP + struct.pack("<I", _MAGIC)
    return _KEEP + restoring + who + _SEND


def put_trap(process: int) -> bool:
    """Put the trap into a third party's program, for each signal that it does not handle itself.

    Return True if all signals are handled afterwards. The program stands still for about a millisecond.
    """
    numbers = [number for number in SIGNALS if not catches(process, number)]
    if not numbers:
        return True
    try:
        with hold(process) as thread:
            before = thread.registers()
            try:
                _put(thread, process, numbers)
            finally:
                thread.set_registers(before)
    except OSError:
        return False
    return True


def _put(thread: HeldThread, process: int, numbers: list[signal.Signals]) -> None:
    """Map a page with the handler's code, and a stack for it, into the process; make it handle ``numbers``."""
    readable, executable = mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_EXEC
    page = thread.call(_MMAP, 0, _PAGE + _ALTERNATE, readable, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    code = _assemble(_read_inner_id(process))
    action, stack = page + _PAGE // 2, page + _PAGE // 2 + _ACTION.size
    thread.write(page, code + _RESTORER)
    thread.write(action, _ACTION.pack(page, _FLAGS, page + len(code), 0))
    thread.write(stack, _ALTERNATE_STACK.pack(page + _PAGE, 0, 0, _ALTERNATE))
    thread.call(_MPROTECT, page, _PAGE, executable)
    for number in numbers:
        thread.call(_RT_SIGACTION, number, action, 0, _SET_SIZE)
    thread.call(_SIGALTSTACK, stack, 0)


class _Action(ctypes.Structure):
    """``struct sigaction`` of the C library of x86-64."""

    _fields_: ClassVar = [
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_uint64 * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    ]


def set_trap() -> None:
    """Set the trap in this process; later handlers replace it, and fall back on it. Does nothing where impossible."""
    if not IS_KNOWN:
        return
    with suppress(OSError):
        page = mmap.mmap(-1, _PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        # The code has to stay mapped, even after the interpreter has ended and freed its objects.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(page))
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        for number in SIGNALS:
            _set(page, start, number)


def _set(page: mmap.mmap, start: int, number: int) -> None:
    """Append the handler of one signal to a page mapped at ``start``, with the previous action before its code."""
    library = ctypes.CDLL(None)
    known = ctypes.create_string_buffer(_ACTION.size)
    library.syscall(_RT_SIGACTION, number, None, known, ctypes.c_size_t(_SET_SIZE))
    place = page.tell()
    page.write(known.raw)
    page.write(_assemble(os.getpid(), start + place))
    action = _Action(start + place + _ACTION.size, (ctypes.c_uint64 * 16)(), 0, None)
    # ``flags`` is a signed 32-bit number in C; SA_RESTORER is the C library's business.
    action.flags = _FLAGS & ~0x04000000
    library.sigaction(number, ctypes.byref(action), None)


def find_fatal_signal(process: int) -> FatalSignal | None:
    """Return the signal at which the trap has stopped a process; None if it has not.

    The thread is moved back to the instruction at which the signal came.
    """
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            fields = (task / "syscall").read_text(encoding="ascii").split()
            if fields[0] == str(_TGKILL) and int(fields[5], 16) == _MAGIC:
                info, context = int(fields[4], 16), int(fields[6], 16)
                return _examine(process, int(task.name), info, context)
    return None


def _examine(process: int, thread: int, info: int, context: int) -> FatalSignal:
    """Read a signal from its ``siginfo_t`` and ``ucontext_t`` at two addresses, and move the thread back."""
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        memory.seek(info)
        number, _, code, _, value = _INFO.unpack(memory.read(_INFO.size))
        memory.seek(context + _CONTEXT_AT)
        registers = dict(zip(_CONTEXT_NAMES, _CONTEXT.unpack(memory.read(_CONTEXT.size)), strict=True))
        vectors = _read_vectors(memory, context)
    # Without permission for this there will be no stacks either, so nothing is lost.
    with suppress(OSError), hold(process, thread) as held_thread:
        held_thread.set_registers({**held_thread.registers(), **registers, "orig_rax": (1 << 64) - 1})
        if vectors:
            held_thread.set_vectors(vectors)
    is_sent = code <= 0
    if is_sent:
        sender = value & 0xFFFFFFFF
        reason = "" if sender == _read_inner_id(process) else f" (sent by process {sender})"
    else:
        words = _REASONS.get((number, code), "")
        address = number in _HAS_ADDRESS and code != _KERNEL
        reason = (f" ({words})" if words else "") + (f" at {value:#x}" if address else "")
    return FatalSignal(number, thread, reason, is_sent, _locate(process, registers["rip"]))


def _read_inner_id(process: int) -> int:
    """Return the id of a process inside its own namespace, which differs from ours in a sandbox."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    found = _NUMBERS.search(status)
    return int(found[1]) if found else process


def _read_vectors(memory: BinaryIO, context: int) -> bytes:
    """Return the vector registers that the kernel saved for a handler; empty if they are in an unknown form."""
    memory.seek(context + _VECTORS_AT)
    state = int.from_bytes(memory.read(8), "little")
    if not state:
        return b""
    memory.seek(state)
    mark, _, _, size = _LEGACY.unpack(memory.read(_LEGACY.size))
    memory.seek(state)
    return memory.read(size) if mark == _EXTENDED else b""


def _locate(process: int, address: int) -> NativeFrame | None:
    """Return the library or program that contains an instruction, and its offset there; None outside all files."""
    begins: dict[str, int] = {}
    for found in _MAPPING.finditer(Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace")):
        begin, end, path = int(found[1], 16), int(found[2], 16), found[3]
        begins.setdefault(path, begin)
        if begin <= address < end:
            return NativeFrame(f"+{address - begins[path]:#x}", module=Path(path).name)
    return None


def let_die(process: int, fatal: FatalSignal) -> None:
    """Let a stopped process continue, so that it dies of the signal."""
    if fatal.is_sent:
        ctypes.CDLL(None).syscall(_TGKILL, process, fatal.thread, fatal.number)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def catches(process: int, number: int) -> bool:
    """Return True if a process has a handler for a signal."""
    try:
        found = _CAUGHT.search(Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    return found is not None and bool(int(found[1], 16) >> (number - 1) & 1)
