"""Folder for the state of drivers in the project's own tests, and the model that many of them begin with."""

import gc
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from nnvet.hal.types import (
    DataLocation,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    Subgraph,
)

# A process of the tests holds twenty thousand tests and all that their modules load, some millions of objects. Each
# search for garbage would walk them again, and tests that look for what is left over search on purpose.


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: hardly any is made."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the first and then every N-th form of a test that is ``sampled(N)`` in ``make test``; others are long."""
    seen: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is not None and item.get_closest_marker("long") is None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % sampled.args[0]:
                item.add_marker("long")
            seen[test] += 1


def pytest_collection_finish() -> None:
    """Exempt all objects loaded so far from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _driver_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Drivers keep what outlives them where the tests do not meet the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_DRIVER_STATE", str(tmp_path_factory.mktemp("driver-state")))
        yield


@pytest.fixture
def add_model() -> Model:
    """ADD of a [2, 2] float input and a copied [2] constant; operands: input, constant, activation, output."""
    values = np.array([10, 20], np.float32).tobytes() + np.int32(0).tobytes()
    main = Subgraph(
        operands=(
            Operand(OperandType.TENSOR_FLOAT32, (2, 2), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
            Operand(
                OperandType.TENSOR_FLOAT32,
                (2,),
                lifetime=OperandLifeTime.CONSTANT_COPY,
                location=DataLocation(length=8),
            ),
            Operand(
                OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(offset=8, length=4)
            ),
            Operand(OperandType.TENSOR_FLOAT32, (2, 2), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
        ),
        operations=(Operation(OperationType.ADD, (0, 1, 2), (3,)),),
        input_indexes=(0,),
        output_indexes=(3,),
    )
    return Model(main, operand_values=values)
