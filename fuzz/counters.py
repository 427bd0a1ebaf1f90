"""Counters for the edges of Python code, which guide libFuzzer, and marks for states that coverage does not show.

:func:`atheris.patch_code` calls a function at each edge, which takes longer than most of the code between edges. Here a
few bytecode instructions add 1 to a byte of memory that libFuzzer reads, in a third of the time.
:mod:`nnvet.fuzz.native_edges` does the same for native code.

After a minute nearly every input runs the same code. Coverage does not show which objects exist at a call, and which
call came before it; a mark does.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, Final

from atheris.instrument_bytecode import Instrumentor, _generate_instruction

from nnvet.fuzz.native_edges import NATIVE_EDGES, NativeEdges

SIZE: Final = 1 << 12
"""Number of counters; if there are more states than that, some share a counter."""


class Marks:
    """Counters of states, in memory that libFuzzer reads once :class:`nnvet.fuzz.counters.EdgeCounters` shows it."""

    def __init__(self) -> None:
        """Begin without marks. Each forked process gets counters of its own."""
        self.counters = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def mark(self, *state: int) -> None:
        """Note that an input has reached a state; repetitions make no difference."""
        self.counters[hash(state) % SIZE] = 1


MARKS: Final = Marks()


_CAPACITY: Final = 1 << 20
"""Number of counters; if there are more edges than that, some share a counter."""
_NEXT: Final = (*range(1, 256), 255)
"""Next value of a counter, by its present value; indexing a tuple is the fastest way to add one in bytecode."""
_COUNTERS: Final = "__sanitizer_cov_8bit_counters_init"
"""Function of libFuzzer that receives the addresses of the 8-bit counters."""
_MUTATE: Final = "LLVMFuzzerMutate"
"""Name that only libFuzzer exports: runtimes of sanitizers export empty functions of its other names."""
_ADDRESSES: Final = "__sanitizer_cov_pcs_init"
"""Function of libFuzzer that receives an address and flags for each counter."""


class _Memory(bytearray):
    """Memory that can be a constant of code. Code is hashed by its constants, so the memory is equal only to itself."""

    __hash__ = object.__hash__  # type: ignore[assignment] # that of a bytearray is None

    def __eq__(self, other: object) -> bool:
        return self is other


class EdgeCounters:
    """Instrumentation of code, with counters for the edges that are taken."""

    def __init__(self, *, compares: bool = False) -> None:
        """Start without edges. With ``compares``, libFuzzer also sees the operands of comparisons, to use in inputs."""
        self._compares = compares
        # An array is faster to index than a mapping. A forked process has a copy of it, and counts for itself.
        self._bytes = _Memory(_CAPACITY)
        self._begin = ctypes.addressof(ctypes.c_char.from_buffer(self._bytes))
        self._edges = self._registered = 0
        self._libfuzzer: ctypes.CDLL | None = None
        self._native: NativeEdges | None = None
        self._native_count = -1
        self._shown = _CAPACITY + SIZE
        self._addresses: list[ctypes.Array[ctypes.c_size_t]] = []

    def instrument(self, code: CodeType) -> CodeType:
        """Return the same code with counters at its edges, and at those of all functions and classes in it."""
        patched = self._patch_code(code)
        self._register()
        return patched

    def connect(self) -> None:
        """Show libFuzzer all counters, including those of edges that are instrumented later.

        libFuzzer must be running: when its library is loaded, it looks for the mutators that atheris registers for it.
        """
        if self._libfuzzer is None:
            self._libfuzzer = _libfuzzer()
            # Edges that were taken while modules were loaded do not belong to the first input.
            self._bytes[: self._edges] = bytes(min(self._edges, _CAPACITY))
            self._show(ctypes.addressof(ctypes.c_char.from_buffer(MARKS.counters)), SIZE, _CAPACITY)
            self._register()
        self._show_native()

    def count_native(self) -> None:
        """Count edges of native code, too, in everything that this process loads or starts from now on."""
        self._native = NativeEdges()

    def _show_native(self) -> None:
        native = self._native
        if native is None:
            return
        for begin, count in native.new():
            self._show(native.address + begin, count, self._shown)
            self._shown += count
        if native.count != self._native_count:
            self._native_count = native.count
            sys.stderr.write(f"{NATIVE_EDGES} {native.count}\n")

    def mutated(self, data: bytes, max_size: int) -> bytes:
        """Return at most ``max_size`` bytes, changed by libFuzzer's own mutators; ``data`` must not be empty."""
        assert self._libfuzzer is not None  # noqa: S101 - it is connected before the first change
        buffer = ctypes.create_string_buffer(data[:max_size], max_size)
        size = self._libfuzzer[_MUTATE](buffer, ctypes.c_size_t(min(len(data), max_size)), ctypes.c_size_t(max_size))
        return buffer.raw[:size]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Forget the edges that are taken within the block: they do not belong to the input that is being tried."""
        end = min(self._edges, _CAPACITY)
        known, marked = self._bytes[:end], MARKS.counters[:]
        try:
            with nullcontext() if self._native is None else self._native.aside():
                yield
        finally:
            self._bytes[:end], MARKS.counters[:] = known, marked

    def place(self) -> tuple[bytearray, int]:
        """Reserve a counter for one more edge, and return the memory with the counter's index."""
        number = self._edges % _CAPACITY
        self._edges += 1
        return self._bytes, number

    def _patch_code(self, code: CodeType) -> CodeType:
        counting = _Counting(code, self)
        counting.trace_control_flow()
        if self._compares:
            counting.trace_data_flow()
        counting.consts = [
            self._patch_code(constant) if _is_followed(constant) else constant for constant in counting.consts
        ]
        patched: CodeType = counting.to_code()
        return patched

    def _register(self) -> None:
        first, end = self._registered, min(self._edges, _CAPACITY)
        if self._libfuzzer is None or first == end:
            return
        self._registered = end
        self._show(self._begin + first, end - first, first)

    def _show(self, begin: int, count: int, first: int) -> None:
        """Make libFuzzer read ``count`` counters from an address on; ``first`` is the number of the first one."""
        assert self._libfuzzer is not None  # noqa: S101 - it is connected
        # The table has an address and flags for each edge; any distinct numbers do as addresses.
        words = [word for edge in range(first + 1, first + count + 1) for word in (edge, 0)]
        addresses = (ctypes.c_size_t * len(words))(*words)
        self._addresses.append(addresses)
        self._libfuzzer[_COUNTERS](*_ends(begin, count))
        self._libfuzzer[_ADDRESSES](*_ends(ctypes.addressof(addresses), ctypes.sizeof(addresses)))


