"""Stacks of threads: Python's are printed by the process itself, native ones are read from outside.

A process of the suite prints its Python stacks when it crashes, or when a signal asks for them: its program calls
:func:`print_stacks_on_signal` at the start. ``eu-stack`` or ``gdb`` reads native stacks from a process
(:func:`stacks_of_process`) or from its core (:func:`stacks_of_core`). The signals are sent by
:mod:`nnvet.adapters.service.process`; :mod:`nnvet.adapters.service.traps` stops a process at the place of a crash.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.service import sandbox, sanitizers, traps
from nnvet.adapters.service.belongings import STACKS_SIGNAL, STUCK_SIGNAL
from nnvet.adapters.service.strays import MARK_VARIABLE
from nnvet.diagnostics.native_faults import RUNS_PYTHON, NativeFrame, own_places
from nnvet.transport.wire.texts import several_lines

_PR_SET_PTRACER: Final = 0x59616D61
"""Option of prctl that names the process which may trace this one; source: ``linux/prctl.h``."""
_FIRST: Final = "1"
"""The id of a sandbox's first process, which is the service's parent as seen from inside."""
_STDERR: Final = 2
"""Descriptor 2, not ``sys.stderr``: a driver may have replaced that."""


def print_stacks_on_signal() -> None:
    """Install handlers for the signals that :class:`nnvet.adapters.service.process.ServiceProcess` sends."""
    # Python's handlers vanish with the interpreter and restore what was there before them. That has to be the trap, so
    # that it also catches a crash in a library's destructors. The option -X faulthandler has installed them already.
    faulthandler.disable()
    _trap_signals()
    # Print only the crashed thread: others are elsewhere in every run, and equal crashes should look equal.
    faulthandler.enable(all_threads=False)
    _trap_signals()
    # A handler in Python holds the interpreter's lock; faulthandler's own would read stacks that are changing.
    signal.signal(STACKS_SIGNAL, _print_stacks)
    faulthandler.register(STUCK_SIGNAL)
    _let_parent_look()


def _trap_signals() -> None:
    """Stop at fatal signals, provided that the parent can examine this process."""
    starter = os.environ.get(MARK_VARIABLE, "").rpartition("/")[2].partition(".")[0]
    parents = (starter, _FIRST) if os.environ.get(sandbox.VARIABLE) else (starter,)
    if str(os.getppid()) in parents and not sanitizers.is_asked_for():
        traps.set_trap()


def _let_parent_look() -> None:
    """Let the parent's debuggers examine this process: under Yama only ancestors may, and they are its siblings."""
    with suppress(OSError, AttributeError):
        # Fails harmlessly on a kernel without Yama.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(os.getppid()), 0, 0, 0)


def _print_stacks(*_: object) -> None:
    faulthandler.dump_traceback(_STDERR)


_LIMIT_S: Final = 20.0
"""Time for ``eu-stack`` or ``gdb``: reading the symbols of large libraries takes seconds."""
_KEPT: Final = 16384
"""Largest number of characters of stacks that are kept for one process."""
_YAMA: Final = Path("/proc/sys/kernel/yama/ptrace_scope")
"""Setting of the kernel that says who may trace a process; 0 lets every process of the same user."""
_QUIET_GDB: Final = ("-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off")
"""Options with which gdb reads no files of the user, asks nothing, and downloads no symbols."""
_BACKTRACES: Final = ("-ex", "set print frame-arguments none", "-ex", "thread apply all bt 64")
"""Commands that print at most 64 frames of each thread, without arguments, whose values differ in every run."""

