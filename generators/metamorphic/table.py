"""All metamorphic relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.generators.metamorphic import batches, fusing, identities, lifetimes, wholes
from nnvet.generators.metamorphic.fusing import Splice, everywhere
from nnvet.generators.metamorphic.models import ALL, CODES, NUMBERS, graphs, singles
from nnvet.generators.metamorphic.relation import Manner, Models, Relation, Transformation
from nnvet.hal.types import OperandType

_GRAPH: Final = 3
_LONGER: Final = 5
_GRAPHS: Final = "graphs of three operations"
_LONGER_GRAPHS: Final = "graphs of five operations"
_BY_ROW: Final = "operations that treat each row of a batch by itself"


def _identity(name: str, splice: Splice, change: str, kinds: tuple[OperandType, ...] = ALL) -> Relation:
    which = _GRAPHS if kinds == ALL else f"{_GRAPHS}, of floats and integers"
    return Relation(name, "relation/identity", graphs(_GRAPH, kinds), which, change, everywhere(splice, kinds))


def _batch(name: str, change: str, transform: Transformation) -> Relation:
    return Relation(name, "relation/batch", singles(batches.ROW_BY_ROW), _BY_ROW, change, transform)


def _whole(
    name: str,
    change: str,
    transform: Transformation,
    rule: str = "relation/whole",
    manner: Manner = Manner.FORMS,
) -> Relation:
    return Relation(name, rule, graphs(_LONGER), _LONGER_GRAPHS, change, transform, manner)


def _channels(name: str, change: str, transform: Transformation) -> Relation:
    which = "CONV_2D and FULLY_CONNECTED"
    return Relation(name, "relation/channels", singles(batches.WITH_CHANNELS), which, change, transform)


_EXECUTORS: Final = ("execution/executors", Manner.EXECUTORS)
_REPETITION: Final = ("execution/repeated", Manner.REPETITION)
_LAYERS: Final[Models] = singles(fusing.LAYERED, variant="layout")

RELATIONS: Final[Mapping[str, Relation]] = {
    relation.name: relation
    for relation in (
        _identity("InsertedReshape", identities.reshape, "RESHAPE to the same shape behind an operand"),
        _identity("InsertedTranspose", identities.transpose, "TRANSPOSE that keeps all axes behind an operand"),
        _identity("InsertedSlice", identities.take_all, "SLICE of everything behind an operand"),
        _identity("InsertedPad", identities.pad_nothing, "PAD by nothing behind an operand"),
        _identity("AddedZero", identities.add_zero, "ADD of a constant 0 behind an operand", NUMBERS),
        _identity("MultipliedByOne", identities.multiply_by_one, "MUL by a constant 1 behind an operand", NUMBERS),
        _identity("SplitAndJoined", identities.split_and_join, "SPLIT and CONCATENATION behind an operand"),
        _identity("TransposedTwice", identities.transpose_twice, "TRANSPOSE and its inverse behind an operand"),
        _identity("PaddedAndSliced", identities.pad_and_slice, "PAD and the SLICE of the middle behind an operand"),
        _identity("ReversedTwice", identities.reverse_twice, "REVERSE along one axis, twice, behind an operand"),
        _batch("PermutedBatch", "the rows in another order; so are those of the outputs", batches.permuted),
        _batch("SplitBatch", "two batches in place of one; their outputs are joined", batches.split),
        _batch("RepeatedBatch", "every row twice; so are those of the outputs", batches.repeated),
        Relation(
            "CommutedOperands",
            "relation/commuted",
            singles(tuple(fusing.COMMUTED)),
            "ADD, MUL, MAXIMUM, MINIMUM, comparisons, LOGICAL_AND and LOGICAL_OR",
            "the operands exchanged, less with greater",
            fusing.commuted,
        ),
        Relation(
            "ExplicitActivation",
            "relation/activation",
            fusing.with_activation(singles(fusing.FUSING)),
            "operations with a fused activation",
            "RELU, RELU1 or RELU6 behind the operation in place of the fused activation",
            fusing.explicit_activation,
        ),
        Relation(
            "OtherLayout",
            "relation/layout",
            _LAYERS,
            "operations on images with a layout",
            "NCHW in place of NHWC, or the other way round, between two TRANSPOSEs",
            fusing.other_layout,
        ),
        _channels("OutputChannels", "the output channels in another order", batches.output_channels),
        _channels("InputChannels", "the input channels of data and weights in another order", batches.input_channels),
        Relation(
            "DequantizedFirst",
            "relation/dequantize",
            identities.moved_and_dequantized(singles(identities.MOVING, CODES)),
            "operations that move 8-bit codes, with DEQUANTIZE behind",
            "DEQUANTIZE in front",
            identities.dequantized_and_moved,
        ),
        _whole("ConstantAsInput", "a constant tensor is an input", lifetimes.constant_as_input, "relation/constant"),
        _whole("InputAsConstant", "an input is a constant", lifetimes.input_as_constant, "relation/constant"),
        _whole("ConstantsInPool", "constants lie in a pool", lifetimes.constants_in_pool, "relation/constant"),
        _whole("Partitioned", "two models, the second fed with results of the first", wholes.partitioned),
        _whole("ReorderedOperations", "the operations in another valid order", wholes.reordered),
        _whole("RenumberedOperands", "operands, inputs and outputs in another order", wholes.renumbered),
        _whole("ExposedTemporary", "a temporary is an output, too", wholes.exposed),
        _whole("DoubledGraph", "all operations twice on the same inputs", wholes.doubled),
        _whole("Executors", "none: every executor of the level", lifetimes.same, *_EXECUTORS),
        _whole("Repetition", "none: executed again after other inputs", lifetimes.other_inputs, *_REPETITION),
    )
}
"""Every relation by its name, which is that of its check."""
