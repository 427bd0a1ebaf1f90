"""The mutator and the crossover of models: each step changes one part of a model, often to an extreme number.

The declarations of operations show which of them take the same operands, and which numbers matter. :data:`STEPS` lists
all mutations; :mod:`nnvet.fuzz.model.form` encodes models as inputs of the fuzzer. :func:`smaller` proposes smaller
models for a finding, whether its model is valid or not.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec.structs import replace

from nnvet.fuzz.extremes import INTEGERS, REALS
from nnvet.fuzz.model import attributes, form
from nnvet.fuzz.model.detecting import empty_tensor
from nnvet.fuzz.model.growing import graft, insert_copy, join_models, lengthen, resize_constant
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, TypeRow
from nnvet.hal.types import DataLocation, Operand, OperandLifeTime, Operation, OperationType, Subgraph

Types = tuple[tuple[int, ...], tuple[int, ...]]
"""Types of inputs and of outputs."""
_LARGEST_ENUM: Final = 16
"""Legal values from here on are not tried for other attributes."""


@cache
def _by_types() -> Mapping[Types, tuple[int, ...]]:
    found: dict[Types, set[int]] = defaultdict(set)
    for code, declaration in every_declaration().items():
        for types in _signatures(declaration):
            found[types].add(code)
    return {types: tuple(sorted(codes)) for types, codes in found.items()}


def _signatures(declaration: OperationDeclaration) -> Iterator[Types]:
    """Return all lists of operand types that an operation takes, except those of variable length."""
    for row in declaration.rows:
        results = _resolved(declaration.outputs, row)
        for signature in declaration.signatures:
            if any(formal.variadic for formal in signature.inputs):
                continue
            types = _resolved(signature.inputs, row)
            for length in signature.lengths or (len(types),):
                yield types[:length], results


def _resolved(formals: tuple[Formal, ...], row: TypeRow) -> tuple[int, ...]:
    types = (row.types.get(formal.type, -1) if isinstance(formal.type, str) else formal.type for formal in formals)
    return tuple(int(code) for code in types)


def relatives(operation: Operation, operands: tuple[Operand, ...]) -> tuple[int, ...]:
    """Return the codes of operations that take operands of the same types, including the operation itself."""
    known = len(operands)
    if any(not 0 <= index < known for index in (*operation.inputs, *operation.outputs)):
        return ()
    inputs, outputs = (tuple(operands[index].type for index in side) for side in (operation.inputs, operation.outputs))
    return _by_types().get((inputs, outputs), ())


@cache
def enumerated_values() -> tuple[int, ...]:
    """Return all legal values of enumerated attributes, and their neighbours."""
    legal = {
        value
        for declaration in every_declaration().values()
        for signature in declaration.signatures
        for formal in signature.inputs
        for value in formal.values
        if value < _LARGEST_ENUM
    }
    return tuple(sorted({near for value in legal for near in (value - 1, value, value + 1)}))


_KEPT: Final = 64
"""Number of computed inputs that are remembered."""
_FEW: Final = 0.25
"""Share of computed inputs below which a driver computes few."""
_MEAN: Final = 1 / 256
"""Weight of the newest input in the moving mean of that share."""


class ComputedInputs:
    """The last inputs that a driver has computed; if it computes few, every other mutation starts from one of them.

    They matter for a driver of few operations, which refuses nearly all of the seeds.
    """

    def __init__(self) -> None:
        """Begin without experience; the driver is taken for one that computes most inputs."""
        self._inputs: deque[bytes] = deque(maxlen=_KEPT)
        self._share = 1.0

    def tried(self, data: bytes, *, is_computed: bool) -> None:
        """Note whether the driver has computed an input."""
        self._share += (is_computed - self._share) * _MEAN
        if is_computed and data not in self._inputs:
            self._inputs.append(data)

    def instead_of(self, data: bytes, draw: random.Random) -> bytes:
        """Return the input that is to be changed in place of the given one."""
        if self._share < _FEW and self._inputs and draw.randrange(2):
            return draw.choice(self._inputs)
        return data


COMPUTED: Final = ComputedInputs()
"""The inputs that the driver of this process has computed."""

Step = Callable[[random.Random, form.FuzzedModel], form.FuzzedModel]
_RAW: Final = 0.08
"""Share of inputs that are changed as bytes."""
_CROSSED: Final = 0.15
"""Share of crossovers that join parts of two models."""
_STEPS: Final = (1, 1, 1, 2, 2, 3, 5)
"""Numbers of steps of a mutation, each as likely as the others."""
_ATTEMPTS: Final = 8
"""Number of steps that are tried until one is applicable."""
_PARAMETERS: Final = (1, 1, 1, 2)
"""Maximal number of parameters that change at once."""
_SMALL: Final = 64
"""Largest size in bytes of a tensor that may hold parameters such as axes, sizes or paddings."""
_OPERATIONS: Final = (*OperationType, 106, -1, 0x10000)
"""All operation codes, the next one, a negative one, and one of an extension."""


def _change_parameters(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Make parameters of an operation extreme, or two of them equal.

    Parameters are small constants: strides, axes, block sizes, counts, indexes and the like, also elements of tensors.
    """
    _, graph = form.pick_graph(draw, model)
    _, operation = form.pick_part(draw, graph.operations)
    known = len(graph.operands)
    read = [graph.operands[index] for index in operation.inputs if 0 <= index < known]
    small = [source for source in read if source.lifetime in CONSTANTS and 0 < source.location.length <= _SMALL]
    for _ in range(draw.choice(_PARAMETERS)):
        _, operand = form.pick_part(draw, small)
        info = OPERAND_TYPES.get(operand.type)
        is_real = info is not None and info.is_float
        data = form.element(operand.type, draw.choice(REALS) if is_real else _integer(draw, graph))
        count = operand.location.length // len(data)
        if count > 1 and draw.randrange(4):
            place = operand.location
            begin = place.offset + draw.randrange(count) * len(data)
            operand = replace(operand, location=replace(place, offset=begin, length=len(data)))
            count = 1
        model = form.write_constant(model, operand, data * count)
    return model


