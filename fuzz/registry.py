"""All harnesses, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.fuzz.harness import Harness
from nnvet.fuzz.model.harness import MODEL

_ALL: Final = (MODEL,)
HARNESSES: Final[Mapping[str, Harness]] = {harness.name: harness for harness in _ALL}