_EU_FRAME: Final = re.compile(r"#\d+ +0x[0-9a-f]+ ?(?P<function>.*?) ?- (?P<module>\S+)$")
"""A frame in the output of eu-stack; a line of the form ``_EU_SOURCE`` may follow."""
_EU_SOURCE: Final = re.compile(r" +(?P<file>.+?):(?P<line>\d+)(?::\d+)?$")
_GDB_FRAME: Final = re.compile(
    r"#\d+ +(?:0x[0-9a-f]+ in )?(?P<function>.+?) \(.*\)(?: at (?P<file>.+):(?P<line>\d+)| from (?P<module>\S+))?$"
)
_GDB_THREAD: Final = re.compile(r"Thread (\d+) \((?:.*\(LWP (?P<id>\d+)\))?")
"""Head of a thread in gdb's output: gdb's number, and the kernel's id, which cores of one thread may lack."""
_SIGNAL_FRAMES: Final = ("__restore_rt", "__restore_rt_sa", "__kernel_rt_sigreturn", "<signal handler called>")
"""Functions to which a signal handler returns; the last one is gdb's own text, which has no address."""
_BEGINNINGS: Final = re.compile(r"_start$|__libc_start_|start_thread$|(__)?clone3?$")
"""Functions in which every thread begins."""

Thread = Sequence[NativeFrame]
"""The frames of one thread, innermost first."""


class NativeStacks(NamedTuple):
    """All stacks as ``text``, or the reason why there are none; ``place`` is where the first thread is."""

    text: str
    place: str = ""


def _find_program(name: str) -> str | None:
    # A function of its own, which tests replace.
    return shutil.which(name)


NO_READER: Final = "no stack of native code: install elfutils (which has eu-stack) or gdb"


def stacks_of_process(pid: int, first: int | None = None, at: NativeFrame | None = None) -> NativeStacks:
    """Return the stacks of a living process, which is stopped meanwhile, or the reason why there are none.

    The thread ``first`` comes first. ``at`` is its current instruction, known from the trap without any tool.
    """
    programs = {"eu-stack": ("-m", "-s", "-p", str(pid)), "gdb": (*_QUIET_GDB, "-p", str(pid), *_BACKTRACES)}
    # Paths of libraries may be relative to the process's own folder.
    folder = f"/proc/{pid}/cwd"
    return _ask(programs, folder if os.access(folder, os.X_OK) else ".", first, at)


def stacks_of_core(core: Path, program: str) -> NativeStacks:
    """Return the stacks from a core file of ``program``; the crashed thread comes first."""
    programs = {
        "eu-stack": ("-m", "-s", f"--core={core}"),
        "gdb": (*_QUIET_GDB, program, str(core), *_BACKTRACES),
    }
    return _ask(programs, ".")


def _ask(
    programs: dict[str, tuple[str, ...]], folder: str, first: int | None = None, at: NativeFrame | None = None
) -> NativeStacks:
    """Ask each installed program until one shows stacks; otherwise return their complaints."""
    refusals = []
    for name, options in programs.items():
        path = _find_program(name)
        if path is None:
            continue
        answer, complaint = _run(path, options, folder)
        threads = (read_eu_stack if name == "eu-stack" else read_gdb)(answer, first)
        if any(threads):
            threads[0] = _name_first(threads[0], at)
            return NativeStacks(format_threads(threads), place_in(threads[0]))
        refusals.append(f"{name} shows no stacks: {complaint}{_explain_refusal(complaint)}")
    # The failed instruction alone tells little if it is in the C library or in the interpreter.
    alone = [] if at is None or at.is_system or at.is_interpreter else [[at]]
    return NativeStacks(format_threads(alone) + "\n".join(refusals or [NO_READER]), place_in(alone[0]) if alone else "")


def _name_first(thread: Thread, at: NativeFrame | None) -> Thread:
    """Return the thread; if its first function has no name, put the known instruction in its place."""
    if at is None or not thread or thread[0].is_named or at.module not in ("", thread[0].module):
        return thread
    return [at, *thread[1:]]


