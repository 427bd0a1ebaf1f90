"""All metamorphic relations, and their models: for each seed an original and its other forms.

The originals are random graphs of a few operations, and single operations. Each pair of models has to be valid, to
differ, and to be able to reveal an error; other draws are repeated, so that no case is useless. A pair can reveal an
error if half of the elements of some output have error bounds below a twentieth of the range of its values.

The suite ``conformance/suites/metamorphic.py`` takes its cases from :data:`RELATIONS` and :func:`made`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from nnvet.generators.metamorphic import fusing, identities, wholes
from nnvet.generators.metamorphic.fusing import Splice, everywhere
from nnvet.generators.metamorphic.relation import Manner, Models, OtherForm, Relation, Transformation
from nnvet.generators.random_graphs.catalogue import all_signatures, whole_pool
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.generate import random_graph, single_operation
from nnvet.generators.random_graphs.golden import estimates, tells
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.generators.reducer.evaluation import NotReducibleError, complete
from nnvet.graphs.model import TestModel
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import FeatureLevel, OperandType, OperationType

SUITE: Final = "Metamorphic"
SEEDS: Final = range(20)
"""Seeds of each relation; each gives one case."""
_ATTEMPTS: Final = 200
"""Models drawn for a case before the relation counts as faulty."""


def made(relation: Relation, seed: int) -> tuple[TestModel, Sequence[OtherForm]]:
    """Return the original of a seed and its forms, all with expected outputs.

    :raises LookupError: no draw has valid forms, which is a fault of the relation.
    """
    name = f"{SUITE}/{relation.name}/{seed}"
    for attempt in range(_ATTEMPTS):
        drawn = relation.models(SeededChooser(f"{name}/{attempt}"), name)
        try:
            original = complete(drawn)[0]
            found = forms(relation, original)
            if is_telling(original, found):
                return original, found
        except NotReducibleError:
            continue
    raise LookupError(f"{name}: none of {_ATTEMPTS} models has another form")


def forms(relation: Relation, original: TestModel) -> Sequence[OtherForm]:
    """Return the other forms of a test, with expected outputs; none if the test has no such forms.

    :raises NotReducibleError: the forms are not valid.
    """
    chooser = SeededChooser(f"{original.name}/forms")
    try:
        found = relation.transform(chooser, original)
    except HalError as error:
        raise NotReducibleError(str(error)) from error
    return [replace(form, test=complete(form.test)[0]) for form in found]


def is_telling(original: TestModel, found: Sequence[OtherForm]) -> bool:
    """Return True if the forms can reveal a wrong driver: bounds of compared outputs are known and narrow."""
    if not found or original.expected_multinomial_distribution_tolerance:
        return False
    bounds = estimates(original)
    outputs = zip(original.main.outputs, bounds, strict=True)
    marks = [np.full(bound.value.shape, not output.is_ignored and tells(bound)) for output, bound in outputs]
    compared = [array for form in found for array in form.expected(marks) if array is not None]
    return any(array.any() for array in compared)


_T: Final = OperandType
FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
NUMBERS: Final = (*FLOATS, _T.TENSOR_INT32)
CODES: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
ALL: Final = (*NUMBERS, *CODES)
"""Primary types of graphs; a type that occurs twice is drawn twice as often."""

_LIMITS: Final = SizeLimits(12, 1000)
_RANKS: Final = (4, 3, 2)
_LEVELS: Final = (FeatureLevel.FL2, FeatureLevel.FL3, FeatureLevel.FL4, FeatureLevel.FL8)


def graphs(operations: int, kinds: Collection[OperandType] = ALL) -> Models:
    """Return a function that draws a random graph with this number of operations and a primary type in ``kinds``."""
    choice = tuple(kinds)

    def draw(chooser: Chooser, name: str) -> TestModel:
        kind, rank, level = chooser.pick(choice), chooser.pick(_RANKS), chooser.pick(_LEVELS)
        signatures = whole_pool(kind, rank, max(level, type_info(kind).level))
        return random_graph(chooser, name, signatures, kind, rank, operations, _LIMITS)

    return draw


def singles(operations: Collection[OperationType], kinds: Collection[OperandType] = (), variant: str = "") -> Models:
    """Return a function that draws a model of one of the operations.

    It takes signatures with ``variant`` in their name, of any type or of ``kinds``.
    """

    @cache
    def rows() -> list[tuple[OperationSignature, OperandType]]:
        return [
            (signature, kind)
            for signature in all_signatures()
            if signature.operation in operations and variant in signature.variant
            for kind in signature.types
            if not kinds or kind in kinds
        ]

    def draw(chooser: Chooser, name: str) -> TestModel:
        # Draw the operation first: some operations have many more forms and types than others.
        operation = chooser.pick(sorted({form.operation for form, _ in rows()}))
        signature, kind = chooser.pick([row for row in rows() if row[0].operation == operation])
        return single_operation(chooser, name, signature, kind, chooser.pick(signature.ranks), _LIMITS)

    return draw


_GRAPH: Final = 3
"""Operations of a graph into which others are inserted."""
_LONGER: Final = 5
"""Operations of a graph that is changed as a whole."""
_GRAPHS: Final = "graphs of three operations"
_LONGER_GRAPHS: Final = "graphs of five operations"
_BY_ROW: Final = "operations that treat each row of a batch by itself"


def _identity(name: str, splice: Splice, change: str, kinds: tuple[OperandType, ...] = ALL) -> Relation:
    which = _GRAPHS if kinds == ALL else f"{_GRAPHS}, of floats and integers"
    return Relation(name, "relation/identity", graphs(_GRAPH, kinds), which, change, everywhere(splice, kinds))


def _batch(name: str, change: str, transform: Transformation) -> Relation:
    return Relation(name, "relation/batch", singles(wholes.ROW_BY_ROW), _BY_ROW, change, transform)


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
    return Relation(name, "relation/channels", singles(wholes.WITH_CHANNELS), which, change, transform)


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
        _batch("PermutedBatch", "the rows in another order; so are those of the outputs", wholes.permuted),
        _batch("SplitBatch", "two batches in place of one; their outputs are joined", wholes.split),
        _batch("RepeatedBatch", "every row twice; so are those of the outputs", wholes.repeated),
        Relation(
            "CommutedOperands",
            "relation/commuted",
            singles(tuple(fusing.COMMUTED)),
            "ADD, MUL, MAXIMUM, MINIMUM, comparisons, LOGICAL_AND and LOGICAL_OR",
            "the operands exchanged; LESS becomes GREATER, and so on",
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
        _channels("OutputChannels", "the output channels in another order", wholes.output_channels),
        _channels("InputChannels", "the input channels of data and weights in another order", wholes.input_channels),
        Relation(
            "DequantizedFirst",
            "relation/dequantize",
            identities.moved_and_dequantized(singles(identities.MOVING, CODES)),
            "operations that move 8-bit codes, with DEQUANTIZE behind",
            "DEQUANTIZE in front",
            identities.dequantized_and_moved,
        ),
        _whole("ConstantAsInput", "a constant tensor is an input", identities.constant_as_input, "relation/constant"),
        _whole("InputAsConstant", "an input is a constant", identities.input_as_constant, "relation/constant"),
        _whole("ConstantsInPool", "constants lie in a pool", identities.constants_in_pool, "relation/constant"),
        _whole("Partitioned", "two models, the second fed with results of the first", wholes.partitioned),
        _whole("ReorderedOperations", "the operations in another valid order", wholes.reordered),
        _whole("RenumberedOperands", "operands, inputs and outputs in another order", wholes.renumbered),
        _whole("ExposedTemporary", "a temporary is an output, too", wholes.exposed),
        _whole("DoubledGraph", "all operations twice on the same inputs", wholes.doubled),
        _whole("Executors", "the same model on every executor of the level", identities.same, *_EXECUTORS),
        _whole("Repetition", "none: executed again after other inputs", identities.other_inputs, *_REPETITION),
    )
}
"""Relations by name; the relation's check has the same name."""
