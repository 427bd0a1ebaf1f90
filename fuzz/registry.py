"""All harnesses, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.fuzz.calls.harness import CALLS
from nnvet.fuzz.differential import DIFFERENTIAL
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.model.harness import MODEL
from nnvet.fuzz.readers.specs import SPECS
from nnvet.fuzz.readers.tflite import TFLITE
from nnvet.fuzz.request import REQUEST
from nnvet.fuzz.sessions.burst import BURST
from nnvet.fuzz.sessions.cache import CACHE
from nnvet.fuzz.sessions.frames import FRAMES

_ALL: Final = (MODEL, DIFFERENTIAL, REQUEST, BURST, CACHE, FRAMES, TFLITE, SPECS, CALLS)
HARNESSES: Final[Mapping[str, Harness]] = {harness.name: harness for harness in _ALL}
