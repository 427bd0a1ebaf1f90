"""``docs/native/wire-vectors.json``: frames in hexadecimal, good ones and malformed ones with what is due."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.msgpack import Ext

from nnvet.conformance.suites.wire import MALFORMED, REFUSED, frame
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.types import (
    Ashmem,
    DataLocation,
    Handle,
    Model,
    Operand,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
    Timing,
)
from nnvet.transport.wire.codec import EXT_HANDLE, EXT_OBJECT, FAREWELL, VERSIONS, Codec, Hello, Welcome
from nnvet.transport.wire.framing import MAX_ANSWER

ABOUT: Final = (
    "Frames in hexadecimal: header, then payload. 'from' is who sends it and 'on' the connection. 'descriptors' "
    "is how many travel beside the first byte. 'value' is the payload in JSON: {bin: …} are bytes in hexadecimal, "
    "{descriptor: …} the index of a descriptor, {reference: …} the id of an object. Of 'malformed' frames the "
    "receiver ends the session. 'refused' are calls that are answered with this rule, after a handshake; the "
    "session goes on."
)

_PREPARED: Final = 2
_EXECUTION: Final = 3
_CALLBACK: Final = 7
_VECTOR: Final = Operand(OperandType.TENSOR_FLOAT32, (2,))


def _operand(lifetime: OperandLifeTime, **fields: Any) -> Operand:
    return msgspec.structs.replace(_VECTOR, lifetime=lifetime, **fields)


_MODEL: Final = Model(
    main=Subgraph(
        operands=(
            _operand(OperandLifeTime.SUBGRAPH_INPUT),
            _operand(OperandLifeTime.CONSTANT_REFERENCE, location=DataLocation(pool_index=1, offset=0, length=8)),
            Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(length=4)),
            _operand(OperandLifeTime.SUBGRAPH_OUTPUT),
        ),
        operations=(Operation(OperationType.ADD, (0, 1, 2), (3,)),),
        input_indexes=(0,),
        output_indexes=(3,),
    ),
    operand_values=bytes(4),
    pools=(Ashmem(Handle(10), 64), Ashmem(Handle(11), 8)),
)
_REQUEST: Final = Request(
    inputs=(RequestArgument(location=DataLocation(pool_index=0, offset=0, length=8)),),
    outputs=(RequestArgument(location=DataLocation(pool_index=0, offset=8, length=8)),),
    pools=(Ashmem(Handle(10), 16),),
)


@dataclass(frozen=True)
class _Message:
    """A frame that is right: who sends it, on which connection, and what it says."""

    name: str
    sender: str
    connection: str
    content: object


def _call(target: int, method: str, *arguments: object, number: int = 0, released: tuple[int, ...] = ()) -> object:
    return (target, method, released, arguments, *((number,) if number else ()))


def _reply(number: int, result: object = None, *further: object) -> object:
    return (0, "", "", result, number, *further)


def _reference(identifier: int) -> Ext:
    return Ext(EXT_OBJECT, identifier.to_bytes(8, "little"))


def _messages() -> Iterator[_Message]:
    callback, prepared, execution = _reference(_CALLBACK), _reference(_PREPARED), _reference(_EXECUTION)
    lane, notified = Handle(9), _call(_CALLBACK, "PreparedModelCallback.notify", 0, prepared)
    client, service = (("client", "primary"), ("service", "primary"))
    ask, answer = (("client", "lane"), ("service", "lane"))
    shapes = (OutputShape((2,)),)
    yield _Message("hello", *client, Hello())
    yield _Message("welcome", *service, (0, "", "", Welcome(VERSIONS[0], "example 1.0")))
    yield _Message("no common version", *service, (4, "version 3 only", "wire/version", None))
    yield _Message("open a lane", *client, _call(0, "Service.open_lane", lane))
    yield _Message("a call without arguments", *ask, _call(1, "Device.get_type", number=1))
    yield _Message("its reply", *answer, _reply(1, 2))
    yield _Message("several descriptors", *ask, _call(1, "Device.get_supported_operations", _MODEL, number=2))
    yield _Message("a list of results", *answer, _reply(2, (True,)))
    prepare = _call(1, "Device.prepare_model", _MODEL, PrepareModelConfig(), callback, number=3)
    yield _Message("a callback as argument", *ask, prepare)
    yield _Message("a notification with the reply", *answer, _reply(3, None, (notified,)))
    yield _Message("a notification by itself", *service, notified)
    failed = (_CALLBACK, "PreparedModelCallback.notify", (), (2, None), 0, "no memory", "driver/exception")
    yield _Message("a notification of a failure, with the reason", *service, failed)
    execute = _call(_PREPARED, "PreparedModel.execute_synchronously", _REQUEST, {}, -1, number=4)
    yield _Message("a structure of defaults as an empty map", *ask, execute)
    yield _Message("a structure as result", *answer, _reply(4, {"output_shapes": shapes, "timing": Timing(5, 7)}))
    yield _Message("an error as reply", *answer, (int(ErrorStatus.GENERAL_FAILURE), "no", "driver/exception", None, 4))
    reusable = _call(_PREPARED, "PreparedModel.create_reusable_execution", _REQUEST, {}, number=5)
    yield _Message("an object is asked for", *ask, reusable)
    yield _Message("a reference as result", *answer, _reply(5, execution))
    fenced = _call(_EXECUTION, "Execution.execute_fenced", (Handle(12), Handle(13)), -1, -1, number=6)
    yield _Message("a list of descriptors", *ask, fenced)
    yield _Message("a descriptor as result", *answer, _reply(6, {"callback": _reference(4), "sync_fence": Handle(14)}))
    last = _call(1, "Device.name", number=7, released=(_EXECUTION, _PREPARED))
    yield _Message("objects are released with the next call", *ask, last)
    yield _Message("farewell", *service, _call(0, FAREWELL, "sent a malformed frame"))


def _malformed_replies() -> Iterator[tuple[str, bytes]]:
    """Return the answers to call 1 that a service may not give: name and frame."""
    reply = msgspec.msgpack.encode(_reply(1, 2))
    yield ("other_bytes_6_and_7", frame(reply, magic=0))
    yield ("too_long_a_payload", frame(b"", length=MAX_ANSWER + 1))
    yield ("a_descriptor_that_did_not_come", frame(reply, descriptors=1))
    yield ("a_reply_with_another_number", frame(msgspec.msgpack.encode(_reply(9, 2))))
    yield ("a_call", frame(msgspec.msgpack.encode(_call(1, "Device.get_type", number=1))))


def vectors_json() -> str:
    """The file's text."""
    content = {
        "about": ABOUT,
        "messages": [_described(message) for message in _messages()],
        "malformed": [
            *({"name": name, "to": "service", "frame": data.hex()} for name, data in MALFORMED.items()),
            *({"name": name, "to": "client", "frame": data.hex()} for name, data in _malformed_replies()),
        ],
        "refused": [
            {
                "name": name,
                "frame": frame(vector.payload).hex(),
                "value": _plain(msgspec.msgpack.decode(vector.payload)),
                "rule": vector.rule,
            }
            for name, vector in REFUSED.items()
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _described(message: _Message) -> dict[str, Any]:
    payload, handles = Codec(_no_object, _no_object).encode(message.content)
    return {
        "name": message.name,
        "from": message.sender,
        "on": message.connection,
        "descriptors": len(handles),
        "frame": frame(payload, descriptors=len(handles)).hex(),
        "value": _plain(msgspec.msgpack.decode(payload)),
    }


def _no_object(*_: object) -> Any:
    raise AssertionError("the messages name their references themselves")


def _plain(value: Any) -> Any:
    """A value of msgpack as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, Ext):
        kind = {EXT_HANDLE: "descriptor", EXT_OBJECT: "reference"}[value.code]
        return {kind: int.from_bytes(value.data, "little")}
    return value
