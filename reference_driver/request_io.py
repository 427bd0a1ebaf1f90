"""Between a request's pools and arrays: inputs become arguments, results go back into the pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from hal.errors import invalid
from hal.memory import mapped
from hal.operations.call import Argument
from hal.types import BufferToken, Operand, OutputShape, Request, RequestArgument
from hal.validation.request import combine
from reference_driver.compiled import CompiledSubgraph


@contextmanager
def mapped_pools(request: Request) -> Iterator[list[memoryview]]:
    """Views of all pools while the block runs.

    :raises HalError: INVALID_ARGUMENT for a token of unknown device memory, GENERAL_FAILURE if mapping fails.
    """
    with ExitStack() as stack:
        views = []
        for pool in request.pools:
            if isinstance(pool, BufferToken):
                raise invalid(f"no buffer has token {pool.token}", "request/pool.token")
            views.append(stack.enter_context(mapped(pool)))
        yield views


def read_inputs(request: Request, subgraph: CompiledSubgraph, pools: Sequence[memoryview]) -> list[Argument]:
    """Inputs with values, copied so that a client that writes meanwhile cannot change a running execution."""
    return [
        _input(argument, subgraph.source.operands[index], subgraph.arguments[index], pools)
        for argument, index in zip(request.inputs, subgraph.source.input_indexes, strict=True)
    ]


def declared_outputs(request: Request, subgraph: CompiledSubgraph) -> list[Argument]:
    """Outputs with the dimensions that model and request demand together."""
    return [
        replace(
            subgraph.arguments[index],
            dimensions=combine(subgraph.source.operands[index].dimensions, argument.dimensions) or (),
        )
        for argument, index in zip(request.outputs, subgraph.source.output_indexes, strict=True)
    ]


def write_outputs(
    request: Request, results: Sequence[Argument], pools: Sequence[memoryview]
) -> tuple[bool, tuple[OutputShape, ...]]:
    """Copy the results that fit; returns whether all did, and the shapes of all."""
    shapes = []
    for argument, result in zip(request.outputs, results, strict=True):
        array = result.array
        fits = argument.has_no_value or array.nbytes <= argument.location.length
        if fits and not argument.has_no_value:
            view = np.ndarray(array.shape, array.dtype, pools[argument.location.pool_index], argument.location.offset)
            view[...] = array
        shapes.append(OutputShape(array.shape, fits))
    return all(shape.is_sufficient for shape in shapes), tuple(shapes)


def _input(argument: RequestArgument, operand: Operand, declared: Argument, pools: Sequence[memoryview]) -> Argument:
    if argument.has_no_value:
        return replace(declared, omitted=True)
    dimensions = combine(operand.dimensions, argument.dimensions) or ()
    start = argument.location.offset
    raw = bytes(pools[argument.location.pool_index][start : start + argument.location.length])
    return replace(declared, dimensions=dimensions, value=np.frombuffer(raw, declared.dtype).reshape(dimensions))
