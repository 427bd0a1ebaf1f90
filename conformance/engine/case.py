"""A case as data: which check, with which argument. It can be pickled, listed, and sent to another process.

What a case does is found by its names when it runs: the check in :mod:`nnvet.conformance.engine.checks`, the spec in
its file. Nothing is built before.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import msgspec

from nnvet.hal.enums import OperationType


class CaseId(NamedTuple):
    """``SUITE/CHECK`` or ``SUITE/CHECK/ARGUMENT``: unique in a run, stable, the same in every output.

    ``argument`` is the name of a spec's case, or of one of the values that the check goes through. What an id means is
    looked up (:meth:`nnvet.conformance.engine.nearest.resolve`): names of checks may have slashes, too.
    """

    suite: str
    check: str
    argument: str = ""

    def __str__(self) -> str:
        """The text of the id."""
        return "/".join(self) if self.argument else f"{self.suite}/{self.check}"


class SpecAddress(msgspec.Struct, frozen=True):
    """A case of a spec file: ``name`` is the one that its file gives it."""

    path: str
    name: str


class Case(msgspec.Struct, frozen=True):
    """One case of a run.

    ``needed_level`` is the feature level without which it means nothing; None: not known. ``usual`` cases run without
    being asked for by id or by the full matrix. Cases of one ``unit`` share work and stay in one shard.
    """

    name: CaseId
    unit: str
    spec: SpecAddress | None = None
    needed_level: int | None = None
    usual: bool = True

    @property
    def named_operations(self) -> list[str]:
        """Operations that its id names, as those of checks that go through operations do."""
        return _named_in().findall(self.id)

    @property
    def id(self) -> str:
        """Id in logs, reports and on the command line."""
        return str(self.name)


@cache
def _named_in() -> re.Pattern[str]:
    # The longest first: ADD_TENSOR_FLOAT32 is of ADD, ARGMAX is no ARG.
    names = sorted((operation.name for operation in OperationType), key=len, reverse=True)
    return re.compile(rf"(?<=[/.])({'|'.join(names)})(?=[/._]|$)")
