"""Frames of stacks in native code: whose code each is of, and where in it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import takewhile
from typing import Final, NamedTuple

RUNS_PYTHON: Final = "(Python)"
"""Stands for the frames of the interpreter."""

_INTERPRETER: Final = re.compile(r"(libpython|python|_ctypes|_cffi_backend|libffi)[\w.+-]*$")
_SYSTEM: Final = re.compile(
    r"(libc|libpthread|libm|libstdc\+\+|libc\+\+|libgcc_s|ld-linux[\w-]*|linux-vdso|\[?vdso|"
    r"lib(clang_rt\.)?(asan|tsan|ubsan|lsan|msan))[\w.\]-]*$"
)
_INTERPRETER_SOURCES: Final = re.compile(r"(\./|.*/Python-[\d.]+/)?(Python|Objects|Modules|Include)/")
_SYSTEM_SOURCES: Final = re.compile(
    r"\./(nptl|stdlib|assert|signal|debug|csu|string|malloc)/|(.*/)?(sysdeps|libsanitizer|compiler-rt)/|(\.\./)?(csu|nptl)/|"
    r"/usr/include/|/usr/.*/include/c\+\+/"
)
_SYSTEM_FUNCTIONS: Final = re.compile(
    r"__(asan|tsan|ubsan|lsan|msan|sanitizer|interceptor|interception)_|operator (new|delete)\b|std::|__gnu_cxx::|"
    r"__sanitizer::|(mem(cpy|move|set|cmp)|str(len|n?cpy|n?cmp|n?cat|dup)|[mc]alloc|realloc|free|abort|raise|pthread_\w+|_start|__libc_start_\w+)$"
)
_ARGUMENTS: Final = re.compile(
    r"(?<=[^ (])(?<!operator)\((?!anonymous namespace\))[^()]*(\([^()]*\)[^()]*)*\)( const)?$"
)


class NativeFrame(NamedTuple):
    """A call of native code; ``module`` is the name of a library or program, ``line`` 0 where it is not known."""

    function: str
    file: str = ""
    line: int = 0
    module: str = ""

    @property
    def is_named(self) -> bool:
        """True if it tells more than an address would."""
        return bool(self.file) or (bool(self.function) and self.function != "??")

    @property
    def is_system(self) -> bool:
        """True if it is of the libraries that programs in C and C++ run on, or of a sanitizer."""
        return bool(
            _SYSTEM.match(self.module) or _SYSTEM_SOURCES.match(self.file) or _SYSTEM_FUNCTIONS.match(self.function)
        )

    @property
    def is_interpreter(self) -> bool:
        """True if it is of Python itself, or of what Python calls native code with."""
        if self.module:
            # Modules of the standard library that are in C, such as select, are files of their own.
            name, is_extension, _ = self.module.partition(".cpython-")
            is_standard = bool(is_extension) and name in sys.stdlib_module_names
            return is_standard or _INTERPRETER.match(self.module) is not None
        return self.function == RUNS_PYTHON or _INTERPRETER_SOURCES.match(self.file) is not None

    @property
    def is_own(self) -> bool:
        """True if it is of the driver: it has a name, and is of neither system nor interpreter."""
        return self.is_named and not self.is_system and not self.is_interpreter

    @property
    def source(self) -> str:
        """``file.cpp:33`` without folders, as far as it is known."""
        name = self.file.rpartition("/")[2]
        return f"{name}:{self.line}" if name and self.line else name

    @property
    def place(self) -> str:
        """``file.cpp:33 in compute``, or the module for the file; of C++ without the types of arguments."""
        where = self.source or self.module
        if self.function.startswith("+"):
            # Of a library without symbols the address is all there is.
            return where + self.function
        function = _ARGUMENTS.sub("", self.function)
        return f"{where} in {function}" if where and function else where or function

    def __str__(self) -> str:
        """``compute at file.cpp:33 (libdriver.so)``, as far as it is known."""
        source = f" at {self.source}" if self.source else ""
        return "".join((self.function or "??", source, self.module and f" ({self.module})"))


def own_places(frames: Iterable[NativeFrame], most: int) -> list[str]:
    """Places of the first frames of the driver, a recursion once; of the first frame with a name if it has none.

    Frames from which the interpreter calls are not looked at: nothing, if it ran no code of the driver's.
    """
    listed = [frame for frame in frames if frame.is_named]
    called = list(takewhile(lambda frame: not frame.is_interpreter, listed))
    own = [frame.place for frame in called if frame.is_own]
    if not own and called == listed:
        own = [frame.place for frame in listed[:1]]
    return list(dict.fromkeys(own))[:most]
