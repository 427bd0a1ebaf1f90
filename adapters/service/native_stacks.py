"""Where the threads of a process are in native code, as ``eu-stack`` or ``gdb`` tell of it or of its core."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.transport.wire.texts import several_lines

_LIMIT_S: Final = 20.0
_KEPT: Final = 16384
"""Characters of the stacks of one process that are kept."""
_YAMA: Final = Path("/proc/sys/kernel/yama/ptrace_scope")
_QUIET_GDB: Final = ("-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off")
_BACKTRACES: Final = ("-ex", "set print frame-arguments none", "-ex", "thread apply all bt 64")

_EU_FRAME: Final = re.compile(r"#\d+ +0x[0-9a-f]+ ?(?P<function>.*?) ?- (?P<module>\S+)$")
_EU_SOURCE: Final = re.compile(r" +(?P<file>.+?):(?P<line>\d+)(?::\d+)?$")
_GDB_FRAME: Final = re.compile(
    r"#\d+ +(?:0x[0-9a-f]+ in )?(?P<function>.+?) \(.*\)(?: at (?P<source>.+:\d+)| from (?P<module>\S+))?$"
)
_GDB_THREAD: Final = re.compile(r"Thread (\d+) \(")
_SIGNAL_FRAMES: Final = ("__restore_rt", "__restore_rt_sa", "__kernel_rt_sigreturn", "<signal handler called>")
_INTERPRETER: Final = re.compile(r"(libpython|python|_ctypes|_cffi_backend|libffi)[\w.+-]*$")
_SYSTEM: Final = re.compile(r"(libc|libpthread|libm|libstdc\+\+|libgcc_s|ld-linux[\w-]*|linux-vdso|\[vdso)[\w.\]-]*$")
_INTERPRETER_SOURCES: Final = re.compile(r"(\./|.*/Python-[\d.]+/)?(Python|Objects|Modules|Include)/")
_SYSTEM_SOURCES: Final = ("./nptl/", "../sysdeps/", "./stdlib/", "./assert/", "./signal/", "./debug/", "./csu/")
_BEGINNINGS: Final = re.compile(r"_start$|__libc_start_|start_thread$|(__)?clone3?$")
_ARGUMENTS: Final = re.compile(r"(?<=[^ (])\((?!anonymous namespace\))[^()]*(\([^()]*\)[^()]*)*\)( const)?$")
_RUNS_PYTHON: Final = "(Python)"


class Frame(NamedTuple):
    """A call of native code; ``module`` is the name of a library or program, ``source`` a file and its line."""

    function: str
    module: str = ""
    source: str = ""

    @property
    def is_named(self) -> bool:
        """Whether it tells more than an address would."""
        return bool(self.function) and self.function != "??"

    @property
    def is_system(self) -> bool:
        """Whether it is of the libraries that programs in C and C++ run on."""
        return bool(_SYSTEM.match(self.module)) or self.source.startswith(_SYSTEM_SOURCES)

    @property
    def is_interpreter(self) -> bool:
        """Whether it is of Python itself, or of what Python calls native code with."""
        if self.module:
            return _INTERPRETER.match(self.module) is not None
        return _INTERPRETER_SOURCES.match(self.source) is not None

    @property
    def place(self) -> str:
        """``file.cpp:33 in compute``, or the module for the file; of C++ without the types of arguments."""
        where = self.source.rpartition("/")[2] or self.module
        function = _ARGUMENTS.sub("", self.function)
        return f"{where} in {function}" if where else function

    def __str__(self) -> str:
        """``compute at file.cpp:33 (libdriver.so)``, as far as it is known."""
        source = self.source.rpartition("/")[2]
        return "".join((self.function or "??", f" at {source}" if source else "", self.module and f" ({self.module})"))


Thread = Sequence[Frame]


class NativeStacks(NamedTuple):
    """All stacks as ``text``, or why there are none; ``place`` is where the first thread was."""

    text: str
    place: str = ""


def _installed(program: str) -> str | None:
    return shutil.which(program)


def stacks_of_process(pid: int) -> NativeStacks:
    """Stacks of a living process, which stands still meanwhile; nothing if no program for that is installed."""
    programs = {"eu-stack": ("-m", "-s", "-p", str(pid)), "gdb": (*_QUIET_GDB, "-p", str(pid), *_BACKTRACES)}
    # Libraries that were loaded by a path of few words lie where the process is.
    folder = f"/proc/{pid}/cwd"
    return _ask(programs, folder if os.access(folder, os.X_OK) else ".")


def stacks_of_core(core: Path, program: str) -> NativeStacks:
    """Stacks from the core file of a process that ran ``program``; that of the thread that crashed is the first."""
    programs = {
        "eu-stack": ("-m", "-s", f"--core={core}"),
        "gdb": (*_QUIET_GDB, program, str(core), *_BACKTRACES),
    }
    return _ask(programs, ".")


def _ask(programs: dict[str, tuple[str, ...]], folder: str) -> NativeStacks:
    """What the first program says that is installed and knows anything; otherwise why none does."""
    refusals = []
    for name, options in programs.items():
        path = _installed(name)
        if path is None:
            continue
        answer, complaint = _run(path, options, folder)
        threads = (read_eu_stack if name == "eu-stack" else read_gdb)(answer)
        if any(threads):
            return NativeStacks(shown(threads), place_in(threads[0]))
        refusals.append(f"{name} shows no stacks: {complaint}{_yama(complaint)}")
    return NativeStacks("\n".join(refusals))


def _run(path: str, options: Sequence[str], folder: str) -> tuple[str, str]:
    """Output of a program, and the last that it complained of."""
    # Symbols are taken from what is installed: nothing is looked for in a network.
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
    said = [line.strip() for line in complaints if line.strip()] or [f"exit status {ended.returncode}"]
    telling = [line for line in said if "permitted" in line]
    return ended.stdout.decode(errors="replace"), several_lines((telling or said)[-1])


def _yama(complaint: str) -> str:
    try:
        scope = _YAMA.read_text(encoding="ascii").strip()
    except OSError:
        return ""
    return f" (kernel.yama.ptrace_scope is {scope})" if "permitted" in complaint and scope != "0" else ""


def read_eu_stack(output: str) -> list[Thread]:
    """Threads out of what ``eu-stack -m -s`` prints."""
    threads: list[list[Frame]] = []
    for line in output.splitlines():
        if line.startswith("TID "):
            threads.append([])
        elif threads and (frame := _EU_FRAME.match(line)):
            threads[-1].append(Frame(frame["function"], Path(frame["module"]).name))
        elif threads and threads[-1] and (source := _EU_SOURCE.match(line)):
            threads[-1][-1] = threads[-1][-1]._replace(source=f"{source['file']}:{source['line']}")
    return [_after_signal(thread) for thread in threads]


def read_gdb(output: str) -> list[Thread]:
    """Threads out of what gdb's ``thread apply all bt`` prints, the first one first."""
    threads: dict[int, list[Frame]] = {}
    current: list[Frame] | None = None
    for line in output.splitlines():
        if begin := _GDB_THREAD.match(line):
            current = threads.setdefault(int(begin[1]), [])
        elif current is not None and (frame := _GDB_FRAME.match(line)):
            module = Path(frame["module"] or "").name
            current.append(Frame(frame["function"], module, frame["source"] or ""))
        elif current is not None and line.endswith(_SIGNAL_FRAMES[-1]):
            current.append(Frame(_SIGNAL_FRAMES[-1]))
    return [_after_signal(threads[number]) for number in sorted(threads)]


