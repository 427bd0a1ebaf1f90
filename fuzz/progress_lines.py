"""Parser of the lines that libFuzzer prints while it fuzzes, and of those that the suite adds to them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_STATUS: Final = re.compile(r"#(?P<executions>\d+)\s+(?P<event>[A-Za-z]+)\s+(?P<rest>.*)")
_COVERAGE: Final = re.compile(r"\bcov: (\d+)")
NATIVE_EDGES: Final = "nnvet: native edges:"
"""Beginning of the line with the number of edges of native code that are counted."""
_CORPUS: Final = re.compile(r"\bcorp: (\d+)/")


class Status(NamedTuple):
    """Progress of a process: inputs executed since it began, coverage in counters, inputs in its corpus."""

    executions: int
    coverage: int
    corpus: int


def status_of(line: str) -> Status | None:
    """Return the status that a line gives; None: it gives none."""
    match = _STATUS.match(line)
    if match is None:
        return None
    coverage, corpus = (pattern.search(match["rest"]) for pattern in (_COVERAGE, _CORPUS))
    return Status(int(match["executions"]), int(coverage[1]) if coverage else 0, int(corpus[1]) if corpus else 0)


def native_edges_of(line: str) -> int:
    """Return the number of counted edges of native code in a line; 0: the line is another one."""
    return int(line.removeprefix(NATIVE_EDGES)) if line.startswith(NATIVE_EDGES) else 0