class _Counting(Instrumentor):  # type: ignore[misc] # atheris has no types
    """Finds the edges of one code object as atheris does, and inserts code that counts them."""

    def __init__(self, code: CodeType, counters: EdgeCounters) -> None:
        super().__init__(code)
        self._counters = counters

    def _generate_trace_branch_invocation(self, copyfrom_instruction: Any) -> list[Any]:
        """Return code for ``counters[number] = NEXT[counters[number]]`` with at most three values on the stack."""
        counters, number = self._counters.place()
        place = [("LOAD_CONST", self._get_const(counters)), ("LOAD_CONST", self._get_const(number))]
        grown = [("LOAD_CONST", self._get_const(_NEXT)), *place, ("BINARY_SUBSCR", None), ("BINARY_SUBSCR", None)]
        steps = [*grown, *place, ("STORE_SUBSCR", None)]
        return [_generate_instruction(name, argument, copyfrom_instruction) for name, argument in steps]


def _is_followed(constant: object) -> bool:
    """Return True if a constant is code to be counted. Comprehensions are not, because their iterations say little."""
    return isinstance(constant, CodeType) and (constant.co_name[0] != "<" or constant.co_name == "<lambda>")


def _libfuzzer() -> ctypes.CDLL:
    """Return the library that contains libFuzzer: one that was preloaded, or the one that comes with atheris."""
    process = ctypes.CDLL(None)
    if hasattr(process, _MUTATE):
        return process
    found = find_spec("atheris.core_with_libfuzzer")
    assert found is not None  # noqa: S101 - it is a part of atheris
    return ctypes.CDLL(found.origin)


def refuse_preloaded() -> None:
    """End the process if a libFuzzer was preloaded: it would be bound before atheris can load mutators for it.

    :raises SystemExit: a libFuzzer was preloaded.
    """
    if hasattr(ctypes.CDLL(None), _MUTATE):
        sys.exit(
            "nnvet: LD_PRELOAD has a libFuzzer, such as atheris' asan_with_fuzzer.so, which never calls the mutators; "
            "preload the runtime of the sanitizer alone: docs/fuzzing.md, 'Native libraries'"
        )


def _ends(begin: int, size: int) -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
    return ctypes.c_void_p(begin), ctypes.c_void_p(begin + size)


_BUNDLED: Final = ("nnvet.reference_driver", "nnvet.driver_kit")
_IN_PYTHON: Final = {"reference": _BUNDLED, "zoo": _BUNDLED}


def driver_modules(selector: str) -> tuple[str, ...]:
    """Return the packages or modules of a driver; none if it is not in Python or runs in another process."""
    kind, _, arguments = selector.partition(":")
    if kind == "python":
        place = arguments.rpartition(":")[0]
        # The adapter gives this name to a module that it loads from a file.
        return (f"nnvet_driver_{Path(place).stem}",) if place.endswith(".py") else (_package(place),)
    return _IN_PYTHON.get(kind, ())


def _package(module: str) -> str:
    """Return the package that a module of a driver is in, or the module itself."""
    return module.rpartition(".")[0] if module.startswith("nnvet.") else module.partition(".")[0]


def is_within(module: str, names: Sequence[str]) -> bool:
    """Return True if a module has one of these ``names``, or lies in a package of such a name."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


class Instrumented:
    """Import hook that instruments modules; ``modules`` are the names of those that it has instrumented so far.

    atheris has a hook of its own, which takes all modules of a distribution or none, and misses those that are loaded
    from a file.
    """

    def __init__(self, names: Sequence[str], patch: Callable[[CodeType], CodeType]) -> None:
        """Instrument the packages and modules of these ``names`` by ``patch``."""
        self.modules: list[str] = []
        original: Callable[[SourceFileLoader, str], Any] = SourceFileLoader.get_code
        modules = self.modules

        def get_code(loader: SourceFileLoader, fullname: str) -> Any:
            code = original(loader, fullname)
            if code is None or not is_within(fullname, names):
                return code
            modules.append(fullname)
            return patch(code)

        SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
