"""A model, ADD of two float vectors, and requests for the tests of the transport."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.types import (
    Ashmem,
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Request,
    RequestArgument,
    Subgraph,
)

PAIR_BYTES = 8
POOL_BYTES = 3 * PAIR_BYTES


def add_model(dimensions: tuple[int, ...] = (2,), activation: int = 0) -> Model:
    """``output = activation(first + second)``; 0 in ``dimensions`` is unknown until the request."""
    tensor = OperandType.TENSOR_FLOAT32
    operands = (
        Operand(tensor, dimensions, lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(tensor, dimensions, lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(length=4)),
        Operand(tensor, dimensions, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    main = Subgraph(operands, (Operation(OperationType.ADD, (0, 1, 2), (3,)),), (0, 1), (3,))
    return Model(main, operand_values=struct.pack("<i", activation))


def add_request(pool: Ashmem, output_bytes: int = PAIR_BYTES, dimensions: tuple[int, ...] = (2,)) -> Request:
    """Two vectors of two at the start of the pool, the output behind them."""
    inputs = tuple(
        RequestArgument(location=DataLocation(offset=offset, length=PAIR_BYTES), dimensions=dimensions)
        for offset in (0, PAIR_BYTES)
    )
    output = RequestArgument(location=DataLocation(offset=2 * PAIR_BYTES, length=output_bytes))
    return Request(inputs, (output,), (pool,))


@contextmanager
def add_pool(*values: float) -> Iterator[Ashmem]:
    """A pool whose first four floats are ``values``."""
    pool = create_ashmem(POOL_BYTES)
    with mapped(pool) as view:
        view[: 2 * PAIR_BYTES] = struct.pack("<4f", *values)
    yield pool
    close(pool)


def result_of(pool: Ashmem) -> tuple[float, ...]:
    """The two floats of the output."""
    with mapped(pool) as view:
        return struct.unpack("<2f", view[2 * PAIR_BYTES :])
