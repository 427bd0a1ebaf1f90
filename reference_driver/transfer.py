"""Transfer between the memory of requests and the executor's arguments, prepared before there is data.

:mod:`nnvet.reference_driver.prepared` uses it for each execution. Most requests repeat the arguments of the previous
 one, so everything that depends on the arguments alone is computed once and kept.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array, Place, lasting_views, mapped_pools, written_pools
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument, copy_of
from nnvet.hal.types import BufferToken, ExecutionConfig, OutputShape, Request
from nnvet.reference_driver.compiled import CompiledSubgraph


class Transfer:
    """Moves inputs and outputs of requests that have the same arguments; their memory may differ."""

    def __init__(self, request: Request, main: CompiledSubgraph) -> None:
        """Combine the arguments of a request with the operands of the model."""
        self._arguments = (request.inputs, request.outputs)
        self._written = written_pools(request)
        self._kinds = _kinds(request)
        self.has_passed_with: ExecutionConfig | None = None
        """Configuration with which the latest request has passed all checks."""
        self.uses_device_memory = BufferToken in self._kinds
        source = main.source
        self._inputs: list[tuple[Place, Callable[..., Argument]] | Argument] = []
        for argument, index in zip(request.inputs, source.input_indexes, strict=True):
            declared = main.arguments[index]
            if argument.has_no_value:
                self._inputs.append(replace(declared, omitted=True))
            else:
                self._inputs.append((Place(argument, source.operands[index]), _maker(declared)))
        self.shapes = tuple([() if isinstance(given, Argument) else given[0].dimensions for given in self._inputs])
        self._outputs = [
            Place(argument, source.operands[index])
            for argument, index in zip(request.outputs, source.output_indexes, strict=True)
        ]
        self.declared_outputs = [copy_of(main.arguments[index]) for index in source.output_indexes]
        for declared, place in zip(self.declared_outputs, self._outputs, strict=True):
            declared.dimensions = place.dimensions

    def fits(self, request: Request) -> bool:
        """Return True if ``request`` has the arguments of this transfer."""
        return (request.inputs, request.outputs) == self._arguments and _kinds(request) == self._kinds

    def has_passed(self, request: Request, config: ExecutionConfig) -> bool:
        """Return True if these arguments have passed all checks, whose outcome depends on nothing else."""
        del request, config
        return False

    def pools(
        self, request: Request, device_memory: Mapping[int, memoryview]
    ) -> AbstractContextManager[Sequence[memoryview]]:
        """Return views of the pools of a request that fits; see :func:`nnvet.driver_kit.arrays.mapped_pools`."""
        return mapped_pools(request, device_memory, self._written)

    def read(self, pools: Sequence[memoryview]) -> list[Argument]:
        """Return all inputs with their values."""
        inputs = []
        for known in self._inputs:
            if isinstance(known, Argument):
                inputs.append(known)
            else:
                place, make = known
                value = place.read(pools)
                inputs.append(make(value.shape, value))
        return inputs

    def write(self, results: Sequence[Argument], pools: Sequence[memoryview]) -> tuple[OutputShape, ...]:
        """Put all outputs into their places."""
        pairs = zip(self._outputs, results, strict=True)
        return tuple([place.write(result.array, pools) for place, result in pairs])


class LastingTransfer(Transfer):
    """Moves inputs and outputs of one request whose memory stays mapped, as that of bursts does."""

    def __init__(self, request: Request, main: CompiledSubgraph, views: Sequence[memoryview]) -> None:
        """Find the places of all arguments in ``views``."""
        super().__init__(request, main)
        kept = list(views)
        sources = [given if isinstance(given, Argument) else (given[0].look(views), given[1]) for given in self._inputs]
        targets = [(place, _target(place, views)) for place in self._outputs]
        self._views, self._sources, self._targets = kept, sources, targets

        def let_go(_: object) -> None:
            kept.clear()
            sources.clear()
            targets.clear()

        # The burst forgets the request when its client frees the memory, which must not stay mapped here then.
        self._request = weakref.ref(request, let_go)

    def fits(self, request: Request) -> bool:
        """Return True if this is the very request."""
        return self._request() is request

    def has_passed(self, request: Request, config: ExecutionConfig) -> bool:
        """Return True if these arguments have passed all checks; nothing about such a request can change."""
        return self.has_passed_with is config and self._request() is request

    def pools(
        self, request: Request, device_memory: Mapping[int, memoryview]
    ) -> AbstractContextManager[Sequence[memoryview]]:
        """Return the views; there is no device memory."""
        del request, device_memory
        return nullcontext(self._views)

    def read(self, pools: Sequence[memoryview]) -> list[Argument]:
        """Return copies of all inputs, so that a client that writes meanwhile cannot change a running execution."""
        del pools
        inputs = []
        for known in self._sources:
            if isinstance(known, Argument):
                inputs.append(known)
            else:
                source, make = known
                inputs.append(make(source.shape, source.copy()))
        return inputs

    def write(self, results: Sequence[Argument], pools: Sequence[memoryview]) -> tuple[OutputShape, ...]:
        """Put all outputs into their places."""
        shapes = []
        for (place, target), result in zip(self._targets, results, strict=True):
            array = result.array
            if target is None or target.shape != array.shape:
                shapes.append(place.write(array, pools))
            else:
                target[...] = array
                shapes.append(place.shape(array))
        return tuple(shapes)


def transfer_of(request: Request, main: CompiledSubgraph) -> Transfer:
    """Return the transfer that moves the inputs and outputs of a valid request.

    :raises HalError: GENERAL_FAILURE if memory that is to stay mapped cannot be mapped.
    """
    views = lasting_views(request)
    return Transfer(request, main) if views is None else LastingTransfer(request, main, views)


def _target(place: Place, views: Sequence[memoryview]) -> Array | None:
    """Return the memory of an output; None if its shape is unknown before there is a result."""
    try:
        return place.look(views)
    except HalError:
        return None


def _kinds(request: Request) -> tuple[type, ...]:
    """Return for each pool the manner of access to it."""
    return tuple([BufferToken if isinstance(pool, BufferToken) else type(pool.handle) for pool in request.pools])


def _maker(declared: Argument) -> Callable[..., Argument]:
    """Return a function that copies an argument with other dimensions and value, five times as fast as ``replace``."""
    kind, scale, zero_point, channel_quant = declared.type, declared.scale, declared.zero_point, declared.channel_quant
    data = declared.extension_data
    return lambda dimensions, value: Argument(
        kind, dimensions, scale, zero_point, channel_quant, value, extension_data=data
    )
