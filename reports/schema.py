"""The JSON schema of the log. ``python -m nnvet.reports.schema`` stores it anew after a change of the events."""

import json
from pathlib import Path
from typing import Final

import msgspec

from nnvet.reports.events import Event

STORED: Final = Path(__file__).with_name("event_log.schema.json")
"""File in which the schema is kept, so that other programs need not run nnvet."""


def generate() -> str:
    """Return the schema of one line, as indented JSON text."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "One line of an nnvet event log"}
    return json.dumps(schema | msgspec.json.schema(Event), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    STORED.write_text(generate(), encoding="utf-8")
