"""``docs/native/wire.schema.json``: structures, arguments and results of the wire as a JSON schema."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from nnvet.hal.types import Handle
from nnvet.transport.wire.codec import EXT_HANDLE, EXT_OBJECT
from nnvet.transport.wire.methods import METHODS, Method

ABOUT: Final = (
    "Messages are msgpack, not JSON: 'bin' is written as a string in base64 here, a descriptor as its index "
    f"(extension {EXT_HANDLE}), a reference as its id (extension {EXT_OBJECT}). Fields without a default are "
    "required."
)


def schema_json() -> str:
    """The file's text: the structures in ``$defs``, then arguments and result of every method by its name."""
    kinds = [kind for method in METHODS.values() for kind in (method.arguments, method.result)]
    found, components = msgspec.json.schema_components(kinds, schema_hook=_custom, ref_template="#/$defs/{name}")
    schemas = iter(found)
    methods = {name: _method(method, next(schemas), next(schemas)) for name, method in METHODS.items()}
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The wire protocol of nnvet",
        "description": ABOUT,
        "$defs": dict(sorted(components.items())),
        "methods": methods,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _method(method: Method, arguments: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    names = list(method.signature.parameters)[1:]
    return {"names": names, "arguments": arguments, "result": result}


def _custom(kind: Any) -> dict[str, Any]:
    if kind is Handle:
        return {"type": "integer", "title": "descriptor"}
    return {"type": "integer", "title": f"reference to {kind.__name__}"}
