"""Calls from C to implementations in Python: turn pointers into objects, and exceptions into result codes.

:mod:`nnvet.adapters.nnapi.exported.serving` makes one :class:`Caller` for the library and exports the tables of
functions of the other modules through it. Implementations refuse a call by raising :class:`RefusalError`, which has the
result code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import cffi

from nnvet.adapters.nnapi import declarations
from nnvet.adapters.nnapi.declarations import RESULTS, ResultCode
from nnvet.diagnostics.exceptions import traceback_of
from nnvet.hal.errors import HalError

Functions = Mapping[str, Callable[..., Any]]
"""Implementations of functions, by their names without ``ANeuralNetworks``.

They get objects in place of pointers to objects, and all other arguments unchanged. If the last parameter of the C
function is the place of a new object, the implementation returns the object instead. Functions without a result code
return their own value.
"""


class RefusalError(Exception):
    """A call that fails with ``code``; the text gives the reason."""

    def __init__(self, code: ResultCode, message: str) -> None:
        """Keep code and reason."""
        super().__init__(f"{code.name}: {message}")
        self.code = code


def bad_data(message: str) -> RefusalError:
    """Return BAD_DATA, for a wrong argument."""
    return RefusalError(ResultCode.BAD_DATA, message)


def bad_state(message: str) -> RefusalError:
    """Return BAD_STATE, for an object whose state does not allow the call."""
    return RefusalError(ResultCode.BAD_STATE, message)


def unexpected_null(message: str) -> RefusalError:
    """Return UNEXPECTED_NULL, for a pointer that must not be null."""
    return RefusalError(ResultCode.UNEXPECTED_NULL, message)


def op_failed(message: str) -> RefusalError:
    """Return OP_FAILED, for a call that could not do its work."""
    return RefusalError(ResultCode.OP_FAILED, message)


def refusal(error: HalError) -> RefusalError:
    """Return a driver's error in the terms of the C API."""
    return RefusalError(RESULTS[error.status], f"{error.message} [{error.rule}]" if error.rule else error.message)


def check_index(index: int, count: int, what: str) -> None:
    """Check that an index is below ``count``.

    :raises RefusalError: BAD_DATA.
    """
    if not 0 <= index < count:
        raise bad_data(f"{what} {index} of {count}")


FFI: Final = cffi.FFI()
"""Interface of cffi for work that needs no declarations: views of memory, and texts."""
EXPLAIN: Final = "NNVET_EXPLAIN"
"""Environment variable; if it is not empty, every refusal prints its reason on standard error."""

_PREFIX: Final = "ANeuralNetworks"
"""Beginning of the names of the C API's functions and types."""
_PLAIN: Final = "plain"
_OBJECT: Final = "object"
_ARRAY: Final = "array"
"""Forms of parameters: a number; a pointer to an object or to other data; an array of such pointers.

The place in which a new object is returned has the form of an array.
"""
_NULLABLE: Final = {
    "Model_setOperandValue": (2,),
    "Model_setOperandExtensionData": (2,),
    "Execution_setInput": (2, 3),
    "Execution_setOutput": (2, 3),
    "Execution_setInputFromMemory": (2,),
    "Execution_setOutputFromMemory": (2,),
    "Execution_startComputeWithDependencies": (1,),
    "MemoryDesc_setDimensions": (2,),
    "Compilation_setCachingFromFds": (1, 3),
    "Compilation_addExtensionAttribute": (3,),
    "Execution_addExtensionAttribute": (3,),
}
"""Positions of pointer parameters that may be null; the others are checked before the function is called."""
_BLANK: Final = {
    "Event_getSyncFenceFd": ((1,), b"\xff"),
    "Device_getNumberOfCacheFilesNeeded": ((1, 2), b"\0"),
    "Device_getPerformanceInfo": ((2,), b"\0"),
    "Device_getVendorExtensionCount": ((1,), b"\0"),
    "Device_getVendorExtensionName": ((2,), b"\0"),
}
"""Positions of places that are filled with a byte before anything is checked (docs/contract/c-api.md 1.4 and 2.4)."""


class Objects:
    """Table of the objects that clients have pointers to, by address. An object lives until the client frees it."""

    def __init__(self) -> None:
        """Begin without objects."""
        # The handle is kept with the object: while the handle lives, no other object gets its address.
        self._known: dict[int, tuple[Any, object]] = {}
        self._addresses: dict[int, int] = {}

    def add(self, implementation: object) -> int:
        """Return the address by which clients know an object, which is always the same for one object."""
        known = self._addresses.get(id(implementation))
        if known is not None:
            return known
        handle = FFI.new_handle(implementation)
        address = self._addresses[id(implementation)] = _to_address(handle)
        self._known[address] = handle, implementation
        return address

    def find(self, kind: type, pointer: Any) -> Any:
        """Return the object of a kind that a pointer points to.

        :raises RefusalError: UNEXPECTED_NULL, BAD_DATA for a pointer to nothing of the kind, such as a freed object.
        """
        if not pointer:
            raise unexpected_null(f"the pointer to a {kind.__name__} is null")
        _, found = self._known.get(_to_address(pointer), (None, None))
        if not isinstance(found, kind):
            raise bad_data(f"the pointer is to no {kind.__name__}; was it freed?")
        return found

    def remove(self, pointer: Any) -> object | None:
        """Remove an object from the table, and return the object; None if there is none at the address."""
        _, found = self._known.pop(_to_address(pointer), (None, None))
        self._addresses.pop(id(found), None)
        return found