def _run(path: str, options: Sequence[str], folder: str) -> tuple[str, str]:
    """Return the output of a program, and its last error message."""
    # Symbols of installed packages only: no downloads from a debuginfod server.
    environment = {**os.environ, "DEBUGINFOD_URLS": "", "LC_ALL": "C"}
    try:
        ended = subprocess.run(
            (path, *options),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            cwd=folder,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    complaints = ended.stderr.decode(errors="replace").split("\n")
    messages = [line.strip() for line in complaints if line.strip()] or [f"exit status {ended.returncode}"]
    # A missing permission is the cause of all messages after it.
    causes = [line for line in messages if "permitted" in line]
    return ended.stdout.decode(errors="replace"), several_lines((causes or messages)[-1])


def _explain_refusal(complaint: str) -> str:
    """Return the kernel's setting as the end of a message about a missing permission; otherwise an empty string."""
    try:
        scope = _YAMA.read_text(encoding="ascii").strip()
    except OSError:
        return ""
    return f" (kernel.yama.ptrace_scope is {scope})" if "permitted" in complaint and scope != "0" else ""


def read_eu_stack(output: str, first: int | None = None) -> list[Thread]:
    """Parse the threads in the output of ``eu-stack -m -s``; the thread with id ``first`` comes first."""
    threads: dict[str, list[NativeFrame]] = {}
    frames: list[NativeFrame] = []
    for line in output.splitlines():
        if line.startswith("TID "):
            frames = threads.setdefault(line[4:].rstrip(":"), [])
        elif threads and (frame := _EU_FRAME.match(line)):
            frames.append(NativeFrame(frame["function"], module=Path(frame["module"]).name))
        elif frames and (source := _EU_SOURCE.match(line)):
            frames[-1] = frames[-1]._replace(file=source["file"], line=int(source["line"]))
    return [_cut_at_signal(thread) for _, thread in _sort(threads.items(), first)]


def read_gdb(output: str, first: int | None = None) -> list[Thread]:
    """Parse the threads in the output of gdb's ``thread apply all bt``; see :func:`read_eu_stack`."""
    threads: dict[int, tuple[str, list[NativeFrame]]] = {}
    current: list[NativeFrame] | None = None
    for line in output.splitlines():
        if begin := _GDB_THREAD.match(line):
            _, current = threads.setdefault(int(begin[1]), (begin["id"] or "", []))
        elif current is not None and (frame := _GDB_FRAME.match(line)):
            module = Path(frame["module"] or "").name
            current.append(NativeFrame(frame["function"], frame["file"] or "", int(frame["line"] or 0), module))
        elif current is not None and line.endswith(_SIGNAL_FRAMES[-1]):
            current.append(NativeFrame(_SIGNAL_FRAMES[-1]))
    ordered = (threads[number] for number in sorted(threads))
    return [_cut_at_signal(thread) for _, thread in _sort(ordered, first)]


def _sort(threads: Iterable[tuple[str, Thread]], first: int | None) -> list[tuple[str, Thread]]:
    """Return threads with their ids, the thread with id ``first`` first, the others in their order."""
    return sorted(threads, key=lambda thread: thread[0] != str(first))


def _cut_at_signal(thread: Thread) -> Thread:
    """Return the frames that the first signal interrupted, without handlers: a handler may have raised it again."""
    handlers = [index for index, frame in enumerate(thread) if frame.function in _SIGNAL_FRAMES]
    return thread[handlers[-1] + 1 :] if handlers else thread


def place_in(thread: Thread) -> str:
    """Return the place of a thread: the innermost named function of the program's own code; "" if only Python ran."""
    return next(iter(own_places(thread, 1)), "")


def format_threads(threads: Iterable[Thread]) -> str:
    """Return all threads as text without addresses: equal stacks once, frames of the interpreter as one line."""
    counts: dict[tuple[str, ...], list[int]] = {}
    for number, thread in enumerate(threads, 1):
        counts.setdefault(tuple(_format_frames(thread)), []).append(number)
    texts = (
        f"{'thread' if len(numbers) == 1 else 'threads'} {', '.join(map(str, numbers))}:\n"
        + "".join(f"  {line}\n" for line in lines)
        for lines, numbers in counts.items()
    )
    text = several_lines("".join(texts))
    return text if len(text) <= _KEPT else f"{text[:_KEPT]}…\n"


def _format_frames(thread: Thread) -> list[str]:
    # The functions in which every thread begins distinguish nothing.
    shown_frames = [frame for frame in thread if not _BEGINNINGS.match(frame.function)] or thread
    lines = (RUNS_PYTHON if frame.is_interpreter else str(frame) for frame in shown_frames)
    return [line for line, _ in groupby(lines)]
