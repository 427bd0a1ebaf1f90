"""Breaks a question in one to three places: operands, operations, constants, indexes, the inputs' data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random

from msgspec.structs import replace

from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.graphs.hal_model import build_model, operand_data
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    Handle,
    HardwareBuffer,
    Operand,
    OperandLifeTime,
    OperationType,
    Request,
    RequestArgument,
    Subgraph,
    SymmPerChannelQuantParams,
)
from tests.driver.graphs import graph
from tests.driver.questions import (
    EXTREME_INTEGERS,
    EXTREME_SIZES,
    MOST_BYTES,
    NAMES,
    SCALES,
    Question,
    data_of,
    one_in,
    pick,
)

SPECS = tuple(find_specs(Path(__file__).parents[2] / "conformance" / "specs"))
_TYPES = (*OPERAND_TYPES, 0x6E760000, 0x00010000, 77)
_CODES = (*OperationType, 0x6E760001, 0x00010000, 300)
_MOST_CHANGES = 3


def _size(chance: Random) -> int:
    return pick(chance, range(6), EXTREME_SIZES, 4)


def _index(chance: Random) -> int:
    return chance.randint(-1, 12)


def _dimensions(chance: Random, operand: Operand) -> Operand:
    given = list(operand.dimensions)
    change = chance.choice(("all", "none", "more", "one", "one"))
    if change == "all":
        given = [_size(chance) for _ in range(chance.randint(1, 6))]
    elif change == "none":
        given = []
    elif change == "more" or not given:
        given.append(_size(chance))
    else:
        given[chance.randrange(len(given))] = _size(chance)
    return replace(operand, dimensions=tuple(given))


def _quantization(chance: Random, operand: Operand) -> Operand:
    params = operand.extra_params
    if isinstance(params, SymmPerChannelQuantParams):
        scales = (*params.scales[1:], chance.choice(SCALES))
        params = replace(params, scales=scales, channel_dim=chance.randint(-1, 4))
    zero_point = pick(chance, (operand.zero_point,), EXTREME_INTEGERS, 2)
    return replace(operand, scale=chance.choice(SCALES), zero_point=zero_point, extra_params=params)


_OPERAND_CHANGES: tuple[Callable[[Random, Operand], Operand], ...] = (
    _dimensions,
    _dimensions,
    _quantization,
    lambda chance, operand: replace(operand, type=chance.choice(_TYPES)),
    lambda chance, operand: replace(operand, lifetime=chance.choice((*OperandLifeTime, 9)), location=DataLocation()),
    lambda _, operand: replace(operand, lifetime=OperandLifeTime.NO_VALUE, location=DataLocation()),
    lambda chance, operand: replace(operand, location=DataLocation(*(_size(chance) for _ in range(3)))),
    lambda chance, operand: replace(operand, number_of_consumers=chance.randint(-1, 3)),
)


def _operand(chance: Random, subgraph: Subgraph) -> Subgraph:
    operands = list(subgraph.operands)
    index = chance.randrange(len(operands))
    operands[index] = chance.choice(_OPERAND_CHANGES)(chance, operands[index])
    return replace(subgraph, operands=tuple(operands))


def _operation(chance: Random, subgraph: Subgraph) -> Subgraph:
    steps = list(subgraph.operations)
    index = chance.randrange(len(steps))
    step, inputs = steps[index], list(steps[index].inputs)
    change = chance.choice(("type", "fewer", "order", "outputs", "input"))
    if change == "type":
        step = replace(step, type=chance.choice(_CODES))
    elif change == "outputs":
        step = replace(step, outputs=tuple(_index(chance) for _ in range(chance.randint(0, 3))))
    else:
        if change == "fewer":
            del inputs[chance.randint(0, len(inputs)) :]
        elif change == "order":
            chance.shuffle(inputs)
        elif inputs:
            inputs[chance.randrange(len(inputs))] = _index(chance)
        step = replace(step, inputs=tuple(inputs))
    steps[index] = step
    if one_in(chance, 10):
        chance.shuffle(steps)
    return replace(subgraph, operations=tuple(steps))


def _listed(chance: Random, subgraph: Subgraph) -> Subgraph:
    name = chance.choice(("input_indexes", "output_indexes"))
    return replace(subgraph, **{name: tuple(_index(chance) for _ in range(chance.randint(0, 4)))})


def _subgraph(chance: Random, question: Question) -> Question:
    """Corrupt one subgraph."""
    model = question.model
    change = chance.choice((_operand, _operand, _operand, _operation, _listed))
    index = chance.randint(0, len(model.referenced))
    if index == 0:
        return Question(replace(model, main=change(chance, model.main)), question.data)
    referenced = list(model.referenced)
    referenced[index - 1] = change(chance, referenced[index - 1])
    return Question(replace(model, referenced=tuple(referenced)), question.data)


def _constant(chance: Random, question: Question) -> Question:
    """Put other values into a copied constant."""
    model = question.model
    constants = [o for o in model.main.operands if o.lifetime == OperandLifeTime.CONSTANT_COPY and o.location.length]
    if not constants:
        return question
    operand = chance.choice(constants)
    begin, end = operand.location.offset, operand.location.offset + operand.location.length
    new = _elements(chance, operand, min(operand.location.length, MOST_BYTES))
    copied = model.operand_values[:begin] + new + model.operand_values[end:]
    return Question(replace(model, operand_values=copied), question.data)


def _data(chance: Random, question: Question) -> Question:
    """Put other values into an input, or take them away."""
    if not question.data:
        return question
    data = list(question.data)
    index = chance.randrange(len(data))
    operands, indexes = question.model.main.operands, question.model.main.input_indexes
    if index >= len(indexes) or not 0 <= indexes[index] < len(operands) or one_in(chance, 4):
        data[index] = None if one_in(chance, 2) else chance.randbytes(chance.randint(0, 64))
    else:
        data[index] = _elements(chance, operands[indexes[index]], len(data[index] or b""))
    return Question(question.model, tuple(data))


def _elements(chance: Random, operand: Operand, length: int) -> bytes:
    known = operand.type if operand.type in OPERAND_TYPES else next(iter(OPERAND_TYPES))
    count = -(-length // max(OPERAND_TYPES[known].size, 1))
    return data_of(chance, known, count).ljust(length, b"\0")[:length]


_CHANGES = (_subgraph, _subgraph, _constant, _constant, _data)


def corrupt(chance: Random, question: Question) -> Question:
    """A question with one to three things changed."""
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        question = chance.choice(_CHANGES)(chance, question)
    return question


@cache
def _cases(path: Path) -> list[SpecCase]:
    return load_spec(path)


def _spec(chance: Random) -> Question:
    """A bundled spec's model, with the inputs of its example."""
    test = chance.choice(_cases(chance.choice(SPECS))).build()
    data = tuple(operand_data(operand).tobytes()[:MOST_BYTES] or None for operand in test.main.inputs)
    return Question(replace(build_model(test), extension_name_to_prefix=NAMES), data)


