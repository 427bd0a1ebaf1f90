"""Generation of random models of one primary type, with input values and without expected outputs.

:func:`single_operation` and :func:`random_graph` make the models of the named tests (``named.py``); ``models.py`` makes
graphs of mixed types for campaigns, and ``golden.py`` computes expected outputs. The other functions change a finished
model: :func:`with_open_dimensions` leaves dimensions unspecified, which a request then states for the inputs and the
driver infers for the rest; :func:`reversed_rows` and :func:`halved` make other input values. With these the model stays
valid, since no value changes its sign or leaves its range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.draft import Draft, DraftOperand, DraftRole, random_values
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import WIDE, SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import type_info

_ATTEMPTS: Final = 3
"""Number of signatures tried for an operation until one of its inputs is wired to an earlier output."""
_CONSTANT_SHARE: Final = 0.5
"""Probability that an unwired input of an operation becomes a constant of the model."""


def single_operation(
    chooser: Chooser, name: str, signature: OperationSignature, kind: OperandType, rank: int, limits: SizeLimits = WIDE
) -> TestModel:
    """Return a model of one operation of the signature, whose first operand has the type ``kind`` and the rank."""
    return _finish_model(chooser, name, [_draft(chooser, signature, kind, rank, limits, ())], signature.level)


def random_graph(
    chooser: Chooser,
    name: str,
    signatures: Sequence[OperationSignature],
    kind: OperandType,
    rank: int,
    operations: int,
    limits: SizeLimits = WIDE,
) -> TestModel:
    """Make a graph of operations with a given primary type and rank; inputs are wired to earlier outputs."""
    drafts: list[Draft] = []
    earlier: list[DraftOperand] = []
    level = 1
    for _ in range(operations):
        for _ in range(_ATTEMPTS):
            draft = _draft(chooser, chooser.pick(signatures), kind, rank, limits, earlier)
            if any(operand.role is DraftRole.OUTPUT for operand in draft.inputs):
                break
        drafts.append(draft)
        earlier += draft.outputs
        level = max(level, draft.level)
    return _finish_model(chooser, name, drafts, level)


def _draft(
    chooser: Chooser,
    signature: OperationSignature,
    kind: OperandType,
    rank: int,
    limits: SizeLimits,
    earlier: Sequence[DraftOperand],
) -> Draft:
    draft = Draft(chooser, limits, signature.operation, kind, rank, signature.level, earlier)
    signature.build(draft)
    draft.finish()
    return draft


def _finish_model(chooser: Chooser, name: str, drafts: Sequence[Draft], level: int) -> TestModel:
    """Return the model of the drafted operations; it lists their operands in order, inputs before outputs."""
    operands = list({id(operand): operand for draft in drafts for operand in (*draft.inputs, *draft.outputs)}.values())
    read = Counter(id(operand) for draft in drafts for operand in draft.inputs)
    lifetimes = _lifetimes(chooser, operands, [read[id(operand)] for operand in operands])
    return assemble(name, drafts, operands, lifetimes, level, partial(random_values, chooser))


def assemble(
    name: str,
    drafts: Sequence[Draft],
    operands: Sequence[DraftOperand],
    lifetimes: Sequence[OperandLifeTime],
    level: int,
    values: Callable[[DraftOperand], Array],
) -> TestModel:
    """Return the model of drafted operations.

    ``lifetimes`` are those of ``operands``, in the same order. ``values`` makes the values of tensors that no operation
    computes. The function also numbers the subgraphs: it sets the values of the operands that refer to them.
    """
    references = [reference for draft in drafts for reference in draft.subgraphs]
    for number, (operand, _) in enumerate(references):
        operand.data = np.array([number], element_type(operand.type))
    graph = GraphBuilder()
    indexes = {
        id(operand): graph.add(_test_operand(operand, lifetime, values))
        for operand, lifetime in zip(operands, lifetimes, strict=True)
    }
    for draft in drafts:
        inputs, outputs = ([indexes[id(operand)] for operand in side] for side in (draft.inputs, draft.outputs))
        graph.operation(draft.operation, tuple(inputs), *outputs)
    test = graph.finish(name, FeatureLevel(level), tuple(subgraph for _, subgraph in references))
    tolerance = max(draft.distribution_tolerance for draft in drafts)
    return replace(test, expected_multinomial_distribution_tolerance=tolerance) if tolerance else test


def _lifetimes(chooser: Chooser, operands: Sequence[DraftOperand], counts: Sequence[int]) -> list[OperandLifeTime]:
    """Return a lifetime for each operand; ``counts`` says how often an operation reads it.

    Scalars and half of the tensors that no operation computes become constants, as long as one input is left.
    """
    left = sum(operand.role is DraftRole.INPUT for operand in operands)
    lifetimes = []
    for operand, count in zip(operands, counts, strict=True):
        if operand.role is DraftRole.INPUT:
            is_scalar = not type_info(operand.type).is_tensor
            becomes_constant = left > 1 and (is_scalar or chooser.boolean(_CONSTANT_SHARE))
            left -= becomes_constant
            lifetime = OperandLifeTime.CONSTANT_COPY if becomes_constant else OperandLifeTime.SUBGRAPH_INPUT
        elif operand.role is DraftRole.OUTPUT:
            lifetime = OperandLifeTime.TEMPORARY_VARIABLE if count else OperandLifeTime.SUBGRAPH_OUTPUT
        elif operand.role is DraftRole.SUBGRAPH:
            lifetime = OperandLifeTime.SUBGRAPH
        else:
            lifetime = OperandLifeTime.CONSTANT_COPY
        lifetimes.append(lifetime)
    return lifetimes


def _test_operand(
    operand: DraftOperand, lifetime: OperandLifeTime, values: Callable[[DraftOperand], Array]
) -> TestOperand:
    data = operand.data
    if operand.role is DraftRole.OMITTED:
        data = np.empty(0, element_type(operand.type))
    elif operand.role is DraftRole.INPUT and data is None:
        data = values(operand)
    return TestOperand(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        lifetime,
        operand.channel_quant,
        is_ignored=not operand.is_checked,
        data=data,
    )


_UNKNOWN_SHARE: Final = 0.5
"""Default probability that a dimension is left unspecified."""
_UNKNOWN_RANKS: Final = 0.2
"""Share of operands with unknown rank, among those whose dimensions may be unknown."""
_VARIABLE_LIFETIMES: Final = (
    OperandLifeTime.SUBGRAPH_INPUT,
    OperandLifeTime.SUBGRAPH_OUTPUT,
    OperandLifeTime.TEMPORARY_VARIABLE,
)
"""Lifetimes of operands that may have unknown dimensions; the contract requires those of constants."""
_CONTROL_FLOW: Final = (OperationType.IF, OperationType.WHILE)


def _find_crossing_operands(model: TestModel) -> set[int]:
    """Return the indexes of the operands of IF and WHILE, and of operands that a CAST converts to one of them."""
    # Backwards, since a CAST stands before the IF or WHILE that reads its result.
    found: set[int] = set()
    for operation in reversed(model.main.operations):
        if operation.type in _CONTROL_FLOW:
            found.update(operation.inputs, operation.outputs)
        elif operation.type == OperationType.CAST and not found.isdisjoint(operation.outputs):
            found.update(operation.inputs)
    return found


def declared(model: TestModel, options: GraphOptions) -> TestModel | None:
    """Return the model with ``options.unknown`` of its dimensions unspecified, as a driver gets it.

    The choice depends on the model's name alone. Return None if no dimension is to be unspecified: by the options, or
    because HAL 1.0 and 1.1 do not allow it.
    """
    if not options.unknown or options.level < FeatureLevel.FL3:
        return None
    chooser = SeededChooser(f"{model.name}/open")
    return with_open_dimensions(chooser, model, options.unknown, ranks=options.unknown * _UNKNOWN_RANKS)


def with_open_dimensions(
    chooser: Chooser, model: TestModel, share: float = _UNKNOWN_SHARE, *, ranks: float = 0.0
) -> TestModel:
    """Return the model with some dimensions of its inputs, outputs and temporaries unknown, which are 0 then.

    ``share`` is the probability for each dimension, ``ranks`` that even the rank of an operand is unknown. Operands of
    IF and WHILE keep their dimensions, and so do filters with a scale for each channel, as the contract requires.
    """
    crossing = _find_crossing_operands(model)
    changed: dict[int, TestOperand] = {}
    for index, operand in enumerate(model.main.operands):
        is_known = operand.type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL or index in crossing
        if operand.lifetime in _VARIABLE_LIFETIMES and not is_known:
            dimensions = tuple(0 if chooser.boolean(share) else size for size in operand.dimensions)
            if ranks and chooser.boolean(ranks):
                dimensions = ()
            changed[index] = replace(operand, dimensions=dimensions)
    main = with_operands(model.main, changed)
    for operation in main.operations:
        # A cast from an unknown dimension to a known one would be invalid.
        if operation.type == OperationType.CAST:
            source, output = (main.operands[side[0]] for side in (operation.inputs, operation.outputs))
            main = with_operands(main, {operation.outputs[0]: replace(output, dimensions=source.dimensions)})
    return replace(model, main=main)


_BOOLEAN_TYPES = (OperandType.TENSOR_BOOL8, OperandType.BOOL)


def reversed_rows(operand: TestOperand, values: Array) -> Array:
    """Return the flat values of an operand with the order along its first dimension reversed.

    Each box, index or key is moved as a whole, so it stays valid.
    """
    rows: Array = values.reshape(operand.dimensions)[::-1].reshape(-1)
    return rows


def halved(operand: TestOperand, values: Array) -> Array:
    """Return the values halved and rounded away from zero, so that no sign changes and none becomes zero.

    Booleans are negated. Codes of quantised types are halved as distances from the zero point.
    """
    if type_info(operand.type).is_float:
        smaller: Array = values / values.dtype.type(2)
        return smaller
    if operand.type in _BOOLEAN_TYPES:
        return 1 - values
    distance = values.astype(np.int64) - operand.zero_point
    half = (np.abs(distance) + 1) // 2
    changed: Array = (np.sign(distance) * half + operand.zero_point).astype(values.dtype)
    return changed