class ObjectArray:
    """A client's array of pointers to objects."""

    def __init__(self, objects: Objects, kind: type, pointer: Any) -> None:
        """Wrap an array; ``pointer`` may be null if no object will be taken from the array."""
        self._objects = objects
        self._kind = kind
        self._pointer = pointer

    def take(self, count: int) -> list[Any]:
        """Return the first ``count`` objects.

        :raises RefusalError: like :meth:`Objects.find` for each of them; UNEXPECTED_NULL if there is no array.
        """
        if count and not self._pointer:
            raise unexpected_null(f"the array of {count} is null")
        return [self._objects.find(self._kind, self._pointer[index]) for index in range(count)]


class Caller:
    """Wrapper that makes implementations callable from C; ``kinds`` are classes of objects, by the C API's names."""

    def __init__(self, ffi: Any, library: Any, kinds: Mapping[str, type]) -> None:
        """Use ``ffi`` and ``library`` of the Python module that cffi made of the exported library."""
        self._ffi = ffi
        self._library = library
        self._kinds = {f"struct {_PREFIX}{name}": kind for name, kind in kinds.items()}
        self._explains = bool(os.environ.get(EXPLAIN))
        self.objects = Objects()

    def export(self, functions: Functions) -> None:
        """Make these implementations the functions of the library."""
        for name, implementation in functions.items():
            full = declarations.names()[name]
            signature = self._ffi.typeof(getattr(self._library, full))
            wrap = self._wrap_free if name.endswith("_free") else partial(self._wrap_call, name)
            guarded = self._guard(full, wrap(implementation), has_code=signature.result.cname == "int")
            self._ffi.def_extern(name=full)(guarded)

    def _wrap_call(self, name: str, implementation: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of C's parameters: it fills places, checks for null, and converts pointers to objects."""
        signature = self._ffi.typeof(getattr(self._library, declarations.names()[name]))
        parameters = [_classify(ctype) for ctype in signature.args]
        makes = bool(parameters) and parameters[-1][0] == _ARRAY and parameters[-1][1] in self._kinds
        nullable = _NULLABLE.get(name, ())
        places, blank = _BLANK.get(name, ((), b""))

        def call(*arguments: Any) -> Any:
            if makes and arguments[-1]:
                arguments[-1][0] = FFI.NULL
            for position in places:
                if arguments[position]:
                    view = FFI.buffer(arguments[position])
                    view[:] = blank * len(view)
            converted = [
                self._convert(value, position, *parameters[position], may_be_null=position in nullable)
                for position, value in enumerate(arguments)
            ]
            if not makes:
                return implementation(*converted)
            arguments[-1][0] = self._ffi.cast("void*", self.objects.add(implementation(*converted[:-1])))
            return None

        return call

    def _convert(self, value: Any, position: int, form: str, name: str, *, may_be_null: bool) -> Any:
        """Return an argument for the implementation; ``form`` and ``name`` are those of :func:`_classify`."""
        if form == _OBJECT and name in self._kinds:
            return self.objects.find(self._kinds[name], value)
        if form != _PLAIN and not value and not may_be_null:
            raise unexpected_null(f"argument {position} is null")
        if form == _ARRAY and name in self._kinds:
            return ObjectArray(self.objects, self._kinds[name], value)
        return value

    def _wrap_free(self, implementation: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that removes an object from the table; it ignores null, like ``free`` of C."""

        def free(pointer: Any) -> None:
            found = self.objects.remove(pointer)
            if found is not None:
                implementation(found)

        return free

    def _guard(self, name: str, call: Callable[..., Any], *, has_code: bool) -> Callable[..., Any]:
        """Return a function that turns every exception into a result code, because none may pass through C."""

        def guarded(*arguments: Any) -> Any:
            try:
                returned = call(*arguments)
            except RefusalError as error:
                code = self._explain(name, error)
            except HalError as error:
                code = self._explain(name, refusal(error))
            except MemoryError:
                code = self._explain(name, RefusalError(ResultCode.OUT_OF_MEMORY, "there is no memory left"))
            except Exception as error:  # noqa: BLE001 - the driver's own faults are its clients' failures
                sys.stderr.write(f"{name}: {traceback_of(error)}\n")
                code = ResultCode.OP_FAILED
            else:
                return ResultCode.NO_ERROR if returned is None and has_code else returned
            return int(code) if has_code else 0

        return guarded

    def _explain(self, name: str, error: RefusalError) -> ResultCode:
        """Return the result code of a refusal, and print the reason if the environment asks for it."""
        if self._explains:
            sys.stderr.write(f"{name}: {error}\n")
        return error.code


def _classify(ctype: Any) -> tuple[str, str]:
    """Return the form of a parameter (see :data:`_ARRAY`), and the type that it or its pointer leads to."""
    if ctype.kind == "function":
        return _OBJECT, ctype.cname
    if ctype.kind != "pointer":
        return _PLAIN, ctype.cname
    if ctype.item.kind == "pointer":
        return _ARRAY, ctype.item.item.cname
    return _OBJECT, ctype.item.cname


def _to_address(pointer: Any) -> int:
    return int(FFI.cast("uintptr_t", pointer))
