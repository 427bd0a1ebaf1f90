"""Parsing of text about faults in native code: reports of sanitizers, messages of the C library, and stacks.

:func:`find_fault` is the only reader of such text; services, the fuzzer and the evidence of failures call it. Its
argument is the output of a process, the stacks that the suite took of the process, or both, one after the other. Each
frame of a stack is assigned to the driver, the suite or a system library, with file and line. Faults of Python code are
read by :mod:`nnvet.diagnostics.exceptions`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile
from typing import Final, NamedTuple

RUNS_PYTHON: Final = "(Python)"
"""Stands for the frames of the interpreter."""

_INTERPRETER: Final = re.compile(r"(libpython|python|_ctypes|_cffi_backend|libffi)[\w.+-]*$")
"""Names of Python's own libraries, and of those with which Python calls native code."""
_SYSTEM: Final = re.compile(
    r"(libc|libpthread|libm|libstdc\+\+|libc\+\+|libgcc_s|ld-linux[\w-]*|linux-vdso|\[?vdso|"
    r"lib(clang_rt\.)?(asan|tsan|ubsan|lsan|msan))[\w.\]-]*$"
)
"""Names of the libraries under every C or C++ program, and of sanitizers."""
_INTERPRETER_SOURCES: Final = re.compile(r"(\./|.*/Python-[\d.]+/)?(Python|Objects|Modules|Include)/")
"""Source files of Python."""
_SYSTEM_SOURCES: Final = re.compile(
    r"\./(nptl|stdlib|assert|signal|debug|csu|string|malloc)/|(.*/)?(sysdeps|libsanitizer|compiler-rt)/|(\.\./)?(csu|nptl)/|"
    r"/usr/include/|/usr/.*/include/c\+\+/"
)
"""Source files of the C and C++ libraries and of sanitizers."""
_SYSTEM_FUNCTIONS: Final = re.compile(
    r"__(asan|tsan|ubsan|lsan|msan|sanitizer|interceptor|interception)_|operator (new|delete)\b|std::|__gnu_cxx::|"
    r"__sanitizer::|(mem(cpy|move|set|cmp)|str(len|n?cpy|n?cmp|n?cat|dup)|[mc]alloc|realloc|free|abort|raise|pthread_\w+|_start|__libc_start_\w+)$"
)
"""Functions of the C and C++ libraries and of sanitizers, for frames without module and file."""
_ARGUMENTS: Final = re.compile(
    r"(?<=[^ (])(?<!operator)\((?!anonymous namespace\))[^()]*(\([^()]*\)[^()]*)*\)( const)?$"
)
"""The list of arguments at the end of a C++ function's name."""


class NativeFrame(NamedTuple):
    """A call in native code; ``module`` is the name of a library or program, ``line`` is 0 if unknown."""

    function: str
    file: str = ""
    line: int = 0
    module: str = ""

    @property
    def is_named(self) -> bool:
        """Return True if the frame says more than an address would."""
        return bool(self.file) or (bool(self.function) and self.function != "??")

    @property
    def is_system(self) -> bool:
        """Return True if the frame belongs to the libraries under every C or C++ program, or to a sanitizer."""
        return bool(
            _SYSTEM.match(self.module) or _SYSTEM_SOURCES.match(self.file) or _SYSTEM_FUNCTIONS.match(self.function)
        )

    @property
    def is_interpreter(self) -> bool:
        """Return True if the frame belongs to Python itself, or to a library with which Python calls native code."""
        if self.module:
            # Modules of the standard library that are in C, such as select, are files of their own.
            name, is_extension, _ = self.module.partition(".cpython-")
            is_standard = bool(is_extension) and name in sys.stdlib_module_names
            return is_standard or _INTERPRETER.match(self.module) is not None
        return self.function == RUNS_PYTHON or _INTERPRETER_SOURCES.match(self.file) is not None

    @property
    def is_own(self) -> bool:
        """Return True if the frame belongs to the driver: it has a name, and is no part of system or interpreter."""
        return self.is_named and not self.is_system and not self.is_interpreter

    @property
    def source(self) -> str:
        """Return ``file.cpp:33`` without folders; without the line if that is unknown, and "" without a file."""
        name = self.file.rpartition("/")[2]
        return f"{name}:{self.line}" if name and self.line else name

    @property
    def place(self) -> str:
        """Return ``file.cpp:33 in compute``, or ``module in compute``; functions of C++ without types of arguments."""
        where = self.source or self.module
        if self.function.startswith("+"):
            # A library without symbols leaves nothing but an address.
            return where + self.function
        function = _ARGUMENTS.sub("", self.function)
        return f"{where} in {function}" if where and function else where or function

    def __str__(self) -> str:
        """``compute at file.cpp:33 (libdriver.so)``, as far as it is known."""
        source = f" at {self.source}" if self.source else ""
        return "".join((self.function or "??", source, self.module and f" ({self.module})"))


