"""Damaged logs and folders of specs: a report or a message that says where, never a traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from typer.testing import CliRunner

from nnvet.commands.main import app
from nnvet.conformance.engine.runner import read_finished
from nnvet.reports.events import CaseFinished, DriverFacts, RunStarted, Verdict
from nnvet.reports.evidence import SAMPLE_FIELDS, STRESS_LABEL
from nnvet.reports.log import EventLog, LogError
from tests.attack.figures import Attack, Figures

_STARTED: Final = RunStarted("0.1.0", DriverFacts("reference", "a driver", "1", feature_level=8), "2026-01-01T00:00:00")
_CASES: Final = 12
_BYTES: Final = b'\x00\xff"{}[],:\\0e9\n'
_ODD: Final[tuple[Any, ...]] = (
    *(10**400, -1, 1e308, "", "NaN", "\ud800", "\x1b[2J\n", None, True, "x" * 100_000),
    *([], {}, [[[0]]], [None], ["a", 1], {"": {}}, {"a": [1]}),
)
_DEPTHS: Final = (60, 300, 900, 20_000)
_SAMPLE: Final = [0.5, "driver", 12.5, 1 << 20, 5, 1, 1]
_EVIDENCE: Final = {
    "sentence": "a rule",
    "worst": {"output": 0, "index": [1], "expected": 1.5, "actual": float("nan"), "difference": 2.0, "tolerance": 1.0},
    "values": [1, "two"],
    "frames": ["compute at driver.c:3"],
    "failed_before": {"Suite/Check/case_0": "FAIL"},
    "by_worker": {"one": "PASS", "two": "FAIL"},
    "picture": {"slice": "[0]", "block": [1], "largest": 2.0, "cells": [[1, None, -9]]},
    "positions": {"ADD TENSOR_FLOAT32": {"ieee": 0.5, "flush": None}},
    "elements": 4,
    "undecided": 1,
    "accuracy": {"ADD": 0.25},
    "covers": ["ADD TENSOR_FLOAT32 2 MUL 1,2"],
    "needs": ["fp16"],
    "timings": {
        "done": 3,
        "refused": {"GENERAL_FAILURE": 2},
        "latency_ms": {"p50": 1.5},
        "phases": [["start", 0.25]],
        "timeline": {"fields": list(SAMPLE_FIELDS), "rows": [_SAMPLE, _SAMPLE]},
        "native_stacks": "thread 1\n#0 compute",
    },
}
"""Everything that a page lays out or computes with."""

Damage = Callable[[random.Random, bytes], bytes]


def damage(tries: int, seed: int, folder: Path) -> Figures:
    """Damage a log ``tries`` times, and read it as ``report``, ``diff`` and ``run --resume`` do."""
    chance = random.Random(seed)
    whole = folder / "whole.jsonl"
    write_log(whole)
    damaged = folder / "run.jsonl"
    figures, refused = Figures(), 0
    for _ in range(tries):
        name, how = chance.choice(list(DAMAGES.items()))
        damaged.write_bytes(how(chance, whole.read_bytes()))
        codes, wrong = _read(damaged, whole)
        refused += 2 in codes
        figures.see(f"{name}: {wrong}" if wrong else "")
    figures.notes = f"{refused:,} were refused with a message, of the others there is a report"
    return figures


def write_log(path: Path) -> None:
    """A log with each verdict, odd evidence and a footer."""
    verdicts = [verdict for verdict in Verdict if verdict is not Verdict.NOT_RUN]
    with EventLog.create(path, _STARTED) as log:
        for number in range(_CASES):
            verdict = verdicts[number % len(verdicts)]
            labels = {"suite": "Suite", "operations": ["ADD"]}
            log.case_started(f"Suite/Check/case_{number}")
            log.case_finished(
                f"Suite/Check/case_{number}",
                verdict,
                rule="execution/outputs",
                reason="a reason",
                evidence=_EVIDENCE,
                labels=labels | ({STRESS_LABEL: "SUCCESS"} if number % 2 else {}),
            )
        log.finish(1)


def _read(damaged: Path, whole: Path) -> tuple[list[int], str]:
    """The exit codes of the commands, and what was wrong with one of them."""
    commands = [["report", str(damaged)], ["diff", str(whole), str(damaged)], ["diff", str(damaged), str(whole)]]
    codes = []
    for command in commands:
        result = CliRunner().invoke(app, command)
        codes.append(result.exit_code)
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            return codes, f"{command[0]} raises {type(error).__name__}: {error}"
        if result.exit_code not in (0, 1, 2) or (result.exit_code == 2 and "nnvet: " not in result.output):
            return codes, f"{command[0]} ends with {result.exit_code}: {result.output[-300:]}"
    try:
        kept = read_finished(damaged, _STARTED)
    except LogError:
        return codes, ""
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return codes, f"--resume raises {type(error).__name__}: {error}"
    return codes, "" if all(isinstance(event, CaseFinished) for event in kept) else "--resume keeps what is no result"


def _flip(chance: random.Random, log: bytes) -> bytes:
    """Some bytes are others."""
    changed = bytearray(log)
    for _ in range(chance.randrange(1, 8)):
        changed[chance.randrange(len(changed))] = chance.choice([*_BYTES, chance.randrange(256)])
    return bytes(changed)


def _cut(chance: random.Random, log: bytes) -> bytes:
    """Some bytes are missing, perhaps all up to the end."""
    begin, end = sorted((chance.randrange(len(log)), chance.randrange(len(log))))
    return log[:begin] + chance.choice((b"", log[end:]))


def _mix(chance: random.Random, log: bytes) -> bytes:
    """Lines are missing, there twice, or at another place."""
    lines = log.splitlines(keepends=True)
    for _ in range(chance.randrange(1, 4)):
        line = lines.pop(chance.randrange(len(lines)))
        for _ in range(chance.randrange(3)):
            lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _insert(chance: random.Random, log: bytes) -> bytes:
    """There are bytes in between that nobody has written."""
    place = chance.randrange(len(log))
    return log[:place] + chance.randbytes(chance.randrange(1, 100)) + log[place:]


def _replace(chance: random.Random, log: bytes) -> bytes:
    """A value somewhere in a line is an odd one."""
    lines = log.splitlines()
    number = chance.randrange(len(lines))
    event = json.loads(lines[number])
    _put(chance, event)
    lines[number] = json.dumps(event).encode()
    return b"\n".join(lines) + b"\n"


def _put(chance: random.Random, event: dict[str, Any]) -> None:
    key = chance.choice(list(event))
    if isinstance(event[key], dict) and event[key] and chance.random() < 0.8:
        _put(chance, event[key])
    else:
        event[key] = chance.choice(_ODD)


def _nest(chance: random.Random, log: bytes) -> bytes:
    """A value is deeper than a report can follow, or any reader."""
    lines = log.splitlines()
    number, depth = chance.randrange(len(lines)), chance.choice(_DEPTHS)
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    lines[number] = lines[number].replace(b'"a rule"', deep).replace(b'"run_started"', deep)
    return b"\n".join(lines) + b"\n"


DAMAGES: Final[dict[str, Damage]] = {
    "bytes changed": _flip,
    "bytes missing": _cut,
    "lines mixed": _mix,
    "bytes inserted": _insert,
    "values replaced": _replace,
    "values nested": _nest,
}


LOGS: Final = Attack("damaged logs", damage, 20, 2000, "a report, or a message that says where")
