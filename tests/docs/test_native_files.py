"""Generated files for other languages state contract and protocol completely."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from docs.generate import DOCS
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.hal_model import build_model
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.operations.binding import bind_checked
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model, Operand, Operation
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverCrash
from nnvet.transport.wire.framing import Channel
from tests.transport.wire_sessions import PATIENCE_S, RawClient

NATIVE: Final = DOCS / "native"
OPERATIONS: Final = json.loads((NATIVE / "operations.json").read_text(encoding="utf-8"))
VECTORS: Final = json.loads((NATIVE / "wire-vectors.json").read_text(encoding="utf-8"))
TYPE_NAMES: Final = {kind["code"]: kind["name"] for kind in OPERATIONS["operand_types"]}
BY_CODE: Final = {operation["code"]: operation for operation in OPERATIONS["operations"]}
COMPILERS: Final = {"gcc": ["-std=c99", "-x", "c"], "g++": ["-std=c++11", "-x", "c++"]}

PROGRAM: Final = """
#include "nnvet.h"
#include <stdio.h>
int main(void) {
    printf("%d %d %d %d %lld %s %s", NNVET_OPERAND_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, NNVET_OPERATION_TYPE_BATCH_MATMUL,
           NNVET_ERROR_STATUS_DEAD_OBJECT, NNVET_WIRE_HEADER_BYTES, (long long)NNVET_DEFAULT_LOOP_TIMEOUT_DURATION_NS,
           NNVET_METHOD_DEVICE_GET_SUPPORTED_OPERATIONS, NNVET_FIELD_MODEL_OPERAND_VALUES);
    return 0;
}
"""
"""The numbers beside it are those of docs/contract/hal.md."""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_header_compiles_and_has_the_numbers_of_the_contract(tmp_path: Path, compiler: str) -> None:
    """Strictly, as C and as C++."""
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"there is no {compiler}")
    (tmp_path / "program.c").write_text(PROGRAM, encoding="utf-8")
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{NATIVE}", "-o", str(tmp_path / "program")]
    subprocess.run([found, *COMPILERS[compiler], *strict, str(tmp_path / "program.c")], check=True)
    said = subprocess.run([tmp_path / "program"], check=True, capture_output=True, text=True).stdout
    assert said == "14 102 10000 8 2000000000 Device.get_supported_operations operand_values"


def _models() -> Iterator[Model]:
    for seed in range(60):
        test = random_model(SeededChooser(f"native {seed}"), GraphOptions(operations=(1, 12)))
        yield build_model(test)


def _changed(operation: list[Operand], rng: random.Random) -> Iterator[list[Operand]]:
    """The operands as they are, one less, one more, one of another type, one of another rank."""
    place = rng.randrange(len(operation))
    yield operation
    yield operation[:-1]
    yield [*operation, operation[-1]]
    for change in ({"type": rng.choice(list(OperandType))}, {"dimensions": (1,) * rng.randrange(1, 6)}):
        yield [*operation[:place], msgspec.structs.replace(operation[place], **change), *operation[place + 1 :]]


def _naive(code: int, inputs: list[Operand], outputs: list[Operand]) -> str:
    """The rule that operands break as far as counts, types and ranks go, from operations.json alone; empty for none."""
    declared = BY_CODE[code]
    lists = [(signature, _inputs(signature, len(inputs))) for signature in declared["signatures"]]
    fitting = [formals for _, formals in lists if formals]
    if not fitting:
        return "inputs.count"
    produced = _outputs(declared, len(outputs))
    if produced is None:
        return "outputs.count"
    for formals in fitting:
        if _types_fit(declared, [*zip([*formals, *produced], [*inputs, *outputs], strict=True)]):
            return _broken_rank(list(zip(formals, inputs, strict=True)))
    return "types"


def _inputs(signature: dict[str, Any], count: int) -> list[dict[str, Any]] | None:
    formals = signature["inputs"]
    repeated = [place for place, formal in enumerate(formals) if formal.get("variadic")]
    if repeated:
        (place,) = repeated
        times = count - len(formals) + 1
        wanted = formals[place]["minimum"]
        return [*formals[:place], *[formals[place]] * times, *formals[place + 1 :]] if times >= wanted else None
    return formals[:count] if count in (signature["lengths"] or [len(formals)]) else None


def _outputs(declared: dict[str, Any], count: int) -> list[dict[str, Any]] | None:
    formals = declared["outputs"]
    if formals[0].get("variadic"):
        return formals * count if count else None
    return formals[:count] if count in (declared["output_counts"] or [len(formals)]) else None


def _types_fit(declared: dict[str, Any], pairs: list[tuple[dict[str, Any], Operand]]) -> bool:
    names = [(formal["type"], TYPE_NAMES[operand.type]) for formal, operand in pairs if formal["type"] != "*"]
    fixed = TYPE_NAMES.values()
    if any(kind != actual for kind, actual in names if kind in fixed):
        return False
    variables = [(kind, actual) for kind, actual in names if kind not in fixed]
    return any(all(row["types"][kind] == actual for kind, actual in variables) for row in declared["rows"])


def _broken_rank(pairs: list[tuple[dict[str, Any], Operand]]) -> str:
    for formal, operand in sorted(pairs, key=lambda pair: bool(pair[0].get("variadic"))):
        if formal.get("rank_phase") == "model" and operand.dimensions:
            low, high = formal["rank"]
            if not low <= len(operand.dimensions) <= (high or len(operand.dimensions)):
                return f"{formal['name']}.rank"
    return ""


def _bound(operation: Operation, inputs: list[Operand], outputs: list[Operand]) -> str:
    arguments = [[Argument(operand.type, operand.dimensions) for operand in operands] for operands in (inputs, outputs)]
    declaration = declarations()[operation.type]
    try:
        bind_checked(declaration, *arguments)
    except HalError as error:
        return "" if error.rule in declaration.rule_index else error.rule.removeprefix(f"{declaration.name}/")
    return ""


def test_counts_types_and_ranks_can_be_checked_with_the_file_alone() -> None:
    """A second validator, which has only operations.json, finds the same broken rule in right and wrong operations."""
    rng, seen = random.Random(1), set()
    for model in _models():
        for operation in model.main.operations:
            inputs = [model.main.operands[index] for index in operation.inputs]
            outputs = [model.main.operands[index] for index in operation.outputs]
            if any(operand.type == OperandType.SUBGRAPH for operand in inputs):
                continue
            for changed in _changed(inputs, rng):
                expected = _bound(operation, changed, outputs)
                assert _naive(operation.type, changed, outputs) == expected, (operation, changed)
                seen.add(expected.rpartition(".")[2])
    assert seen >= {"", "count", "types", "rank"}


def test_the_schema_names_what_it_uses() -> None:
    """Every reference leads to a definition; what has no default is required."""
    schema = json.loads((NATIVE / "wire.schema.json").read_text(encoding="utf-8"))
    references = {string for string in _strings(schema["methods"]) if string.startswith("#/$defs/")}
    assert references
    assert {reference.removeprefix("#/$defs/") for reference in references} <= schema["$defs"].keys()
    assert schema["$defs"]["Operand"]["required"] == ["type"]
    assert schema["methods"]["Device.get_type"]["arguments"]["maxItems"] == 0


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _named(entries: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("entry", entries, ids=[entry["name"] for entry in entries])


@_named([vector for vector in VECTORS["malformed"] if vector["to"] == "service"])
def test_a_service_ends_the_session_at_malformed_frames(entry: dict[str, Any]) -> None:
    """As the file says; the service's end is the suite's own."""
    client = RawClient(BaseDevice())
    client.hello()
    connection, lane = client.open_lane()
    with connection:
        assert client.call(lane, 1, "Device.get_type", (), ()).status == 0
        connection.sendall(bytes.fromhex(entry["frame"]))
        client.service.join()
        assert "sent a malformed frame (" in client.farewell()
    client.close()


@_named(VECTORS["refused"])
def test_a_service_answers_calls_that_lead_nowhere(entry: dict[str, Any]) -> None:
    """With the rule that the file names, and the session goes on."""
    client = RawClient(BaseDevice())
    client.hello()
    connection, lane = client.open_lane()
    with connection:
        connection.sendall(bytes.fromhex(entry["frame"]))
        assert client.reply(lane).rule == entry["rule"]
        assert client.call(lane, 1, "Device.get_type", (), ()).status == 0
    client.close()


@_named([vector for vector in VECTORS["malformed"] if vector["to"] == "client"])
def test_a_client_takes_malformed_frames_for_a_crash(entry: dict[str, Any]) -> None:
    """A service that answers a call like that is not asked again."""
    ours, theirs = socket.socketpair()
    service = threading.Thread(target=_answer_with, args=(theirs, bytes.fromhex(entry["frame"])))
    service.start()
    try:
        session = Session(ours, timeout_s=PATIENCE_S)
        with pytest.raises(DriverCrash):
            session.device.get_type()
        session.close()
    finally:
        ours.close()
        service.join()


def _answer_with(primary: socket.socket, frame: bytes) -> None:
    """A service that welcomes its client and answers whatever comes with one frame."""
    (welcome,) = (vector["frame"] for vector in VECTORS["messages"] if vector["name"] == "welcome")
    with primary:
        channel = Channel(primary)
        channel.receive()
        primary.sendall(bytes.fromhex(welcome))
        _, (lane,) = channel.receive()
        with socket.socket(fileno=os.dup(lane.fd)) as connection:
            del lane
            connection.recv(4096)
            connection.sendall(frame)
            connection.recv(4096)