def own_places(frames: Iterable[NativeFrame], most: int) -> list[str]:
    """Return places of the first ``most`` frames of the driver, a recursion once.

    If no frame is the driver's, return the place of the first frame that has a name.

    Frames outside the interpreter are left out; the result is empty if the interpreter ran no code of the driver.
    """
    listed = [frame for frame in frames if frame.is_named]
    called = list(takewhile(lambda frame: not frame.is_interpreter, listed))
    own = [frame.place for frame in called if frame.is_own]
    if not own and called == listed:
        own = [frame.place for frame in listed[:1]]
    return list(dict.fromkeys(own))[:most]


MOST_PLACES: Final = 3
"""Number of the driver's top frames that identify a fault."""

_BYTES: Final = 6
"""Size of a fingerprint."""
_HEX: Final = r"0x(?:[0-9a-fA-F]+|…)"
"""Pattern of an address; services' output has its addresses removed."""
_HEADER: Final = re.compile(
    r"(?:ERROR|WARNING): (?P<tool>Address|Leak|Thread|Memory|UndefinedBehavior|HWAddress)Sanitizer: (?P<what>.+)"
)
"""First line of a sanitizer's report."""
_NO_FAULT: Final = re.compile(
    r"(unexpected memory mapping|Can't |failed to (?!allocate)|LeakSanitizer has encountered)"
)
"""Messages of sanitizers that are no report of a fault."""
_RUNTIME_ERROR: Final = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+):\d+: runtime error: (?P<what>.+)")
"""Line of UndefinedBehaviorSanitizer."""
_SUMMARY: Final = re.compile(r"SUMMARY: \w+Sanitizer: (?P<what>.*)")
"""Last line of a sanitizer's report."""
_FRAME: Final = re.compile(rf"\s*#\d+ +(?:{_HEX} +)?(?:in +)?(?P<rest>.*)$")
"""Line of a stack: number, address, and the rest."""
_BUILD_ID: Final = re.compile(r" +\(BuildId: \w+\)$")
"""Id at the end of a frame, which is left out."""
_MODULE: Final = re.compile(rf"(?:^| )\((?P<module>[^()]*?)\+{_HEX}\)$")
"""Library or program at the end of a frame."""
_SOURCE: Final = re.compile(r"(?:^| )(?P<file>[^\s:()]+):(?P<line>\d+)(?::\d+)?$")
"""File and line at the end of a frame."""
_FOLDER: Final = re.compile(r" (?P<file>/\S+)$")
"""File without a line at the end of a frame."""

