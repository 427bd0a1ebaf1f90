"""Stops a process at a fatal signal, so that the suite can look at it before it dies.

A few instructions of machine code handle SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT: they stop the process, and leave
where the signal came from in registers that ``/proc/PID/task/TID/syscall`` shows. :func:`caught` reads it there and
puts the thread back to the instruction that failed, so that any debugger sees the stack of the fault and nothing else.
Then the process goes on, fails once more, and dies of it as it would have without. For that it gets all its registers
back: a handler begins with empty ones for vectors, and with such a mask the instruction could succeed.

A service of ours sets the trap itself (:func:`set_trap`); into any other program it is put while it starts
(:func:`put_trap`). Nothing is traced in between, so that threads and signals cost nothing, and a program that handles a
signal itself keeps its handler. Where that cannot be done a core is all there is (:mod:`nnvet.adapters.service.cores`).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import signal
import struct
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, ClassVar, Final, NamedTuple

from nnvet.adapters.service.ptrace import IS_KNOWN, HeldThread, held
from nnvet.diagnostics.native_frames import NativeFrame

SIGNALS: Final = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)

_MAGIC: Final = 0x6E76_6574
_PAGE: Final = 4096
_ALTERNATE: Final = 1 << 16
"""Bytes of a stack for the handler, which a thread needs that has overflowed its own."""
_SET_SIZE: Final = 8
"""Bytes of a set of signals in the kernel's own form."""
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
"""cmove edx, ecx; mov r8d, magic. A forked child sends itself the signal instead of SIGSTOP: nobody watches it."""
_SEND: Final = bytes.fromhex("b8 ea 00 00 00  0f 05  c3")
"""mov eax, 234; syscall; ret: tgkill(edi, esi, edx)."""
_RESTORER: Final = bytes.fromhex("48 c7 c0 0f 00 00 00  0f 05")
"""mov rax, 15; syscall: rt_sigreturn()."""

_CONTEXT: Final = struct.Struct("<18Q")
_CONTEXT_AT: Final = 40
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
"""Codes that the kernel gives; source: sigaction(2)."""
_HAS_ADDRESS: Final = (signal.SIGSEGV, signal.SIGBUS)
_KERNEL: Final = 128
_VECTORS_AT: Final = 224
"""Place of the pointer to the state of vector registers in ``ucontext_t``; source: ``sys/ucontext.h`` of x86-64."""
_LEGACY: Final = struct.Struct("<464xIIQI")
"""Head of that state, ``struct _fpstate``: a mark, and the bytes of its extended form; source: ``asm/sigcontext.h``."""
_EXTENDED: Final = 0x46505853
_MAPPING: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ +(/.+)$", re.MULTILINE)
_CAUGHT: Final = re.compile(r"^SigCgt:\s*([0-9a-f]+)$", re.MULTILINE)


class FatalSignal(NamedTuple):
    """A signal that a process is about to die of: its number, the thread, the reason in words."""

    number: int
    thread: int
    reason: str
    is_sent: bool
    """True if a process has sent it, this one itself perhaps: no instruction that would fail once more."""
    at: NativeFrame | None = None
    """The instruction, as an address in a library or program."""

    def __str__(self) -> str:
        """``SIGSEGV (address not mapped) at 0x8``."""
        return f"{signal.Signals(self.number).name}{self.reason}"


def _code(process: int, before: int = 0) -> bytes:
    """The handler; ``before`` is the address of the action that the signal had, 0: the default one."""
    restoring = _MOV_RSI + struct.pack("<Q", before) + _RESTORE if before else b""
    who = _WHO + _CHOOSE + struct.pack("<I", process) + _STOP + struct.pack("<I", _MAGIC)
    return _KEEP + restoring + who + _SEND


def put_trap(process: int) -> bool:
    """Put the trap into a program that others have written, for each signal that it leaves alone.

    Whether all signals are handled now, by it or by the program. It stands still for a millisecond.
    """
    numbers = [number for number in SIGNALS if not catches(process, number)]
    if not numbers:
        return True
    try:
        with held(process) as thread:
            before = thread.registers()
            try:
                _put(thread, process, numbers)
            finally:
                thread.set_registers(before)
    except OSError:
        return False
    return True


