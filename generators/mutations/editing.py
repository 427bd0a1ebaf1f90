"""Mutants: copies of a model with one change in any of its subgraphs; and functions that yield them.

``graph.py``, ``operands.py`` and ``operations.py`` make their mutations with :func:`of_operands`, :func:`of_operations`
and :func:`subgraph_mutants`. A mutant should be invalid, so that a driver has to refuse it. The tables list changes
after which a model may still be valid; VTS (Android's vendor tests) leaves them out too (docs/contract/vts-tests.md 2.4
to 2.7). The rows after "not in VTS" are needed because the mutants here are well-formed apart from the change, while
those of VTS also have a scale or length that does not fit. Operands of extensions and OEM operations are not mutated,
since their rules are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nnvet.graphs.editor import with_operand, with_operation, with_subgraph
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import Model, Operand, OperandType, Operation, OperationType, Subgraph


class Mutant(NamedTuple):
    """A mutated copy of a model, with a description of the change."""

    description: str
    model: Model


Mutation = Callable[[Model, int], Iterator[Mutant]]
"""Function that yields all mutants of one kind, for a model that is valid at a feature level."""

# Functions that yield changed copies, each with a description; the number is the feature level.
SubgraphChange = Callable[[Subgraph], Iterable[tuple[str, Subgraph]]]
OperandChange = Callable[[Operand, Model, int], Iterable[tuple[str, Operand]]]
OperationChange = Callable[[Operation, Subgraph, int], Iterable[tuple[str, Operation]]]


def placed(model: Model) -> Iterator[tuple[int, Subgraph]]:
    """Return an iterator over all subgraphs with their numbers: the main one is 0, then come the referenced ones."""
    return enumerate((model.main, *model.referenced))


def subgraph_mutants(model: Model, change: SubgraphChange) -> Iterator[Mutant]:
    """Yield one mutant for each changed subgraph, the main subgraph first."""
    for place, subgraph in placed(model):
        for what, changed in change(subgraph):
            yield mutant(model, place, changed, what)


def of_operands(change: OperandChange) -> Mutation:
    """Return the mutation that changes one operand at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in placed(model):
            for index, operand in enumerate(subgraph.operands):
                for what, changed in change(operand, model, level):
                    yield mutant(model, place, with_operand(subgraph, index, changed), f"operand {index}: {what}")

    return mutate


def of_operations(change: OperationChange) -> Mutation:
    """Return the mutation that changes one operation at a time."""

    def mutate(model: Model, level: int) -> Iterator[Mutant]:
        for place, subgraph in placed(model):
            for index, operation in enumerate(subgraph.operations):
                for what, changed in change(operation, subgraph, level):
                    mutated = with_operation(subgraph, index, changed)
                    yield mutant(model, place, mutated, f"operation {index}: {what}")

    return mutate


def where(place: int) -> str:
    """Return the name of the main subgraph (0) or of a referenced one."""
    return "main subgraph" if place == 0 else f"subgraph {place - 1}"


def mutant(model: Model, place: int, mutated: Subgraph, what: str) -> Mutant:
    """Return the mutant with another subgraph at ``place``; ``what`` describes the change."""
    return Mutant(f"{where(place)}, {what}", with_subgraph(model, place, mutated))


_O, _T = OperationType, OperandType
_FLOATS = frozenset((_T.TENSOR_FLOAT16, _T.TENSOR_FLOAT32))
_QUANT8 = frozenset((_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED))
_NUMBERS = _FLOATS | _QUANT8 | {_T.TENSOR_INT32}
_FILTERS = _QUANT8 | {_T.TENSOR_QUANT8_SYMM_PER_CHANNEL}
_PADDING_OR_LAYOUT = frozenset((_T.INT32, _T.BOOL))
_DEQUANTIZED = _QUANT8 | {_T.TENSOR_QUANT8_SYMM, _T.TENSOR_QUANT8_SYMM_PER_CHANNEL}
_TENSORS = frozenset(code for code in _T if code.name.startswith("TENSOR_"))


@dataclass(frozen=True, slots=True)
class OtherType:
    """Permission for operand ``slot`` (of the inputs or outputs) of some operations to have any of ``types``.

    ``count`` is the number of inputs for which this holds; None means any number.
    """

    operations: tuple[OperationType, ...]
    slot: int
    types: frozenset[OperandType]
    output: bool = False
    count: int | None = None


