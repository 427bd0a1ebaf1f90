"""Failures run again on another worker: drivers of one name that answer differently are a finding of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from nnvet.conformance.cluster.chunk import ChunkResult
from nnvet.conformance.engine.driver import Finished
from nnvet.conformance.engine.work import Message
from nnvet.reports.events import DRIVER_FAULTS
from nnvet.reports.evidence import BY_WORKER

_MOST: Final = 3


def suspects(messages: Sequence[Message]) -> frozenset[str]:
    """The first failures of each rule in a chunk, three at most."""
    found: dict[tuple[str, str], str] = {}
    for message in messages:
        if isinstance(message, Finished) and not message.recurs and message.outcome.verdict in DRIVER_FAULTS:
            found.setdefault((message.outcome.verdict, message.outcome.rule), message.case)
    return frozenset(list(found.values())[:_MOST])


def compare_ends(first: ChunkResult, second: ChunkResult) -> Iterator[Message]:
    """Yield the first worker's messages, with the other one's verdict if that differs."""
    others = {message.case: message.outcome.verdict for message in second.messages if isinstance(message, Finished)}
    for message in first.messages:
        verdict = others.get(message.case) if isinstance(message, Finished) else None
        if not isinstance(message, Finished) or verdict is None or verdict is message.outcome.verdict:
            yield message
            continue
        outcome = message.outcome
        verdicts = {first.worker: str(outcome.verdict), second.worker: str(verdict)}
        reason = f"{outcome.reason}; on another worker it is {verdict}"
        evidence = {**outcome.evidence, BY_WORKER: verdicts}
        yield replace(message, outcome=replace(outcome, reason=reason, evidence=evidence))
