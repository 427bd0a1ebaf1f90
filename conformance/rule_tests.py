"""How many of the project's tests meet each rule, as recorded by ``make rule-tests``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

RECORD = Path(__file__).parent / "rule_tests.json"


@cache
def rule_tests() -> dict[str, int]:
    """Number of tests by rule id; rules that no test meets are absent."""
    return msgspec.json.decode(RECORD.read_bytes(), type=dict[str, int])
