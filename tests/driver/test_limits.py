"""Nesting, loops, values held and broken kernels: the driver's limits at work."""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.adapters import prepare
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.types import (
    NO_DEADLINE,
    DataLocation,
    ExecutionConfig,
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
from nnvet.reference_driver import create, limits
from nnvet.reference_driver.kernels.registry import kernels
from tests.driver.questions import Draft
from tests.driver.watching import Watch, watching
from tests.single import output, run_single, tensor

F32 = OperandType.TENSOR_FLOAT32
INPUT, OUTPUT = OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT
TEMPORARY = OperandLifeTime.TEMPORARY_VARIABLE
PEAK_BYTES = 2**26


@pytest.fixture(scope="module", name="watch")
def _watch() -> Iterator[Watch]:
    with watching() as watch:
        yield watch


def relu() -> Subgraph:
    """One RELU of a vector of two."""
    draft = Draft(bytearray())
    source = draft.add(F32, (2,), INPUT)
    draft.operations.append(Operation(OperationType.RELU, (source,), (draft.add(F32, (2,), OUTPUT),)))
    return draft.subgraph()


def branching(values: bytearray, *targets: int) -> Subgraph:
    """One IF after the other, each with both branches in the subgraph numbered in ``targets``."""
    draft = Draft(values)
    condition = draft.constant(OperandType.TENSOR_BOOL8, (1,), b"\1")
    current = draft.add(F32, (2,), INPUT)
    for position, target in enumerate(targets, start=1):
        place = DataLocation(offset=target)
        branch = draft.add(OperandType.SUBGRAPH, (), OperandLifeTime.SUBGRAPH, location=place)
        result = draft.add(F32, (2,), OUTPUT if position == len(targets) else TEMPORARY)
        draft.operations.append(Operation(OperationType.IF, (condition, branch, branch, current), (result,)))
        current = result
    return draft.subgraph()


def nested(depth: int, repeats: int = 1) -> Model:
    """IFs within IFs, ``repeats`` on each level, around a RELU."""
    values = bytearray()
    levels = [branching(values, *[level + 1] * repeats) for level in range(depth)]
    main, *referenced = levels
    # Level n is subgraph n - 1.
    return Model(
        replace(main, operands=_renumbered(main)),
        (*(replace(level, operands=_renumbered(level)) for level in referenced), relu()),
        bytes(values),
    )


def _renumbered(subgraph: Subgraph) -> tuple[Operand, ...]:
    return tuple(
        replace(operand, location=DataLocation(offset=operand.location.offset - 1))
        if operand.type == OperandType.SUBGRAPH
        else operand
        for operand in subgraph.operands
    )


def run(model: Model, *vector: float, config: ExecutionConfig | None = None) -> tuple[float, ...]:
    """Floats that a model with one input and one output makes of a vector."""
    data = struct.pack(f"<{len(vector)}f", *vector)
    pool = create_ashmem(2 * len(data))
    with mapped(pool) as view:
        view[: len(data)] = data
    places = [DataLocation(0, offset, len(data)) for offset in (0, len(data))]
    request = Request((RequestArgument(location=places[0]),), (RequestArgument(location=places[1]),), (pool,))
    try:
        prepare(create(), model).execute_synchronously(request, config or ExecutionConfig(), NO_DEADLINE)
        with mapped(pool) as view:
            return struct.unpack(f"<{len(vector)}f", view[len(data) :])
    finally:
        close(pool)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("depth", "repeats", "supported"),
    [(1, 1, True), (100, 1, True), (101, 1, False), (5000, 1, False), (18, 2, True), (19, 2, False), (90, 2, False)],
)
def test_nesting(watch: Watch, depth: int, repeats: int, supported: bool) -> None:
    """A hundred levels and a million operations are supported, more is not, and both are found out quickly.

    Two IFs on each of n levels run 2^n RELUs and 2^(n + 1) - 2 IFs: for 18 levels 786430 operations.
    """
    with watch.over(PEAK_BYTES):
        assert create().get_supported_operations(nested(depth, repeats)) == (supported,) * repeats