_SIGNALS: Final = {
    "SEGV": "SIGSEGV",
    "BUS": "SIGBUS",
    "FPE": "SIGFPE",
    "ILL": "SIGILL",
    "ABRT": "SIGABRT",
    "TRAP": "SIGTRAP",
    "stack-overflow": "SIGSEGV",
}
"""Kinds of the sanitizers that stand for a signal."""
_FAULTHANDLER: Final = {
    "Segmentation fault": "SIGSEGV",
    "Aborted": "SIGABRT",
    "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE",
    "Floating-point exception": "SIGFPE",
    "Illegal instruction": "SIGILL",
}
"""Signals by the words of Python's faulthandler."""
_FATAL_ERROR: Final = re.compile(r"Fatal Python error: (?P<what>[A-Z][\w -]+)")
"""First line of faulthandler's output."""
_LAST_WORDS: Final = re.compile(
    r"(?P<kind>\*\*\* \w[\w ]+ detected \*\*\*|double free or corruption|munmap_chunk\(\): [a-z ]+|corrupted [a-z ]+|"
    r"(?:free|malloc|realloc|calloc)\(\): [a-z][a-z ()]+|pure virtual method called|"
    r"terminate called (?:without an active exception|after throwing an instance of '[^']+')|"
    r"Assertion [`'].*' failed)"
)
"""Words that glibc and the libraries of C++ print before they abort."""
_SIGNAL: Final = re.compile(r"^(?P<signal>SIG[A-Z]+)\b", re.MULTILINE)
"""First word of the stacks that the suite takes when a fatal signal is about to be delivered."""
_THREAD: Final = re.compile(r"^threads? [\d, ]+:$")
"""Line before the stack of a thread, in the stacks that the suite takes."""
_SHOWN: Final = re.compile(r"  (?P<function>.+?)(?: at (?P<file>[^ :]+):(?P<line>\d+))?(?: \((?P<module>[^() ]+)\))?$")
"""Frame of such a stack."""
_NUMBERS: Final = re.compile(rf"{_HEX}|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
"""Numbers and addresses, which differ between equal faults of UndefinedBehaviorSanitizer."""


class NativeFault(NamedTuple):
    """A fault of native code.

    ``tool`` is the sanitizer that reports it ("" for a plain signal). ``kind`` is the sanitizer's name for it
    (``heap-buffer-overflow``), the last message of the C library, or the signal. ``frames`` lead to the place, the
    innermost first; ``other`` is the second stack of a race. ``report`` is the sanitizer's text.
    """

    kind: str
    signal: str = ""
    frames: tuple[NativeFrame, ...] = ()
    tool: str = ""
    other: tuple[NativeFrame, ...] = ()
    report: str = ""

    @property
    def places(self) -> list[str]:
        """Return ``file.cpp:33 in compute`` for the top frames of the driver; of a race, one for each of its stacks."""
        if self.other:
            return sorted({place for stack in (self.frames, self.other) for place in own_places(stack, 1)})
        return own_places(self.frames, MOST_PLACES)

    @property
    def place(self) -> str:
        """Return the place in the driver; "" if no frame of native code says it."""
        return next(iter(self.places), "")

    @property
    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits, equal for equal faults: kind, and top frames of the driver."""
        essence = "\n".join((self.tool, self.kind, "" if self.tool else self.signal, *self.places))
        return hashlib.blake2s(essence.encode(errors="replace"), digest_size=_BYTES).hexdigest()

    @property
    def name(self) -> str:
        """Return ``AddressSanitizer: heap-buffer-overflow``, or the kind alone."""
        return f"{self.tool}: {self.kind}" if self.tool else self.kind

    def __str__(self) -> str:
        """``AddressSanitizer: heap-buffer-overflow in file.cpp:33 in compute``."""
        return f"{self.name} in {self.place}" if self.place else self.name


def find_fault(text: str) -> NativeFault | None:
    """Return the first fault in a text, a sanitizer's before all others; None if there is none."""
    lines = text.splitlines()
    reported = next(_read_reports(lines), None)
    if reported is not None:
        return reported
    words = next(filter(None, map(_LAST_WORDS.search, lines)), None)
    frames = tuple(_read_shown_frames(lines))
    signal = _find_signal(text)
    if words is None and not signal and not frames:
        return None
    return NativeFault(words["kind"].strip() if words else signal, signal, frames)


def _find_signal(text: str) -> str:
    """Return the name of the signal that a text reports; empty if it reports none."""
    if found := _SIGNAL.search(text):
        return found["signal"]
    fatal = _FATAL_ERROR.search(text)
    return _FAULTHANDLER.get(fatal["what"].strip(), "") if fatal else ""


def _read_reports(lines: Sequence[str]) -> Iterator[NativeFault]:
    """Yield the reports of sanitizers, in their order."""
    for number, line in enumerate(lines):
        if (found := _HEADER.search(line)) and not _NO_FAULT.match(found["what"]):
            yield _read_report(f"{found['tool']}Sanitizer", found["what"], lines[number:])
        elif found := _RUNTIME_ERROR.match(line):
            yield _prefer_other(_read_undefined(found, lines[number:]), lines[number + 1 :])


def _prefer_other(fault: NativeFault, following: Sequence[str]) -> NativeFault:
    """Return the report of another sanitizer of the same access, about which UBSan complained right before."""
    header = next((number for number, line in enumerate(following) if _HEADER.search(line)), None)
    other = None if header is None else next(_read_reports(following[header:]), None)
    return other if other is not None and other.place == fault.place else fault


def _read_report(tool: str, what: str, lines: Sequence[str]) -> NativeFault:
    """Return the fault that a report describes; it ends with its summary."""
    end = next((number for number, line in enumerate(lines) if _SUMMARY.match(line)), len(lines) - 1)
    body = lines[: end + 1]
    kind = _name_kind(tool, what)
    stacks = list(_read_stacks(body))
    first = stacks[0] if stacks else ()
    report = "\n".join(body)
    if tool == "ThreadSanitizer" and kind not in _SIGNALS and len(stacks) > 1:
        # Chance decides which of the two accesses is reported second.
        first, other = sorted(stacks[:2], key=lambda stack: own_places(stack, 1))
        return NativeFault(kind, "", first, tool, other, report)
    return NativeFault(kind, _SIGNALS.get(kind, ""), first, tool, (), report)


def _name_kind(tool: str, what: str) -> str:
    """Return the sanitizer's name for a fault, without ids and details."""
    if tool == "LeakSanitizer" or "detected memory leaks" in what:
        return "memory leak"
    if tool == "ThreadSanitizer":
        # Such as lock-order-inversion (potential deadlock) (pid=7); the kind may have several words.
        words = re.sub(r" \(pid=\d+\)$", "", what)
        return words.split(" ")[0] if words.split(" ")[0] in _SIGNALS else words
    words = what.removeprefix("attempting ")
    if words.startswith("free on address which was not"):
        return "bad-free"
    return words.split(" ")[0].rstrip(":")


def _read_undefined(found: re.Match[str], lines: Sequence[str]) -> NativeFault:
    """Return a report of UndefinedBehaviorSanitizer; without ``print_stacktrace`` its line is all there is."""
    following = chain.from_iterable(
        _read_stacks(list(takewhile(lambda line: "runtime error:" not in line, lines[1:]))[:80])
    )
    frames = tuple(following) or (NativeFrame("", found["file"], int(found["line"])),)
    end = next((n for n, line in enumerate(lines[1:], 1) if not _FRAME.match(line)), len(lines))
    kind = _NUMBERS.sub("#", found["what"].partition(": ")[0])
    return NativeFault(kind, "", frames, "UndefinedBehaviorSanitizer", (), "\n".join(lines[:end]))


def _read_stacks(lines: Iterable[str]) -> Iterator[tuple[NativeFrame, ...]]:
    """Yield the stacks of a report, each a run of lines that begin with ``#``."""
    stack: list[NativeFrame] = []
    for line in chain(lines, [""]):
        found = _FRAME.match(line)
        if found:
            stack.append(_read_frame(found["rest"]))
        elif stack:
            yield tuple(stack)
            stack = []


def _read_frame(rest: str) -> NativeFrame:
    """Return a frame of a report: a function, file and line, and a module, each of which may be missing."""
    rest = _BUILD_ID.sub("", rest.rstrip()).replace("<null>", "").rstrip()
    module = file = ""
    line = 0
    if found := _MODULE.search(rest):
        rest, module = rest[: found.span()[0]].rstrip(), found["module"].rpartition("/")[2]
    if found := _SOURCE.search(rest):
        rest, file, line = rest[: found.span()[0]], found["file"], int(found["line"])
    elif found := _FOLDER.search(rest):
        rest, file = rest[: found.span()[0]], found["file"]
    function = rest.strip()
    return NativeFrame("" if function == "(<unknown module>)" else function, file, line, module)


def _read_shown_frames(lines: Sequence[str]) -> Iterator[NativeFrame]:
    """Yield the frames of the first thread among the stacks that the suite took."""
    begin = next((number for number, line in enumerate(lines) if _THREAD.match(line)), None)
    if begin is None:
        return
    for line in takewhile(lambda line: line.startswith("  "), lines[begin + 1 :]):
        if found := _SHOWN.match(line):
            yield NativeFrame(found["function"], found["file"] or "", int(found["line"] or 0), found["module"] or "")