OTHER_TYPES: tuple[OtherType, ...] = (
    OtherType((_O.LSH_PROJECTION,), 1, frozenset(_T)),
    OtherType((_O.CAST,), 0, _NUMBERS),
    OtherType((_O.CAST,), 0, _NUMBERS, output=True),
    OtherType((_O.ARGMAX, _O.ARGMIN), 0, _NUMBERS),
    OtherType((_O.QUANTIZE,), 0, _FLOATS),
    OtherType((_O.QUANTIZE,), 0, _QUANT8, output=True),
    OtherType((_O.RANDOM_MULTINOMIAL,), 0, _FLOATS),
    OtherType((_O.DEQUANTIZE,), 0, _DEQUANTIZED),
    OtherType((_O.DEQUANTIZE,), 0, _FLOATS, output=True),
    OtherType((_O.CONV_2D, _O.DEPTHWISE_CONV_2D, _O.GROUPED_CONV_2D, _O.TRANSPOSE_CONV_2D), 1, _FILTERS),
    OtherType((_O.AXIS_ALIGNED_BBOX_TRANSFORM,), 1, _QUANT8),
    OtherType((_O.RANK,), 0, _TENSORS),
    # Not in VTS: explicit padding with a stride, or implicit padding with a layout.
    OtherType((_O.CONV_2D,), 7, _PADDING_OR_LAYOUT, count=10),
    OtherType((_O.DEPTHWISE_CONV_2D,), 8, _PADDING_OR_LAYOUT, count=11),
)


def may_have_type(operation: Operation, slot: int, operand_type: int, *, output: bool) -> bool:
    """Return True if a model may stay valid after this operand has got ``operand_type``."""
    return _is_open(operation) or any(
        operation.type in row.operations
        and (slot, output) == (row.slot, row.output)
        and row.count in (None, len(operation.inputs))
        and operand_type in row.types
        for row in OTHER_TYPES
    )


Removable = Callable[[int, int], bool]
"""Function of the number of inputs and a position: True if the operation may be legal without that input."""


def _only(*cases: tuple[int, int]) -> Removable:
    """Return the function that allows only these pairs of a number of inputs and a position."""
    return lambda count, position: (count, position) in cases


_WINDOWED = _only((11, 10), (8, 7))

REMOVABLE_INPUTS: dict[int, Removable] = {
    _O.CONCATENATION: lambda count, position: count > 2 and position != count - 1,  # noqa: PLR2004 - a tensor and the axis
    _O.PACK: lambda count, position: count > 2 and position != 0,  # noqa: PLR2004 - the axis and a tensor
    _O.DEPTHWISE_CONV_2D: _only((12, 11), (9, 8)),
    _O.CONV_2D: _WINDOWED,
    _O.AVERAGE_POOL_2D: _WINDOWED,
    _O.MAX_POOL_2D: _WINDOWED,
    _O.L2_POOL_2D: _WINDOWED,
    _O.RESIZE_BILINEAR: lambda count, position: count >= 4 and position >= 3,  # noqa: PLR2004 - layout, then two flags
    _O.RESIZE_NEAREST_NEIGHBOR: lambda count, position: count >= 5 and position >= 3,  # noqa: PLR2004 - same
    _O.SPACE_TO_DEPTH: _only((3, 2)),
    _O.DEPTH_TO_SPACE: _only((3, 2)),
    _O.BATCH_TO_SPACE_ND: _only((3, 2)),
    _O.SPACE_TO_BATCH_ND: _only((4, 3)),
    _O.L2_NORMALIZATION: _only((2, 1)),
    _O.LOCAL_RESPONSE_NORMALIZATION: _only((6, 5)),
    _O.SOFTMAX: _only((3, 2)),
}

_VARIABLE_OUTPUTS = (
    _O.SPLIT,
    _O.BIDIRECTIONAL_SEQUENCE_LSTM,
    _O.BIDIRECTIONAL_SEQUENCE_RNN,
    _O.UNIDIRECTIONAL_SEQUENCE_LSTM,
    _O.UNIDIRECTIONAL_SEQUENCE_RNN,
    # Not in VTS: a result of a loop may be dropped.
    _O.WHILE,
)

# Operations that may be legal with one more INT32 input, and the most inputs that they can have.
_MOST_INPUTS: dict[int, int] = {
    _O.L2_NORMALIZATION: 2,
    _O.LOCAL_RESPONSE_NORMALIZATION: 6,
    _O.SOFTMAX: 3,
    _O.RESIZE_BILINEAR: 6,
    _O.RESIZE_NEAREST_NEIGHBOR: 6,
}


def tolerates_missing_input(operation: Operation, position: int) -> bool:
    """Return True if an operation may stay legal without one of its inputs."""
    removable = REMOVABLE_INPUTS.get(operation.type)
    return _is_open(operation) or (removable is not None and removable(len(operation.inputs), position))


def tolerates_missing_output(operation: Operation) -> bool:
    """Return True if an operation may stay legal with an output less."""
    return _is_open(operation) or operation.type in _VARIABLE_OUTPUTS


def tolerates_more_inputs(operation: Operation) -> bool:
    """Return True if an operation may stay legal with one more input of type INT32."""
    return _is_open(operation) or len(operation.inputs) < _MOST_INPUTS.get(operation.type, 0)


def tolerates_more_outputs(operation: Operation) -> bool:
    """Return True if an operation may stay legal with one more output of type INT32."""
    return _is_open(operation)


def _is_open(operation: Operation) -> bool:
    """Return True if the rules of an operation are unknown."""
    return is_extension(operation.type) or operation.type == _O.OEM_OPERATION
