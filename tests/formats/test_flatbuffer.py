"""The reader and the writer of .tflite files: the schema, round trips, and files that are damaged on purpose."""

from __future__ import annotations

import random
from typing import Any

import flatbuffers
import numpy as np
import pytest

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite import schema, source
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.source import FlatbufferReader, parse
from nnvet.formats.tflite.writer import ModelWriter, encode
from tests.formats.case_forms import build
from tests.formats.cases_elementwise import CASES

SPECIAL_NAMES = {"activation": "FusedActivationFunction"}


def camel(name: str) -> str:
    """A field's name as generated code spells it."""
    return SPECIAL_NAMES.get(name, "".join(part.capitalize() for part in name.split("_")))


def two_layers() -> bytes:
    """A small valid model with a constant, options, a state and quantised tensors."""
    writer = ModelWriter()
    data = writer.tensor("data", (1, 4))
    codes = writer.tensor("codes", (1, 4), "uint8", scale=0.1, zero_point=7)
    output = writer.tensor("output", (1, 4), "uint8", scale=0.1, zero_point=7)
    writer.operator("QUANTIZE", [data], [codes])
    other = writer.constant("other", [[1, 2, 3, 4]], "uint8", scale=0.1, zero_point=7)
    writer.operator("ADD", [codes, other], [output], activation=1)
    return writer.finish([data], [output])


def test_operator_codes_are_those_of_the_public_schema() -> None:
    """Names and codes of operators and of options agree with the schema that LiteRT ships."""
    generated = pytest.importorskip("ai_edge_litert.schema_py_generated", reason="needs the litert extra")
    for info in schema.OPERATORS.values():
        assert getattr(generated.BuiltinOperator, info.name) == info.code
        assert info.options in {"", "-", *schema.TABLES}
    for number, name in schema.OPTIONS_BY_NUMBER.items():
        assert getattr(generated.BuiltinOptions, name) == number
    for member in schema.TensorType:
        assert getattr(generated.TensorType, member.name) == member.value


@pytest.mark.parametrize("table", sorted(schema.NUMBER_OF_OPTIONS))
def test_fields_lie_where_generated_code_finds_them(table: str) -> None:
    """LiteRT's generated accessors read each field of an options table as the writer wrote it."""
    generated = pytest.importorskip("ai_edge_litert.schema_py_generated", reason="needs the litert extra")
    fields = [field for field in schema.TABLES[table] if field.name not in ("new_height", "new_width")]
    values: dict[str, Any] = {
        field.name: np.asarray([3, 1]) if field.is_vector else True if field.type == "bool" else number + 2
        for number, field in enumerate(fields)
    }
    data = encode(table, values)
    accessor = getattr(generated, table).GetRootAs(data, 0)
    for field in fields:
        if field.is_vector:
            assert getattr(accessor, camel(field.name) + "AsNumpy")().tolist() == [3, 1]
        else:
            assert getattr(accessor, camel(field.name))() == values[field.name]


def test_round_trip() -> None:
    """A model reads back as it was written."""
    model = parse(two_layers(), "x")
    assert [operator.name for operator in model.operators] == ["QUANTIZE", "ADD"]
    assert model.operators[1].options["activation"] == 1
    assert (model.inputs, model.outputs) == ((0,), (2,))
    assert model.tensors[1].scales == (float(np.float32(0.1)),)
    assert model.tensors[1].zero_points == (7,)
    value = model.tensors[3].value
    assert value is not None
    assert value.tolist() == [[1, 2, 3, 4]]


def test_codes_beyond_a_byte() -> None:
    """An operator whose code does not fit the old field is found by the new one, and old files by the old."""
    writer = ModelWriter()
    flags, output = writer.tensor("flags", (2, 3), "bool"), writer.tensor("all", (2,), "bool")
    writer.operator("REDUCE_ALL", [flags, writer.constant("axis", [1], "int32")], [output])
    tree = FlatbufferReader(writer.finish([flags], [output]), "x").root("Model")
    assert tree["operator_codes"][0]["deprecated_builtin_code"] == schema.PLACEHOLDER_FOR_GREATER_OP_CODES
    assert tree["operator_codes"][0]["builtin_code"] == schema.OPERATOR_CODES["REDUCE_ALL"]
    assert parse(two_layers(), "x").operators[1].name == "ADD"


def test_every_cut_is_refused() -> None:
    """A file that ends too early is an error that says so, wherever it was cut."""
    data = two_layers()
    for length in range(len(data)):
        with pytest.raises(ModelFileError, match=r"cut short|not a TFLite file"):
            parse(data[:length], "x")


@pytest.mark.parametrize("seed", range(8))
def test_damage_never_ends_in_a_traceback(seed: int) -> None:
    """Files with some bytes changed convert, or are refused with ModelFileError; nothing else happens."""
    rng = random.Random(seed)
    files = [build(case)[0] for case in CASES[seed::8]]
    refused = 0
    for _ in range(400):
        data = bytearray(rng.choice(files))
        for _ in range(rng.choice((1, 1, 2, 4))):
            position = rng.randrange(8, len(data))
            data[position] = rng.choice((0, 1, 127, 128, 255, data[position] ^ 1, rng.randrange(256)))
        try:
            import_model(bytes(data)).close()
        except ModelFileError:
            refused += 1
    assert 0 < refused < 400


def test_shared_tables_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file in which very many offsets name one table is refused before it fills the memory."""
    monkeypatch.setattr(source, "_MAX_TABLES", 1000)
    builder = flatbuffers.Builder(1024)
    builder.StartObject(9)
    tensor = builder.EndObject()
    builder.StartVector(4, 1200, 4)
    for _ in range(1200):
        builder.PrependUOffsetTRelative(tensor)
    tensors = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(0, tensors, 0)
    builder.Finish(builder.EndObject(), file_identifier=schema.FILE_IDENTIFIER)
    with pytest.raises(ModelFileError, match="more than 1000 tables"):
        FlatbufferReader(bytes(builder.Output()), "x").root("SubGraph")


def test_shared_texts_do_not_multiply() -> None:
    """A long text that many tables share is not copied for each of them."""
    builder = flatbuffers.Builder(1024)
    name = builder.CreateString("x" * 100_000)
    tables = []
    for _ in range(50):
        builder.StartObject(9)
        builder.PrependUOffsetTRelativeSlot(3, name, 0)
        tables.append(builder.EndObject())
    builder.StartVector(4, len(tables), 4)
    for table in tables:
        builder.PrependUOffsetTRelative(table)
    tensors = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(0, tensors, 0)
    builder.Finish(builder.EndObject(), file_identifier=schema.FILE_IDENTIFIER)
    with pytest.raises(ModelFileError, match="texts decode to far more"):
        FlatbufferReader(bytes(builder.Output()), "x").root("SubGraph")


def test_unknown_options_are_an_error_of_the_caller() -> None:
    """A misspelt option does not silently keep its default."""
    writer = ModelWriter()
    with pytest.raises(ValueError, match="ADD has no option"):
        writer.operator("ADD", [0, 0], [0], activaton=1)
