"""Execution of sequences of calls on a library that this process has loaded (:func:`perform`).

Sequences are data (:mod:`nnvet.adapters.nnapi.sequences`). :mod:`nnvet.adapters.nnapi.sequence_process` runs this
module in a process of its own, since a wrong call may kill the process. Unlike the adapter
(:mod:`nnvet.adapters.nnapi.device`), which translates the HAL, a sequence may call the functions in any order and with
any argument.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any, Final

from nnvet.adapters.nnapi import declarations, sequences
from nnvet.adapters.nnapi.declarations import feature_level
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.adapters.selector import SelectorError

_PREFIX: Final = "ANeuralNetworks"
"""Beginning of the names of the C API's types."""


def load(kind: str, arguments: str) -> tuple[NnapiLibrary, str]:
    """Load the library of a selector ``ndk:`` or ``sl:``; return it with the name of the selected device.

    :raises SelectorError: the library cannot be loaded.
    """
    path, _, device = arguments.partition("#")
    return NnapiLibrary(path, is_support_library=kind == "sl"), device


def describe(library: NnapiLibrary, device: str) -> sequences.Library:
    """Return the facts about a library that decide which sequences can be performed.

    :raises SelectorError: the library has no device of that name.
    :raises HalError: the library fails.
    """
    functions = tuple(name for name in declarations.names() if library.has(name))
    level = int(library.runtime_level())
    if not library.has("_getDeviceCount"):
        return sequences.Library(level, functions, (), 0)
    facts = [
        (
            library.text("Device_getName", pointer),
            int(feature_level(library.value("Device_getFeatureLevel", "int64_t", pointer))),
            library.value("Device_getType", "int32_t", pointer),
        )
        for pointer in library.devices()
    ]
    names = [name for name, *_ in facts]
    if device and device not in names:
        raise SelectorError(f"there is no device {device!r}; its devices: {', '.join(names)}")
    return sequences.Library(level, functions, tuple(facts), names.index(device) if device else 0)


class _MissingError(Exception):
    """Raised if the library lacks a function that a sequence calls."""