def _integer(draw: random.Random, graph: Subgraph) -> int:
    """Return an extreme number, or one next to a size or rank of the subgraph, or next to a legal value."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.choice(enumerated_values())
    if kind == 1 and graph.operands:
        dimensions = draw.choice(graph.operands).dimensions
        size = draw.choice((*dimensions, len(dimensions)))
        return draw.choice((size - 1, size, size + 1, -size, -size - 1, 2 * size))
    return draw.choice(INTEGERS)


def _change_operation(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Give an operation any code, which seldom fits its operands."""
    number, graph = form.pick_graph(draw, model)
    index, operation = form.pick_part(draw, graph.operations)
    return form.with_operation(model, number, index, replace(operation, type=int(draw.choice(_OPERATIONS))))


def _replace_by_relative(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Replace an operation by another one that takes operands of the same types."""
    number, graph = form.pick_graph(draw, model)
    index, operation = form.pick_part(draw, graph.operations)
    _, other = form.pick_part(draw, relatives(operation, graph.operands))
    return form.with_operation(model, number, index, replace(operation, type=other))


def _change_operand_list(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Replace, add or remove an operand in the list of an operation's inputs or outputs."""
    number, graph = form.pick_graph(draw, model)
    index, operation = form.pick_part(draw, graph.operations)
    field = "inputs" if draw.random() < 0.75 else "outputs"  # noqa: PLR2004 - there are more inputs
    new = _other_indexes(draw, getattr(operation, field), len(graph.operands))
    return form.with_operation(model, number, index, replace(operation, **{field: new}))


def _change_graph_list(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Replace, add or remove an operand in the list of a subgraph's inputs or outputs."""
    number, graph = form.pick_graph(draw, model)
    field = draw.choice(("input_indexes", "output_indexes"))
    return form.with_graph(
        model, number, replace(graph, **{field: _other_indexes(draw, getattr(graph, field), len(graph.operands))})
    )


def _other_indexes(draw: random.Random, indexes: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return a list of indexes with one more, one less, two exchanged or one replaced; ``count`` operands exist."""
    if draw.random() < 0.4:  # noqa: PLR2004 - the share of new indexes that may name no operand
        other = draw.choice((draw.randrange(max(count, 1)), count, -1, 2**31 - 1))
    else:
        other = draw.randrange(max(count, 1))
    position = draw.randrange(len(indexes) + 1)
    kind = draw.randrange(4)
    if kind == 0 or not indexes:
        return (*indexes[:position], other, *indexes[position:])
    if kind == 1:
        return (*indexes[:position], *indexes[position + 1 :])
    if kind == 2 and len(indexes) > 1:  # noqa: PLR2004 - two that are exchanged
        first, second = draw.sample(range(len(indexes)), 2)
        swapped = list(indexes)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        return tuple(swapped)
    return form.with_item(indexes, position % len(indexes), other)


def _omit_constant(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Remove the value of a constant."""
    number, graph = form.pick_graph(draw, model)
    constants = [index for index, operand in enumerate(graph.operands) if operand.lifetime in CONSTANTS]
    _, index = form.pick_part(draw, constants)
    omitted = replace(graph.operands[index], lifetime=int(OperandLifeTime.NO_VALUE), location=DataLocation())
    return form.with_operand(model, number, index, omitted)


def _swap_operations(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Exchange two operations in the order of execution."""
    number, graph = form.pick_graph(draw, model)
    first, moved = form.pick_part(draw, graph.operations)
    second, other = form.pick_part(draw, graph.operations)
    operations = form.with_item(form.with_item(graph.operations, first, other), second, moved)
    return form.with_graph(model, number, replace(graph, operations=operations))


def _drop_operation(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    number, graph = form.pick_graph(draw, model)
    index, _ = form.pick_part(draw, graph.operations)
    rest = (*graph.operations[:index], *graph.operations[index + 1 :])
    return form.with_graph(model, number, replace(graph, operations=rest))


def _swap_subgraphs(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Exchange a referenced subgraph with another or with the main one, double it, or remove it."""
    index, graph = form.pick_part(draw, model.referenced)
    kind = draw.randrange(4)
    if kind == 0:
        return replace(model, main=graph, referenced=form.with_item(model.referenced, index, model.main))
    if kind == 1:
        return replace(model, referenced=(*model.referenced, graph))
    if kind == 2:  # noqa: PLR2004 - the next of the kinds
        return replace(model, referenced=(*model.referenced[:index], *model.referenced[index + 1 :]))
    other, second = form.pick_part(draw, model.referenced)
    return replace(model, referenced=form.with_item(form.with_item(model.referenced, index, second), other, graph))


def _change_whole(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Change the model as a whole: its values, pools, relaxed computation, or the seed of its inputs."""
    kind = draw.randrange(5)
    if kind == 0:
        return replace(model, relaxed=not model.relaxed)
    if kind == 1:
        return replace(model, operand_values=model.operand_values[: draw.randrange(len(model.operand_values) + 1)])
    if kind == 2 and model.pools:  # noqa: PLR2004 - the next of the kinds
        index, content = form.pick_part(draw, model.pools)
        return replace(model, pools=form.with_item(model.pools, index, content[: draw.randrange(len(content) + 1)]))
    return _change_seed(draw, model)


def _change_seed(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    """Change the seed of the inputs."""
    return replace(model, seed=draw.getrandbits(31))


STEPS: Final[tuple[tuple[int, Step], ...]] = (
    (18, _change_parameters),
    (4, attributes.change_dimension),
    (4, attributes.change_dimension_everywhere),
    (2, attributes.change_to_vast),
    (2, attributes.change_open_dimension),
    (3, resize_constant),
    (2, attributes.change_type),
    (2, attributes.change_type_everywhere),
    (2, attributes.change_scale),
    (2, attributes.change_zero_point),
    (2, attributes.change_lifetime),
    (2, attributes.change_location),
    (3, attributes.change_channels),
    (3, attributes.declare_another),
    (2, _change_operation),
    (4, _replace_by_relative),
    (4, _change_operand_list),
    (1, _change_graph_list),
    (2, _omit_constant),
    (1, _swap_operations),
    (1, _drop_operation),
    (1, _swap_subgraphs),
    (2, insert_copy),
    (3, lengthen),
    (3, empty_tensor),
    (2, _change_seed),
    (1, _change_whole),
)
"""Mutations, each with its relative frequency."""
_BY_WEIGHT: Final = [step for weight, step in STEPS for _ in range(weight)]


def mutate_model(data: bytes, max_size: int, seed: int) -> bytes | None:
    """Make a few changes of a model; see :data:`nnvet.fuzz.harness.Mutator`."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    model = form.decode_model(COMPUTED.instead_of(data, draw))
    if model is None or draw.random() < _RAW:
        return None
    for _ in range(draw.choice(_STEPS)):
        model = _stepped(draw, model)
    return _fitting(model, max_size)


def cross_models(first: bytes, second: bytes, max_size: int, seed: int) -> bytes | None:
    """Put parts of one model into another, or mostly just change one; see :data:`nnvet.fuzz.harness.Crossover`.

    libFuzzer crosses as often as it mutates. That is too often for models, because a joined model shows little that its
    two parts do not show.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret
    if draw.random() >= _CROSSED:
        return mutate_model(first, max_size, seed)
    model, other = form.decode_model(first), form.decode_model(second)
    if model is None or other is None:
        return None
    try:
        return _fitting(draw.choice((join_models, graft, graft))(draw, model, other), max_size)
    except form.NotApplicableError:
        return None


def _stepped(draw: random.Random, model: form.FuzzedModel) -> form.FuzzedModel:
    # Steps are not applicable to every model: one without referenced subgraphs has none to exchange.
    for _ in range(_ATTEMPTS):
        try:
            return form.pick_part(draw, _BY_WEIGHT)[1](draw, model)
        except form.NotApplicableError:
            continue
    return model


def _fitting(model: form.FuzzedModel, max_size: int) -> bytes | None:
    try:
        data = form.encode_model(model)
    except OverflowError:
        return None
    return data if len(data) <= max_size else None


_COMPUTED: Final = (OperandLifeTime.TEMPORARY_VARIABLE, OperandLifeTime.SUBGRAPH_OUTPUT)


def smaller(data: bytes) -> Iterator[bytes]:
    """Yield models without an operation, an unused operand or the referenced subgraphs; nothing if it is no model."""
    model = form.decode_model(data)
    if model is None:
        return
    for plainer in _plainer(model):
        yield form.encode_model(plainer)
    for position in reversed(range(len(model.main.operations))):
        yield form.encode_model(replace(model, main=_without_operation(model.main, position)))
    used = _used(model.main)
    for index in reversed(range(len(model.main.operands))):
        if index not in used:
            yield form.encode_model(replace(model, main=_without_operand(model.main, index)))


def _plainer(model: form.FuzzedModel) -> Iterator[form.FuzzedModel]:
    if model.referenced:
        yield replace(model, referenced=model.referenced[:-1])
    if model.pools:
        yield replace(model, pools=model.pools[:-1])
    if model.operand_values:
        yield replace(model, operand_values=model.operand_values[: len(model.operand_values) // 2])


def _without_operation(graph: Subgraph, position: int) -> Subgraph:
    """Leave out an operation: its result stops being an output, and becomes an input if another operation reads it."""
    rest = (*graph.operations[:position], *graph.operations[position + 1 :])
    read = {index for operation in rest for index in operation.inputs}
    gone = [output for output in graph.operations[position].outputs if 0 <= output < len(graph.operands)]
    orphans = [index for index in gone if graph.operands[index].lifetime in _COMPUTED]
    as_input = int(OperandLifeTime.SUBGRAPH_INPUT)
    operands = tuple(
        replace(operand, lifetime=as_input) if index in orphans else operand
        for index, operand in enumerate(graph.operands)
    )
    kept = Subgraph(
        operands,
        rest,
        (*graph.input_indexes, *orphans),
        tuple(index for index in graph.output_indexes if index not in orphans),
    )
    for index in sorted(orphans, reverse=True):
        kept = kept if index in read else _without_operand(kept, index)
    return kept


def _used(graph: Subgraph) -> set[int]:
    return {index for operation in graph.operations for index in (*operation.inputs, *operation.outputs)}


def _without_operand(graph: Subgraph, index: int) -> Subgraph:
    operands: tuple[Operand, ...] = (*graph.operands[:index], *graph.operands[index + 1 :])

    def moved(indexes: Sequence[int]) -> tuple[int, ...]:
        return tuple(place - (place > index) for place in indexes)

    return Subgraph(
        operands,
        tuple(
            Operation(operation.type, moved(operation.inputs), moved(operation.outputs))
            for operation in graph.operations
        ),
        moved([input_index for input_index in graph.input_indexes if input_index != index]),
        moved([output_index for output_index in graph.output_indexes if output_index != index]),
    )
