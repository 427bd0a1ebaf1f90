"""Conversion of a request to the inputs of ``compute``, and of its checked outputs to the answer.

:class:`nnvet.driver_kit.base_prepared_model.BasePreparedModel` keeps a :class:`RequestArguments` for each request.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnvet.driver_kit.arrays import Array, Place, lasting_views, written_pools
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import is_float_array, type_info, type_name
from nnvet.hal.operations.binding import assign, bind, model_argument
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.types import Operand, Operation, OutputShape, Request, Subgraph


class RequestArguments:
    """The positions in memory of the inputs and outputs of one request; repetitions of the request reuse them.

    The object may be used by several threads.
    """

    def __init__(self, request: Request, main: Subgraph) -> None:
        """Combine the arguments of a valid request with the operands of the model.

        :raises HalError: an operation needs an input that has no value; the status is that of the contract (4
         in docs/contract/operations/common.md).
        """
        views: list[memoryview] = []
        arrays: list[Array | None] = []
        targets: list[Array] = []

        def forget(_: object) -> None:
            views.clear()
            arrays.clear()
            targets.clear()

        # When the request is dropped, nothing of it stays mapped.
        self._request = weakref.ref(request, forget)
        self._arguments = (request.inputs, request.outputs)
        self._views, self._looked, self._targets = views, arrays, targets
        self._shapes: tuple[OutputShape, ...] = ()
        self.written = written_pools(request)
        """Indexes of the pools that have outputs."""
        self._inputs: list[Place | None] = []
        for position, (argument, index) in enumerate(zip(request.inputs, main.input_indexes, strict=True)):
            if argument.has_no_value:
                _check_omission(main, index, position)
            self._inputs.append(None if argument.has_no_value else Place(argument, main.operands[index]))
        operands = [main.operands[index] for index in main.output_indexes]
        self._outputs = [
            (Place(argument, operand), operand) for argument, operand in zip(request.outputs, operands, strict=True)
        ]
        views.extend(lasting_views(request) or ())

    def are_of(self, request: Request) -> bool:
        """Return True if these are the arguments of ``request``, whose memory may differ."""
        return self._request() is request or self._arguments == (request.inputs, request.outputs)

    def lasting(self, request: Request) -> list[memoryview]:
        """Return views of all pools of ``request`` if it is the same object and its memory stays mapped; else None."""
        return self._views if self._request() is request else []

    def read(self, pools: Sequence[memoryview]) -> list[Array | None]:
        """Return a read-only array for each input of the main subgraph; None for an input without value.

        :raises HalError: INVALID_ARGUMENT as for :func:`nnvet.driver_kit.arrays.constant`.
        """
        return [None if place is None else place.read(pools) for place in self._inputs]

    def look(self, pools: Sequence[memoryview]) -> list[Array | None]:
        """Return arrays over the memory itself, which clients may change; ``pools`` come from :meth:`lasting`.

        Do not write into the arrays, although they are marked writable.

        :raises HalError: as :meth:`read`.
        """
        if not self._looked:
            # Assigned in one step, since another thread may be doing the same.
            self._looked[:] = [None if place is None else _as_if_writable(place.look(pools)) for place in self._inputs]
        return self._looked

    def write(self, pools: Sequence[memoryview], outputs: Sequence[Any]) -> tuple[OutputShape, ...]:
        """Check all outputs, then write those that fit into their memory; return the shape of each.

        :raises HalError: GENERAL_FAILURE unless there is one array for each output, with its type and rank, and with
         dimensions that model and request allow; then nothing is written.
        """
        targets = self._targets if pools is self._views else []
        if targets and type(outputs) is list and self._are_as_before(outputs, targets):
            for target, output in zip(targets, outputs, strict=True):
                target[...] = output
            return self._shapes
        arrays = self._all_checked(outputs)
        shapes = tuple([place.write(array, pools) for (place, *_), array in zip(self._outputs, arrays, strict=True)])
        if pools is self._views and all(shape.is_sufficient for shape in shapes):
            self._shapes = shapes
            self._targets[:] = [
                place.target(array, pools) for (place, *_), array in zip(self._outputs, arrays, strict=True)
            ]
        return shapes

    def _are_as_before(self, outputs: list[Any], targets: list[Array]) -> bool:
        """Return True if the outputs have the types and shapes of those that were written last."""
        if len(outputs) != len(targets):
            return False
        pairs = zip(outputs, targets, strict=True)
        return all(
            type(array) is np.ndarray and array.dtype is to.dtype and array.shape == to.shape for array, to in pairs
        )

    def _all_checked(self, outputs: Sequence[Any]) -> list[Array]:
        wanted = len(self._outputs)
        if isinstance(outputs, np.ndarray) or not isinstance(outputs, Sequence):
            raise _wrong(f"compute returned {_describe(outputs)}, not a list of {wanted} arrays")
        if len(outputs) != wanted:
            raise _wrong(f"compute returned {len(outputs)} arrays, the model has {wanted} outputs")
        pairs = enumerate(zip(self._outputs, outputs, strict=True))
        return [_check_output(output, *known, f"output {position} of compute") for position, (known, output) in pairs]


class _Unprotected:
    """An object that makes NumPy treat the memory of a read-only array as writable, and keeps it alive."""

    def __init__(self, array: Array) -> None:
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}
        self._owner = array


def _as_if_writable(array: Array) -> Array:
    """Return a writable view. Runtimes such as LiteRT accept any array, but copy read-only ones once more."""
    return array if array.flags.writeable else np.asarray(_Unprotected(array))


def _check_output(output: Any, place: Place, operand: Operand, where: str) -> Array:
    """Return an output as an array of the operand's type."""
    try:
        array = np.asarray(output)
    except ValueError as error:
        raise _wrong(f"{where} is no array: {error}") from error
    dtype = np.dtype(place.dtype)
    # Floats are rounded to the nearest value of the type, like any result; an integer that does not fit is an error.
    is_rounded = is_float_array(array) and type_info(operand.type).is_float
    if not is_rounded and not np.can_cast(array.dtype, dtype):
        raise _wrong(f"{where} has elements of {array.dtype}, {type_name(operand.type)} is {dtype}")
    _check_shape(array.shape, operand, place, where)
    with np.errstate(over="ignore"):
        return array.astype(dtype, copy=False)


