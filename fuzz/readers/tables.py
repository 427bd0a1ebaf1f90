"""The harness ``tflite``: the reader has to import a valid model from the bytes, or raise ModelFileError.

Changed bytes mostly break an offset, and the reader refuses the file at once. So the mutator and the crossover change
fields and tables, and write the file anew: a file with correct structure and unusual content gets further.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Final, NamedTuple

import numpy as np

from nnvet.conformance.engine.target import Target
from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite import schema
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.source import FlatbufferReader, Table
from nnvet.formats.tflite.writer import ModelWriter, encode
from nnvet.fuzz.extremes import INTEGERS, REALS
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.words import file_words

_RAW: Final = 0.15
"""The share of files that are changed only as bytes."""
_CHANGES: Final = (1, 1, 1, 2, 2, 3)
"""Numbers of changes of a mutation, each drawn as often as it is listed."""
_ATTEMPTS: Final = 4
"""Number of changes that are tried until one finds something to change."""
_SMALL: Final = 16
_RANGES: Final = {
    "bool": (0, 2),
    "i8": (-(2**7), 2**8),
    "u8": (0, 2**8),
    "i32": (-(2**31), 2**32),
    "u32": (0, 2**32),
    "i64": (-(2**63), 2**64),
    "u64": (0, 2**64),
}
"""Smallest number of each type, and how many numbers the type has."""
_ROOT: Final = "Model"
"""Name of the root table in the schema."""
_TOP: Final = ("Model", "SubGraph")
"""Tables that make up nearly the whole file; replacing one would leave nothing of the first file."""


class _Node(NamedTuple):
    """A table of a file."""

    name: str
    values: Table


class _Place(NamedTuple):
    """A field of a table."""

    values: Table
    field: schema.Field


class _NothingToChangeError(Exception):
    pass


def mutate_file(data: bytes, max_size: int, seed: int) -> bytes | None:
    """Return a file with a few changes; None: it cannot be read, or has grown too long."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    model = None if draw.random() < _RAW else _read(data)
    if model is None:
        return None
    for _ in range(draw.choice(_CHANGES)):
        for _ in range(_ATTEMPTS):
            try:
                draw.choice(_STEPS)(draw, model)
            except _NothingToChangeError:
                continue
            break
    return _write_file(model, max_size)