def corrupt_spec(chance: Random) -> Question:
    """A bundled spec's model, corrupted; the caller closes its pools."""
    return corrupt(chance, _spec(chance))


def revalued_spec(chance: Random) -> Question:
    """A valid model of a bundled spec with other values and outputs of any size; the caller closes its pools."""
    question = _spec(chance)
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        question = chance.choice((_constant, _constant, _data))(chance, question)
    main = question.model.main
    operands = tuple(
        replace(operand, dimensions=()) if operand.lifetime == OperandLifeTime.SUBGRAPH_OUTPUT else operand
        for operand in main.operands
    )
    return Question(replace(question.model, main=replace(main, operands=operands)), question.data)


def _location(chance: Random, argument: RequestArgument) -> RequestArgument:
    place = argument.location
    changes = {
        "pool_index": chance.randint(-1, 3),
        "offset": pick(chance, (0, 1, 3, 64), (-1, 2**32, 2**63 - 1), 3),
        "length": pick(chance, (0, 1, 4, place.length + 1), (-1, 2**32, 2**63 - 1), 3),
        "padding": pick(chance, (0, 1, 64), (-1, 2**32), 3),
    }
    name = chance.choice(tuple(changes))
    return replace(argument, location=replace(place, **{name: changes[name]}))


_ARGUMENT_CHANGES: tuple[Callable[[Random, RequestArgument], RequestArgument], ...] = (
    _location,
    lambda chance, argument: replace(argument, dimensions=tuple(_size(chance) for _ in range(chance.randint(1, 5)))),
    lambda _, argument: replace(argument, has_no_value=not argument.has_no_value),
    lambda _, __: RequestArgument(has_no_value=True),
    lambda chance, argument: replace(argument, dimensions=(-1, 2**40)[: chance.randint(1, 2)]),
)


def _corrupt_request(chance: Random, request: Request) -> Request:
    """A request with one argument, or the pools, changed."""
    side = chance.choice(("inputs", "outputs", "pools"))
    if side == "pools":
        strange = (BufferToken(chance.randint(-1, 2)), HardwareBuffer(Handle(0), 4, format=1), Ashmem(Handle(-1), 8))
        return replace(request, pools=(*request.pools[: chance.randint(0, 1)], chance.choice(strange)))
    arguments = list(getattr(request, side))
    if not arguments or one_in(chance, 8):
        return replace(request, **{side: tuple(arguments[1:])})
    index = chance.randrange(len(arguments))
    arguments[index] = chance.choice(_ARGUMENT_CHANGES)(chance, arguments[index])
    return replace(request, **{side: tuple(arguments)})


def requested_spec(chance: Random) -> Question:
    """A bundled spec's model with a wrong request; the caller closes its pools."""
    question = _spec(chance)
    return Question(question.model, question.data, partial(_corrupt_request, chance))


def corrupt_graph(chance: Random) -> Question:
    """A graph with control flow, corrupted."""
    return corrupt(chance, graph(chance))