def _after_signal(thread: Thread) -> Thread:
    """The frames that a signal came to, without those of its handler, which may raise it once more."""
    handlers = [index for index, frame in enumerate(thread) if frame.function in _SIGNAL_FRAMES]
    return thread[handlers[-1] + 1 :] if handlers else thread


def place_in(thread: Thread) -> str:
    """Where a thread was, in the program's own code if any of it has a name; "" if only Python ran."""
    named = [frame for frame in thread if frame.is_named]
    own = next((frame for frame in named if not frame.is_system), None)
    frame = own or next(iter(named), None)
    return "" if frame is None or frame.is_interpreter else frame.place


def shown(threads: Iterable[Thread]) -> str:
    """All threads as text without addresses; equal ones once, and of the interpreter that it was there."""
    counts: dict[tuple[str, ...], list[int]] = {}
    for number, thread in enumerate(threads, 1):
        counts.setdefault(tuple(_lines(thread)), []).append(number)
    texts = (
        f"{'thread' if len(numbers) == 1 else 'threads'} {', '.join(map(str, numbers))}:\n"
        + "".join(f"  {line}\n" for line in lines)
        for lines, numbers in counts.items()
    )
    text = several_lines("".join(texts))
    return text if len(text) <= _KEPT else f"{text[:_KEPT]}…\n"


def _lines(thread: Thread) -> list[str]:
    # That a thread was begun is said by its being there.
    shown_frames = [frame for frame in thread if not _BEGINNINGS.match(frame.function)] or thread
    lines = (_RUNS_PYTHON if frame.is_interpreter else str(frame) for frame in shown_frames)
    return [line for line, _ in groupby(lines)]