def cross_files(data: bytes, other: bytes, max_size: int, seed: int) -> bytes | None:
    """Replace one table, with all its content, by a table of another file; None: one of the files cannot be read."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    model, source = _read(data), _read(other)
    if model is None or source is None:
        return None
    known = [node for node in _nodes(_ROOT, model) if node.name not in _TOP]
    theirs = [node for node in _nodes(_ROOT, source) if node.name not in _TOP]
    pairs = [(old, new) for old in known for new in theirs if old.name == new.name]
    if not pairs:
        return None
    ours, new = draw.choice(pairs)
    ours.values.clear()
    ours.values.update(deepcopy(new.values))
    return _write_file(model, max_size)


def _read(data: bytes) -> Table | None:
    """Return the root table of a file, with vectors of numbers as lists."""
    try:
        model = FlatbufferReader(data, "fuzzed").root(_ROOT)
    except ModelFileError:
        return None
    for node in _nodes(_ROOT, model):
        for name, value in node.values.items():
            if isinstance(value, np.ndarray):
                node.values[name] = value.tolist()
    return model


def _nodes(name: str, values: Table) -> Iterator[_Node]:
    """Yield a table, and all tables within it."""
    yield _Node(name, values)
    for field in schema.TABLES[name]:
        child = values.get(field.name)
        if field.type == "union":
            number = values.get(f"{field.name}_type")
            if child is not None and number in schema.OPTIONS_BY_NUMBER:
                yield from _nodes(schema.OPTIONS_BY_NUMBER[number], child)
        elif field.type in schema.TABLES:
            for node in child or () if field.is_vector else () if child is None else (child,):
                yield from _nodes(field.type, node)


def _write_file(model: Table, max_size: int) -> bytes | None:
    for node in list(_nodes(_ROOT, model)):
        for field in schema.TABLES[node.name]:
            if field.type == "union" and isinstance(options := node.values.get(field.name), dict):
                node.values[field.name] = (schema.OPTIONS_BY_NUMBER[node.values[f"{field.name}_type"]], options)
    data = encode(_ROOT, model)
    return data if len(data) <= max_size else None


def _pick_field(draw: random.Random, model: Table, fits: Callable[[schema.Field, Any], bool]) -> _Place:
    """Pick a field, of any table, that fits."""
    places = [
        _Place(node.values, field)
        for node in _nodes(_ROOT, model)
        for field in schema.TABLES[node.name]
        if fits(field, node.values.get(field.name))
    ]
    if not places:
        raise _NothingToChangeError
    return draw.choice(places)


def _other_number(draw: random.Random, kind: str, old: Any) -> Any:
    """Return a number of a type: an extreme one, a neighbour of the old one, or a small one, like codes and indexes."""
    if kind == "f32":
        return draw.choice((*REALS, -old, 2 * old)) if abs(old) < 2**64 else draw.choice(REALS)
    least, count = _RANGES[kind]
    value = draw.choice((draw.choice(INTEGERS), old - 1, old + 1, draw.randrange(_SMALL)))
    return (int(value) - least) % count + least


def _change_number(draw: random.Random, model: Table) -> None:
    values, field = _pick_field(draw, model, lambda field, _: not field.is_vector and field.type in (*_RANGES, "f32"))
    values[field.name] = _other_number(draw, field.type, values[field.name])


def _change_vector(draw: random.Random, model: Table) -> None:
    """Change, remove or add one number of a vector, or exchange two numbers."""
    values, field = _pick_field(draw, model, lambda field, _: field.is_vector and field.type in (*_RANGES, "f32"))
    numbers = list(values[field.name] or ())
    at, kind = draw.randrange(len(numbers) + 1), draw.randrange(4)
    if at == len(numbers) or kind == 0:
        numbers.insert(at, _other_number(draw, field.type, numbers[at - 1] if numbers else 0))
    elif kind == 1:
        del numbers[at]
    elif kind == 2:  # noqa: PLR2004 - the next of the kinds
        other = draw.randrange(len(numbers))
        numbers[at], numbers[other] = numbers[other], numbers[at]
    else:
        numbers[at] = _other_number(draw, field.type, numbers[at])
    values[field.name] = numbers


def _change_tables(draw: random.Random, model: Table) -> None:
    """Remove a table from a list, append a copy of it, or exchange it with another one."""
    values, field = _pick_field(
        draw, model, lambda field, value: field.is_vector and field.type in schema.TABLES and bool(value)
    )
    tables = list(values[field.name])
    at, other, kind = draw.randrange(len(tables)), draw.randrange(len(tables)), draw.randrange(3)
    if kind == 0:
        del tables[at]
    elif kind == 1:
        tables.append(deepcopy(tables[at]))
    else:
        tables[at], tables[other] = tables[other], tables[at]
    values[field.name] = tables


def _leave_out(draw: random.Random, model: Table) -> None:
    """Leave out a table, text or vector."""
    kinds = (*schema.TABLES, "str", "union")
    values, field = _pick_field(
        draw, model, lambda field, value: (field.is_vector or field.type in kinds) and bool(value)
    )
    values[field.name] = None


def _change_operator(draw: random.Random, model: Table) -> None:
    """Replace an operator by another one, with default options of the new kind."""
    graph = draw.choice(model["subgraphs"] or [None])
    operators = graph and graph["operators"]
    if not operators:
        raise _NothingToChangeError
    operator, info = draw.choice(operators), draw.choice(tuple(schema.OPERATORS.values()))
    code = {
        "deprecated_builtin_code": min(info.code, schema.PLACEHOLDER_FOR_GREATER_OP_CODES),
        "builtin_code": info.code,
        "version": 1,
        "custom_code": "",
    }
    model["operator_codes"] = [*(model["operator_codes"] or ()), code]
    operator["opcode_index"] = len(model["operator_codes"]) - 1
    number = schema.NUMBER_OF_OPTIONS.get(info.options, 0)
    operator["builtin_options_type"] = number
    operator["builtin_options"] = dict(schema.defaults(info.options)) if number else None


_STEPS: Final = (
    _change_number,
    _change_number,
    _change_vector,
    _change_vector,
    _change_tables,
    _leave_out,
    _change_operator,
)


_MAX_LEN: Final = 8192
"""Largest size of an input in bytes."""
_IMAGE: Final = (1, 4, 4, 2)


def read(data: bytes) -> None:
    """Import a file; any error except ModelFileError is a fault of the reader."""
    try:
        import_model(data, name="fuzzed").close()
    except ModelFileError:
        return


@contextmanager
def open_reader(_: Target) -> Iterator[OneInput]:
    """Open the harness on the reader; it needs no driver."""
    yield read


def _convolution(writer: ModelWriter) -> tuple[int, int]:
    source, between, result = (writer.tensor(name, _IMAGE) for name in ("source", "between", "result"))
    filters = writer.constant("filters", np.ones((2, 1, 1, 2)))
    bias = writer.constant("bias", np.zeros(2))
    writer.operator("CONV_2D", (source, filters, bias), (between,), stride_w=1, stride_h=1)
    writer.operator("SOFTMAX", (between,), (result,), beta=1.0)
    return source, result


def _codes(writer: ModelWriter) -> tuple[int, int]:
    source, between, result = (
        writer.tensor(name, (2, 3), "uint8", scale=0.5, zero_point=3) for name in ("source", "between", "result")
    )
    writer.operator("ADD", (source, source), (between,))
    writer.operator("RELU", (between,), (result,))
    return source, result


def _movement(writer: ModelWriter) -> tuple[int, int]:
    source, result = writer.tensor("source", (2, 3)), writer.tensor("result", (3, 2))
    writer.operator("TRANSPOSE", (source, writer.constant("order", (1, 0), "int32")), (result,))
    return source, result


_NETWORKS: Final[tuple[Callable[[ModelWriter], tuple[int, int]], ...]] = (_convolution, _codes, _movement)


def _seeds() -> Iterator[Seed]:
    for network in _NETWORKS:
        writer = ModelWriter("seed")
        source, result = network(writer)
        yield Seed(network.__name__.strip("_"), writer.finish((source,), (result,)))


TFLITE: Final = Harness(
    name="tflite",
    summary="any bytes as a .tflite file",
    opens=open_reader,
    seeds=_seeds,
    instrumented=("nnvet.formats.tflite",),
    compares=True,
    mutator=mutate_file,
    crossover=cross_files,
    words=file_words,
    max_len=_MAX_LEN,
    share=1,
)