def _check_shape(shape: tuple[int, ...], operand: Operand, place: Place, where: str) -> None:
    info, declared = type_info(operand.type), place.dimensions
    # OEM scalars have no structure that is known here.
    if info.size and bool(shape) is not info.is_tensor:
        what = "a tensor, which has dimensions" if info.is_tensor else "a scalar, which has none"
        raise _misshapen(f"{where} has shape {shape}, {type_name(operand.type)} is {what}")
    if declared and (len(declared) != len(shape) or any(a not in (0, b) for a, b in zip(declared, shape, strict=True))):
        raise _misshapen(f"{where} has shape {shape}, declared is {declared}")


def _check_omission(main: Subgraph, index: int, position: int) -> None:
    """Check that all operations that read an input accept its omission; those of extensions check it themselves."""
    for operation in main.operations:
        declaration = declarations().get(operation.type)
        if index not in operation.inputs or declaration is None:
            continue
        for name in _find_needed(operation, main, index):
            message = f"input {position} has no value, {declaration.name} needs its operand '{name}'"
            raise HalError(declaration.omission_status, message, f"{declaration.name}/{name}.omitted")


def _find_needed(operation: Operation, main: Subgraph, index: int) -> list[str]:
    """Return the names of an operation's operands that are operand ``index`` of the model and need a value."""
    inputs, outputs = (
        [model_argument(main.operands[number]) for number in side] for side in (operation.inputs, operation.outputs)
    )
    signature = bind(declarations()[operation.type], inputs, outputs).signature
    pairs = zip(operation.inputs, assign(signature, inputs), strict=True)
    return [formal.name for operand, (formal, _) in pairs if operand == index and not formal.omissible]


def _describe(value: object) -> str:
    return f"one array of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__


def _wrong(message: str) -> HalError:
    return failure(message, "driver/reply")


def _misshapen(message: str) -> HalError:
    return failure(message, "execution/output.dimensions")
