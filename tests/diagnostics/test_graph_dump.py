"""Models in Graphviz' language, line by line; all expected text is written by hand.

Source: docs/contract/sample-driver.md 9.
"""

import struct

import pytest
from msgspec.structs import replace

from nnvet.diagnostics.graph_dump import graph_dump, log_graph
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
from tests.diagnostics.graph_models import branching, chain

COPY = OperandLifeTime.CONSTANT_COPY
RELU = OperationType.RELU


def line_of(operand: Operand, values: bytes = b"") -> str:
    """The line of an operand that is not listed anywhere."""
    return graph_dump("", Model(Subgraph((operand,), (), (), ()), operand_values=values)).splitlines()[2]


def test_whole_model(add_model: Model) -> None:
    """The ADD of conftest: inputs numbered, the constant's value, one edge without label to the only output."""
    assert graph_dump("my model", add_model) == (
        "// my model\n"
        "digraph {\n"
        '    d0 [style=filled fillcolor=black fontcolor=white label="0 = input[0]\\nTF32(2x2)"]\n'
        '    d1 [label="1: COPY\\nTF32(2)"]\n'
        '    d2 [label="2: COPY\\nI32 = 0"]\n'
        '    d3 [style=filled fillcolor=black fontcolor=white label="3 = output[0]\\nTF32(2x2)"]\n'
        '    n0 [shape=box ordering=in label="0: ADD"]\n'
        "    d0 -> n0 [label=0]\n"
        "    d1 -> n0 [label=1]\n"
        "    d2 -> n0 [label=2]\n"
        "    n0 -> d3\n"
        "}\n"
    )


def test_chain_has_no_orders_and_no_labels() -> None:
    """Operations with one input and one output need neither; temporaries have no lifetime."""
    assert graph_dump("", chain(RELU, OperationType.ABS)).splitlines() == [
        "// ",
        "digraph {",
        '    d0 [style=filled fillcolor=black fontcolor=white label="0 = input[0]\\nTF32(2)"]',
        '    d1 [label="1\\nTF32(2)"]',
        '    d2 [style=filled fillcolor=black fontcolor=white label="2 = output[0]\\nTF32(2)"]',
        '    n0 [shape=box label="0: RELU"]',
        "    d0 -> n0",
        "    n0 -> d1",
        '    n1 [shape=box label="1: ABS"]',
        "    d1 -> n1",
        "    n1 -> d2",
        "}",
    ]


@pytest.mark.parametrize(
    ("inputs", "outputs", "order"),
    [
        ((0, 0), (1,), " ordering=in"),
        ((0, 0), (1, 1), " ordering=in"),
        ((0,), (1, 1), " ordering=out"),
        ((), (1, 1), " ordering=out"),
        ((0,), (1,), ""),
        ((), (), ""),
    ],
)
def test_order_is_that_of_the_longer_list(inputs: tuple[int, ...], outputs: tuple[int, ...], order: str) -> None:
    """Inputs if there are as many; nothing if neither list has two entries."""
    model = chain(RELU)
    main = replace(model.main, operations=(Operation(RELU, inputs, outputs),))
    lines = graph_dump("", replace(model, main=main)).splitlines()
    assert lines[4] == f'    n0 [shape=box{order} label="0: RELU"]'
    into = [f"    d0 -> n0{f' [label={k}]' if len(inputs) > 1 else ''}" for k in range(len(inputs))]
    out = [f"    n0 -> d1{f' [label={k}]' if len(outputs) > 1 else ''}" for k in range(len(outputs))]
    assert lines[5:-1] == [*into, *out]


@pytest.mark.parametrize(
    ("lifetime", "text"),
    [
        (OperandLifeTime.TEMPORARY_VARIABLE, "0"),
        (OperandLifeTime.CONSTANT_COPY, "0: COPY"),
        (OperandLifeTime.CONSTANT_REFERENCE, "0: REF"),
        (OperandLifeTime.NO_VALUE, "0: NO"),
        (OperandLifeTime.SUBGRAPH, "0: SUBGRAPH"),
    ],
)
def test_lifetimes(lifetime: OperandLifeTime, text: str) -> None:
    """Every lifetime but that of temporaries has a name."""
    assert line_of(Operand(OperandType.BOOL, lifetime=lifetime)) == f'    d0 [label="{text}\\nBOOL"]'


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, "F32"),
        (1, "I32"),
        (2, "U32"),
        (3, "TF32"),
        (4, "TI32"),
        (5, "TQ8A"),
        (10000, "OEM"),
        (10001, "TOEMB"),
        (6, "BOOL"),
        (10, "FLOAT16"),
        (14, "TENSOR_QUANT8_ASYMM_SIGNED"),
    ],
)
def test_type_names(code: int, name: str) -> None:
    """The types of 1.0 have short names, all others their own."""
    assert line_of(Operand(code, (1, 0, 3))) == f'    d0 [label="0\\n{name}(1x0x3)"]'