def _put(thread: HeldThread, process: int, numbers: list[signal.Signals]) -> None:
    readable, executable = mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_EXEC
    page = thread.call(_MMAP, 0, _PAGE + _ALTERNATE, readable, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    code = _code(process)
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
    """Set the trap in this process; what handles the signals now does so afterwards. Nothing where that cannot be."""
    if not IS_KNOWN:
        return
    with suppress(OSError):
        page = mmap.mmap(-1, _PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        # The code has to stay where it is, also when Python has ended and frees its objects.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(page))
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        for number in SIGNALS:
            _set(page, start, number)


def _set(page: mmap.mmap, start: int, number: int) -> None:
    library = ctypes.CDLL(None)
    known = ctypes.create_string_buffer(_ACTION.size)
    library.syscall(_RT_SIGACTION, number, None, known, ctypes.c_size_t(_SET_SIZE))
    place = page.tell()
    page.write(known.raw)
    page.write(_code(os.getpid(), start + place))
    action = _Action(start + place + _ACTION.size, (ctypes.c_uint64 * 16)(), 0, None)
    # As a number of 32 bits with a sign, which it is to C.
    action.flags = _FLAGS & ~0x04000000
    library.sigaction(number, ctypes.byref(action), None)


def caught(process: int) -> FatalSignal | None:
    """The signal at which the trap has stopped a process; None if something else has, or nothing.

    Its thread is put back to where the signal met it.
    """
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            fields = (task / "syscall").read_text(encoding="ascii").split()
            if fields[0] == str(_TGKILL) and int(fields[5], 16) == _MAGIC:
                info, context = int(fields[4], 16), int(fields[6], 16)
                return _looked_at(process, int(task.name), info, context)
    return None


def _looked_at(process: int, thread: int, info: int, context: int) -> FatalSignal:
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        memory.seek(info)
        number, _, code, _, value = _INFO.unpack(memory.read(_INFO.size))
        memory.seek(context + _CONTEXT_AT)
        registers = dict(zip(_CONTEXT_NAMES, _CONTEXT.unpack(memory.read(_CONTEXT.size)), strict=True))
        vectors = _saved_vectors(memory, context)
    # Who may not do that sees no stacks either.
    with suppress(OSError), held(process, thread) as held_thread:
        held_thread.set_registers({**held_thread.registers(), **registers, "orig_rax": (1 << 64) - 1})
        if vectors:
            held_thread.set_vectors(vectors)
    is_sent = code <= 0
    if is_sent:
        sender = value & 0xFFFFFFFF
        reason = "" if sender == process else f" (sent by process {sender})"
    else:
        words = _REASONS.get((number, code), "")
        address = number in _HAS_ADDRESS and code != _KERNEL
        reason = (f" ({words})" if words else "") + (f" at {value:#x}" if address else "")
    return FatalSignal(number, thread, reason, is_sent, _instruction(process, registers["rip"]))


def _saved_vectors(memory: BinaryIO, context: int) -> bytes:
    """The state of vector registers that the kernel has saved for a handler; empty: it is in no form that is known."""
    memory.seek(context + _VECTORS_AT)
    state = int.from_bytes(memory.read(8), "little")
    if not state:
        return b""
    memory.seek(state)
    mark, _, _, size = _LEGACY.unpack(memory.read(_LEGACY.size))
    memory.seek(state)
    return memory.read(size) if mark == _EXTENDED else b""


def _instruction(process: int, address: int) -> NativeFrame | None:
    begins: dict[str, int] = {}
    for found in _MAPPING.finditer(Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace")):
        begin, end, path = int(found[1], 16), int(found[2], 16), found[3]
        begins.setdefault(path, begin)
        if begin <= address < end:
            return NativeFrame(f"+{address - begins[path]:#x}", module=Path(path).name)
    return None


def let_die(process: int, fatal: FatalSignal) -> None:
    """Let a process go on, to die of the signal at which it was stopped."""
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