def test_deepest_nesting_runs(watch: Watch) -> None:
    """The deepest supported nesting runs: a RELU below a hundred IFs."""
    with watch.over(PEAK_BYTES):
        assert run(nested(100), -1.0, 2.0) == (0.0, 2.0)


def test_many_branches_are_answered_quickly(watch: Watch) -> None:
    """Subgraphs are looked at once for all operations that run them: here 3000 IFs with 3000 IFs each."""
    values = bytearray()
    inner = branching(values, *[1] * 3000)
    model = Model(branching(values, *[0] * 3000), (inner, relu()), bytes(values))
    with watch.over(PEAK_BYTES):
        assert create().get_supported_operations(model) == (False,) * 3000


def test_subgraph_that_cannot_run_need_not_be_supported() -> None:
    """A model whose operations are all supported is prepared, whatever else is among its subgraphs."""
    oem = replace(relu(), operations=(Operation(OperationType.OEM_OPERATION, (0,), (1,)),))
    model = replace(nested(1), referenced=(*nested(1).referenced, oem))
    assert create().get_supported_operations(model) == (True,)
    assert run(model, -3.0, 4.0) == (0.0, 4.0)


def test_thousands_of_dimensions(watch: Watch) -> None:
    """An operand of a hundred thousand dimensions is refused without multiplying them all."""
    huge = replace(relu().operands[0], dimensions=(2**32 - 1,) * 100_000)
    model = Model(replace(relu(), operands=(huge, relu().operands[1])))
    with watch.over(PEAK_BYTES), pytest.raises(HalError) as caught:
        create().get_supported_operations(model)
    assert caught.value.rule == "model/operand.dimensions.overflow"


def test_more_dimensions_than_arrays_have() -> None:
    """An operand of a rank beyond NumPy's is valid, but nothing that takes it is supported."""
    flat = tuple(replace(operand, dimensions=(1,) * 65) for operand in relu().operands)
    model = Model(
        replace(relu(), operands=flat, operations=(Operation(OperationType.ABS, (0,), (1,)),)),
    )
    assert create().get_supported_operations(model) == (False,)


def sums(count: int, *, all_needed: bool) -> Model:
    """``count`` times x + x, from one sum to the next, and a last sum of the last one, or of all."""
    values = bytearray()
    draft = Draft(values)
    none = draft.constant(OperandType.INT32, (), bytes(4))
    made = [draft.add(F32, (1024,), INPUT)]
    for _ in range(count):
        made.append(draft.add(F32, (1024,), TEMPORARY))
        draft.operations.append(Operation(OperationType.ADD, (made[-2], made[-2], none), (made[-1],)))
    total = made[-1]
    for operand in made[:-1] if all_needed else made[:1]:
        is_last = operand == (made[-2] if all_needed else made[0])
        result = draft.add(F32, (1024,), OUTPUT if is_last else TEMPORARY)
        draft.operations.append(Operation(OperationType.ADD, (total, operand, none), (result,)))
        total = result
    return Model(draft.subgraph(), (), bytes(values))