@pytest.mark.parametrize(
    ("code", "values", "shown"),
    [
        (OperandType.FLOAT32, struct.pack("<f", 0.1), " = 0.1"),
        (OperandType.FLOAT32, struct.pack("<f", 1e-7), " = 1e-07"),
        (OperandType.FLOAT32, struct.pack("<f", 1234567.0), " = 1.23457e+06"),
        (OperandType.INT32, struct.pack("<i", -1234567), " = -1234567"),
        (OperandType.UINT32, struct.pack("<I", 2**32 - 1), " = 4294967295"),
        (OperandType.BOOL, b"\x01", ""),
        (OperandType.INT32, b"\x01\x00", ""),
    ],
)
def test_values_of_scalars(code: OperandType, values: bytes, shown: str) -> None:
    """Scalars of 32 bits that have all of them; floats with six digits, as C++ streams write them."""
    operand = Operand(code, lifetime=COPY, location=DataLocation(length=len(values)))
    assert line_of(operand, values).endswith(f'{shown}"]')
    assert (" = " in line_of(operand, values)) == bool(shown)


def test_values_in_pools_are_not_shown() -> None:
    """A dump reads no memory."""
    operand = Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_REFERENCE, location=DataLocation(length=4))
    assert line_of(operand, bytes(4)) == '    d0 [label="0: REF\\nI32"]'


def test_invalid_models_are_drawn_too() -> None:
    """Data outside of the model, unknown types, operands that are input and output, or listed nowhere: no crash."""
    outside = Operand(OperandType.INT32, lifetime=COPY, location=DataLocation(offset=100, length=4))
    assert line_of(outside) == '    d0 [label="0: COPY\\nI32"]'
    assert line_of(Operand(77)) == '    d0 [label="0\\ntype 0x4d"]'
    assert line_of(Operand(0, lifetime=OperandLifeTime.SUBGRAPH_INPUT)) == '    d0 [label="0 = input\\nF32"]'
    both = Operand(0, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    model = Model(Subgraph((both, both), (Operation(4711, (9,), (0,)),), (1, 0), (0, 1)))
    lines = graph_dump("", model).splitlines()
    assert [line.partition("label=")[2] for line in lines[2:4]] == ['"0 = output[1]\\nF32"]', '"1 = output[0]\\nF32"]']
    assert lines[4:6] == ['    n0 [shape=box label="0: operation 0x1267"]', "    d9 -> n0"]


def test_referenced_subgraphs_are_counted() -> None:
    """Two comment lines say that they are missing."""
    lines = graph_dump("x", branching(RELU, RELU)).splitlines()
    assert lines[1:3] == ["digraph {", "// NOTE: 2 subgraphs omitted"]
    assert lines[3].startswith("// ")
    assert lines[4].startswith("    d0 ")
    assert lines[5] == '    d1 [label="1: SUBGRAPH\\nSUBGRAPH"]'


def test_referenced_subgraphs_can_be_drawn() -> None:
    """Each in a cluster of its own colour, with names of its own for its nodes."""
    text = graph_dump("x", branching(RELU, OperationType.ABS), subgraphs=True)
    assert "omitted" not in text
    clusters = text.split("    subgraph cluster_")[1:]
    assert [cluster.splitlines()[0] for cluster in clusters] == ["0 {", "1 {"]
    colours = [cluster.splitlines()[1].partition("fillcolor=")[2] for cluster in clusters]
    assert colours[0] != colours[1]
    assert '    s1_n0 [shape=box label="0: ABS"]\n    s1_d0 -> s1_n0\n    s1_n0 -> s1_d1\n    }\n}\n' in clusters[1]


def test_names_stay_in_their_comment() -> None:
    """A name of several lines is one line."""
    assert graph_dump("a\nb\r\nc", chain(RELU)).splitlines()[0] == "// a b c"


def test_one_log_line_for_each_line() -> None:
    """The logged lines are the written ones."""
    logged: list[str] = []
    log_graph("x", chain(RELU), logged.append)
    assert "".join(f"{line}\n" for line in logged) == graph_dump("x", chain(RELU))
