"""All harnesses, by name: a new one is listed here."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nnvet.fuzz.harness import Harness

_MODULES: Final = {
    "model": "nnvet.fuzz.model.harness:MODEL",
    "differential": "nnvet.fuzz.differential:DIFFERENTIAL",
    "request": "nnvet.fuzz.request:REQUEST",
    "burst": "nnvet.fuzz.sessions.burst:BURST",
    "cache": "nnvet.fuzz.sessions.cache:CACHE",
    "frames": "nnvet.fuzz.sessions.frames:FRAMES",
    "tflite": "nnvet.fuzz.readers.tflite:TFLITE",
    "specs": "nnvet.fuzz.readers.specs:SPECS",
    "calls": "nnvet.fuzz.calls.harness:CALLS",
    "library": "nnvet.fuzz.calls.library:LIBRARY",
}
"""The place of each harness, as :data:`nnvet.adapters.selector.KINDS` names those of drivers."""


class _Harnesses(Mapping[str, "Harness"]):
    """Imports the module of a harness when it is asked for.

    The names alone cost nothing, and a child process loads one harness: code that is loaded before libFuzzer's
    instrumentation begins gives no coverage.
    """

    def __getitem__(self, name: str) -> Harness:
        module, _, attribute = _MODULES[name].partition(":")
        found: Harness = getattr(importlib.import_module(module), attribute)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


HARNESSES: Final[Mapping[str, Harness]] = _Harnesses()
