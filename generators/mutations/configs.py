"""Arguments of a preparation that no driver may accept (docs/contract/vts-tests.md 2.2, numbers 21 and 22)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from nnvet.hal.enums import NO_DEADLINE, ExecutionPreference, Priority
from nnvet.hal.types import PrepareModelConfig


class WrongConfig(NamedTuple):
    """A wrong configuration, what is wrong in it, and which rule that breaks."""

    description: str
    config: PrepareModelConfig
    rule: str


class _WrongValues(NamedTuple):
    name: str
    field: str
    values: tuple[int, ...]
    level: int


_WRONG_VALUES = (
    _WrongValues("mutateExecutionPreferenceTest", "preference", (-1, len(ExecutionPreference)), level=2),
    _WrongValues("mutateExecutionPriorityTest", "priority", (-1, len(Priority)), level=4),
    _WrongValues("mutateDeadline", "deadline", (NO_DEADLINE - 1, -(2**63)), level=4),
)
"""The last is not in VTS. Levels are those that brought the argument."""


def wrong_configs(level: int) -> Iterator[tuple[str, WrongConfig]]:
    """Name of the mutation and wrong configuration, of all that a driver of ``level`` sees."""
    for wrong in _WRONG_VALUES:
        for value in wrong.values if level >= wrong.level else ():
            key = "deadline_ns" if wrong.field == "deadline" else wrong.field
            changed: dict[str, Any] = {key: value}
            what = f"{wrong.field} becomes {value}"
            yield wrong.name, WrongConfig(what, PrepareModelConfig(**changed), f"prepare/{wrong.field}")