def test_only_values_still_needed_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for 4 values of 4096 bytes suffices for a long row of sums, but not if all are needed at the end."""
    monkeypatch.setattr(limits, "HELD_BYTES", 4 * 4096)
    # 2^6 + 1 for every element.
    assert run(sums(6, all_needed=False), *[1.0] * 1024) == (65.0,) * 1024
    with pytest.raises(HalError) as caught:
        run(sums(6, all_needed=True), *[1.0] * 1024)
    assert (caught.value.status, caught.value.rule) == (
        ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT,
        "execution/memory",
    )


def loop(limit: float) -> Model:
    """While the first element is below ``limit``: x := x + 1, for a vector of 1024."""
    values = bytearray()
    none, one = np.int32(0).tobytes(), np.float32(1).tobytes()
    condition = Draft(values)
    source = condition.add(F32, (1024,), INPUT)
    compared = condition.add(OperandType.TENSOR_BOOL8, (1024,), TEMPORARY)
    axes = condition.constant(OperandType.TENSOR_INT32, (1,), none)
    keep = condition.constant(OperandType.BOOL, (), b"\1")
    bound = condition.constant(F32, (1,), np.float32(limit).tobytes())
    more = condition.add(OperandType.TENSOR_BOOL8, (1,), OUTPUT)
    condition.operations += [
        Operation(OperationType.LESS, (source, bound), (compared,)),
        Operation(OperationType.REDUCE_ALL, (compared, axes, keep), (more,)),
    ]
    body = Draft(values)
    inputs = (
        body.add(F32, (1024,), INPUT),
        body.constant(F32, (1,), one),
        body.constant(OperandType.INT32, (), none),
    )
    body.operations.append(Operation(OperationType.ADD, inputs, (body.add(F32, (1024,), OUTPUT),)))
    main = Draft(values)
    subgraphs = [
        main.add(OperandType.SUBGRAPH, (), OperandLifeTime.SUBGRAPH, location=DataLocation(offset=index))
        for index in range(2)
    ]
    start = main.add(F32, (1024,), INPUT)
    main.operations.append(Operation(OperationType.WHILE, (*subgraphs, start), (main.add(F32, (1024,), OUTPUT),)))
    return Model(main.subgraph(), (condition.subgraph(), body.subgraph()), bytes(values))


def test_rounds_of_a_loop_do_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred rounds run in the memory of three values of 4096 bytes."""
    monkeypatch.setattr(limits, "HELD_BYTES", 3 * 4096)
    assert run(loop(100.0), *[0.0] * 1024) == (100.0,) * 1024


def test_loop_timeout_has_a_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that wants a loop to run for years gets the contract's longest loop timeout."""
    monkeypatch.setattr("nnvet.hal.types.MAXIMUM_LOOP_TIMEOUT_DURATION_NS", 1_000_000)
    with pytest.raises(HalError) as caught:
        run(loop(float("inf")), *[0.0] * 1024, config=ExecutionConfig(loop_timeout_duration_ns=2**62))
    assert caught.value.status == ErrorStatus.MISSED_DEADLINE_TRANSIENT


@pytest.mark.parametrize(
    ("error", "status", "rule"),
    [
        (MemoryError(), ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, "execution/memory"),
        (RecursionError(), ErrorStatus.GENERAL_FAILURE, "driver/exception"),
        (KeyError("x"), ErrorStatus.GENERAL_FAILURE, "driver/exception"),
        (RuntimeWarning("odd"), ErrorStatus.GENERAL_FAILURE, "driver/exception"),
        (AssertionError(), ErrorStatus.GENERAL_FAILURE, "driver/exception"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_whatever_a_kernel_raises_becomes_an_answer(
    monkeypatch: pytest.MonkeyPatch, error: Exception, status: ErrorStatus, rule: str
) -> None:
    """No exception of a kernel gets out of an execution but as HalError."""

    def broken(_: Any) -> Any:
        raise error

    monkeypatch.setitem(kernels(), OperationType.RELU, broken)
    with pytest.raises(HalError) as caught:
        run_single(OperationType.RELU, [tensor(F32, [1.0])], [output(F32)])
    assert (caught.value.status, caught.value.rule) == (status, rule)


EXHAUSTED = (ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "execution/memory")
INT32 = OperandType.INT32


@pytest.mark.parametrize("rank", [31, 32, 64])
@pytest.mark.parametrize("operation", [OperationType.EXPAND_DIMS, OperationType.PACK])
def test_dimensions_that_only_an_execution_knows(operation: OperationType, rank: int) -> None:
    """One dimension more than an input has: 32 are computed, more are refused before any array has them."""
    flat = tensor(F32, np.full((1,) * rank, 7.0))
    axis = tensor(INT32, 0)
    inputs = [flat, axis] if operation == OperationType.EXPAND_DIMS else [axis, flat]
    if rank < limits.RANK:
        (result,) = run_single(operation, inputs, [output(F32)])
        assert result.shape == (1,) * (rank + 1)
        assert result.reshape(-1) == [7.0]
        return
    with pytest.raises(HalError) as caught:
        run_single(operation, inputs, [output(F32)])
    assert (caught.value.status, caught.value.rule) == EXHAUSTED