class _SequenceState:
    """Objects, buffers, files and folders of one sequence, by the names that its steps give them."""

    def __init__(self, library: NnapiLibrary, device: int) -> None:
        """Read the library's devices; the one with index ``device`` is also known by the name ``device``."""
        self._library = library
        self._ffi = library.ffi
        self._objects: dict[str, tuple[str, Any]] = {}
        self._buffers: dict[str, Any] = {}
        self._files: dict[str, int] = {}
        self._folders: dict[str, str] = {}
        self._kept: list[Any] = []
        if library.has("_getDeviceCount"):
            for number, pointer in enumerate(library.devices()):
                self._objects[f"device{number}"] = "Device", pointer
                if number == device:
                    self._objects["device"] = "Device", pointer

    def close(self) -> None:
        """Free all remaining objects, the last one first, so that none is used after it was freed."""
        for name, (kind, pointer) in reversed(list(self._objects.items())):
            if kind != "Device":
                del self._objects[name]
                free = self._library.function(f"{kind}_free")
                if free is not None:
                    free(pointer)
        for descriptor in self._files.values():
            os.close(descriptor)
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)

    def prepare(self, step: sequences.CallStep) -> Callable[[], int | None]:
        """Return a function that makes the call of a step with its arguments; to be called once.

        Arguments are made here, before the call, so that calls on several threads begin as close together as possible.

        :raises _MissingError: the library lacks the function.
        """
        if step.function.startswith("."):
            return lambda: self._act(step)
        function = self._library.function(step.function)
        if function is None:
            raise _MissingError(step.function)
        types = self._ffi.typeof(function).args
        arguments = [self._make_argument(value, ctype) for value, ctype in zip(step.arguments, types, strict=True)]
        new = [
            (value.name, arguments[at]) for at, value in enumerate(step.arguments) if isinstance(value, sequences.New)
        ]
        freed = step.arguments[0] if step.function.endswith("_free") else None

        def call() -> int | None:
            if isinstance(freed, str):
                self._objects.pop(freed, None)
            result = function(*arguments)
            for name, place in new:
                self._add_object(name, place)
            return None if result is None else int(result)

        return call

    def _add_object(self, name: str, place: Any) -> None:
        """Note the object that a call has written to ``place``, if any."""
        self._buffers[name] = place
        if place[0] != self._ffi.NULL:
            kind = self._ffi.typeof(place[0]).item.cname.removeprefix(f"struct {_PREFIX}").removeprefix(_PREFIX)
            self._objects[name] = kind, place[0]

    def find_missing_object(self, step: sequences.CallStep, result: int | None) -> str:
        """Return the complaint that a call claims success but has made no object; empty if there is none."""
        made = [value.name for value in step.arguments if isinstance(value, sequences.New)]
        missing = [name for name in made if result == 0 and name not in self._objects]
        return f"makes no {missing[0]}" if missing else ""

    def compare(self, written: sequences.Written) -> str:
        """Return how a place differs from its expected content; empty if it does not."""
        if written.name not in self._buffers:
            return f"there is no {written.name}"
        buffer = self._buffers[written.name]
        found = tuple(self._to_number(buffer[index]) for index in range(len(written.values)))
        return "" if found == written.values else f"{written.name} is {_join(found)}, must be {_join(written.values)}"

    def _to_number(self, value: Any) -> int:
        """Return a number as it is, and a pointer as its address."""
        if isinstance(value, int | float):
            return int(value)
        return int(self._ffi.cast("uintptr_t", value))

    def _act(self, step: sequences.CallStep) -> int:
        """Perform a client's action, and return its result: 0, or 1 if a comparison fails."""
        name, *more = step.arguments
        assert isinstance(name, str)  # noqa: S101 - as the actions are described
        if step.function == sequences.FOLDER:
            self._folders[name] = tempfile.mkdtemp(prefix="nnvet-")
            return 0
        if step.function == sequences.KEPT:
            return 0 if any(pathlib.Path(self._folders[name]).iterdir()) else 1
        (raw,) = more
        assert isinstance(raw, sequences.Raw)  # noqa: S101 - same
        content = raw.content
        if step.function == sequences.FILE:
            self._files[name] = os.memfd_create(name)
            os.write(self._files[name], content)
        elif step.function == sequences.POKE:
            self._ffi.buffer(self._buffers[name], len(content))[:] = content
        elif step.function == sequences.HOLDS:
            return 0 if os.pread(self._files[name], len(content), 0) == content else 1
        return 0

    def _make_argument(self, value: sequences.Argument, ctype: Any) -> Any:
        """Return an argument in C, and keep it: the library may use it until the end of the sequence."""
        made = self._convert(value, ctype)
        self._kept.append(made)
        return made

    def _convert(self, value: sequences.Argument, ctype: Any) -> Any:  # noqa: PLR0911 - a table of forms
        match value:
            case None:
                return self._ffi.NULL
            case str():
                return self._objects[value][1] if value in self._objects else self._buffers[value]
            case int() | float():
                return value
            case sequences.New():
                return self._ffi.new(ctype)
            case sequences.Callback():
                return self._ffi.callback(ctype, lambda *_: None)
            case sequences.Path(name):
                return self._ffi.new("char[]", os.fsencode(self._folders[name]))
            case sequences.Descriptor(name):
                return self._files[name]
        return self._convert_array(value)

    def _convert_array(self, value: sequences.Argument) -> Any:  # noqa: PLR0911 - same
        match value:
            case sequences.WritablePlace(name, ctype, count, begin):
                self._buffers[name] = self._ffi.new(f"{ctype}[]", [begin] * count if begin else count)
                return self._buffers[name]
            case sequences.Data(name, content):
                self._buffers[name] = self._ffi.new("uint8_t[]", content)
                return self._buffers[name]
            case sequences.Raw(content):
                return self._ffi.new("uint8_t[]", content)
            case sequences.NumberArray(ctype, values):
                return self._ffi.new(f"{ctype}[]", list(values))
            case sequences.TextArgument(content):
                return self._ffi.new("char[]", content.encode())
            case sequences.ObjectPointers(kind, names):
                found = [self._ffi.NULL if name is None else self._objects[name][1] for name in names]
                return self._ffi.new(f"{_PREFIX}{kind}*[]", found)
        return self._convert_structure(value)

    def _convert_structure(self, value: sequences.Argument) -> Any:
        match value:
            case sequences.OperandTypeData(code, dimensions, scale, zero_point, count, has_pointer):
                is_given = bool(dimensions) if has_pointer is None else has_pointer
                pointer = self._make_argument(sequences.NumberArray("uint32_t", dimensions) if is_given else None, None)
                number = len(dimensions) if count is None else count
                return self._ffi.new(f"{_PREFIX}OperandType*", (code, number, pointer, scale, zero_point))
            case sequences.Channels(dimension, scales, has_pointer):
                pointer = self._make_argument(sequences.NumberArray("float", scales) if has_pointer else None, None)
                return self._ffi.new(f"{_PREFIX}SymmPerChannelQuantParams*", (dimension, len(scales), pointer))
        raise TypeError(f"{value!r} is no argument")


def perform(
    library: NnapiLibrary, device: int, sequence: sequences.CallSequence, begins: Callable[[int], None] = lambda _: None
) -> sequences.SequenceEnd:
    """Make the calls of a sequence until one fails.

    ``begins`` is called with the number of each step before its calls, and with the number of steps before the
    remaining objects are freed: that may kill the process, too.
    """
    state = _SequenceState(library, device)
    answer = sequences.SequenceEnd(len(sequence.steps))
    try:
        for number, step in enumerate(sequence.steps):
            begins(number)
            try:
                results = _perform_step(state, step)
            except _MissingError as error:
                answer = sequences.SequenceEnd(number, missing=str(error))
                break
            made = zip((step, *step.beside), results, strict=True)
            faults = (*starmap(state.find_missing_object, made), *map(state.compare, step.written))
            differs = "; ".join(filter(None, faults))
            if differs or not _is_expected(step, results):
                answer = sequences.SequenceEnd(number, results, differs)
                break
    finally:
        begins(len(sequence.steps))
        state.close()
    return answer


def _perform_step(state: _SequenceState, step: sequences.CallStep) -> tuple[int | None, ...]:
    """Make the call of a step and the calls beside it, each on a thread, and return their results."""
    calls = [state.prepare(called) for called in (step, *step.beside)]
    if len(calls) == 1:
        return (calls[0](),)
    results: list[int | None] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(number: int) -> None:
        barrier.wait()
        results[number] = calls[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(results)


def _is_expected(step: sequences.CallStep, results: Sequence[int | None]) -> bool:
    """Return True if a step allows these results of its call and of the calls beside it."""
    fit = all(
        result is None if not called.codes else result in called.codes
        for called, result in zip((step, *step.beside), results, strict=True)
    )
    if not step.beside:
        return fit
    succeeded = sum(result == 0 for result in results)
    return fit and (succeeded >= 1 if step.any_may_succeed else succeeded == 1)


def _join(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
