"""``result.json``: the verdict of a run as an in-toto statement, which existing tools can sign, and its verification.

:func:`write_statement` writes it at the end of a run; ``nnvet verify`` reads it with :func:`read_statement` and calls
:func:`mismatches`. The statement names the log, the corpus and, if it is a file, the driver by their SHA-256.
Everything else follows from the log (:func:`predicate_of`), so that a reader can rebuild it and compare. The results of
profiles come from :mod:`nnvet.conformance.profiles.evaluation`. docs/profiles.md has the fields. The format is that of
https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace as replace_field
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.profiles.evaluation import profile_results
from nnvet.reports.events import Verdict
from nnvet.reports.files import MALFORMED, read_file, replace_file
from nnvet.reports.log import FILE_NAME, Log, LogError
from nnvet.reports.outcome import judge

NAME: Final = "result.json"
"""Name of the file in the folder of a run."""
TYPE: Final = "https://in-toto.io/Statement/v1"
"""Type of all in-toto statements of version 1."""
PREDICATE: Final = "urn:nnvet:conformance:v1"
"""Type of the predicate, which is nnvet's own."""
CORPUS: Final = "nnvet corpus"
"""Name of the subject that stands for the bundled specs."""
_DRIVER: Final = "driver "
"""Beginning of the name of the subject that stands for the driver's file."""
_BLOCK: Final = 1 << 20
"""Bytes that are read at a time."""
_SHOWN: Final = 160
"""Most characters of a field that are shown if it does not match."""


class StatementError(Exception):
    """A statement cannot be read; the text says why."""


class StatementSubject(msgspec.Struct, frozen=True):
    """A file or the corpus, identified by its digest."""

    name: str
    digest: dict[str, str]


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto statement, version 1; docs/profiles.md has the fields of ``predicate``."""

    type: str = msgspec.field(name="_type")
    subject: tuple[StatementSubject, ...]
    predicate_type: str = msgspec.field(name="predicateType")
    predicate: dict[str, Any]

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 by the name of the subject."""
        return {part.name: part.digest.get("sha256", "") for part in self.subject}


def write_statement(log: Log, folder: Path) -> Path:
    """Write the statement of a log into a folder.

    :raises LogError: it cannot be written, or a file that it is about cannot be read.
    """
    path = folder / NAME
    try:
        driver = driver_file(log.started.driver.selector)
        subject = [_make_subject(FILE_NAME, digest_of(log.path)), _make_subject(CORPUS, corpus_digest())]
        subject += [_make_subject(f"{_DRIVER}{driver.name}", digest_of(driver))] if driver else []
        statement = Statement(TYPE, tuple(subject), PREDICATE, predicate_of(log))
        replace_file(path, msgspec.json.format(msgspec.json.encode(statement), indent=2) + b"\n")
    except OSError as error:
        raise LogError(f"{path}: cannot write the statement ({error.strerror or error}); the log is whole") from error
    return path


def read_statement(path: Path) -> Statement:
    """Read a statement.

    :raises StatementError: it cannot be read, or nnvet did not write it.
    """
    try:
        statement = msgspec.json.decode(read_file(path), type=Statement)
    except OSError as error:
        raise StatementError(f"{path}: cannot read the statement ({error.strerror or error})") from error
    except MALFORMED as error:
        raise StatementError(f"{path}: no in-toto statement: {error}; give the result.json of a run") from error
    if len(statement.digests) < len(statement.subject):
        raise StatementError(f"{path}: two subjects have one name; give the result.json of a run")
    if (statement.type, statement.predicate_type) != (TYPE, PREDICATE):
        raise StatementError(f"{path}: a {statement.predicate_type or 'statement'}, but {PREDICATE} is wanted")
    return statement


def mismatches(statement: Statement, log: Log, driver: str = "") -> Iterator[str]:
    """Yield the parts of a statement that contradict the log, this nnvet's corpus or the driver's file.

    ``driver`` is the selector of the driver to compare. If it is empty, the log's selector is used; its file may have
    moved.

    :raises OSError: a file cannot be read.
    """
    digests = statement.digests
    yield from _compare_digests(FILE_NAME, digests.get(FILE_NAME, ""), digest_of(log.path))
    yield from _compare_digests(CORPUS, digests.get(CORPUS, ""), corpus_digest())
    stated = next((part for part in statement.subject if part.name.startswith(_DRIVER)), None)
    file = driver_file(driver or log.started.driver.selector)
    if stated is None and driver and file is not None:
        yield f"{file}: the statement has no digest of a driver"
    elif stated is not None and file is not None:
        yield from _compare_digests(str(file), stated.digest.get("sha256", ""), digest_of(file))
    elif stated is not None and driver:
        yield f"{driver}: not a file, but the statement is about {stated.name}"
    footer = log.finished
    if footer is not None:
        footer = replace(footer, profiles=profile_results(log, footer.problems, cut_short=footer.cut_short))
    rebuilt = predicate_of(replace_field(log, finished=footer))
    for key in sorted(statement.predicate.keys() | rebuilt.keys()):
        said, found = statement.predicate.get(key), rebuilt.get(key)
        if said != found:
            yield f"{key}: the statement says {_shorten(said)}, the log {_shorten(found)}"


def checks_driver(statement: Statement, log: Log, driver: str = "") -> bool:
    """Return True if the statement names a driver's file, and that file exists here."""
    return any(name.startswith(_DRIVER) for name in statement.digests) and bool(
        driver_file(driver or log.started.driver.selector)
    )


def predicate_of(log: Log) -> dict[str, Any]:
    """Return the statement's predicate about a run, as plain values that all come from the log."""
    run, footer, judgement = log.started, log.finished, judge(log)
    waived: defaultdict[str, list[str]] = defaultdict(list)
    for result in log.results.values():
        if result.verdict is Verdict.WAIVED:
            waived[str(result.evidence.get("waiver", ""))].append(result.case)
    counts = Counter(result.verdict for result in log.results.values())
    said = {
        "suiteVersion": run.suite_version,
        "command": run.command,
        "time": run.time,
        "driver": {key: getattr(run.driver, key) for key in ("selector", "name", "version", "feature_level")},
        "level": run.level,
        "selection": run.selection,
        "shard": run.shard,
        "options": run.options,
        "seed": run.seed,
        "waivers": {"files": {} if footer is None else footer.waivers, "waived": waived},
        "counts": {verdict: counts[verdict] for verdict in Verdict if counts[verdict]},
        "wantedProfiles": () if footer is None else footer.wanted,
        "profiles": [asdict(profile) for profile in (() if footer is None else footer.profiles)],
        "exitCode": None if footer is None else footer.exit_code,
        "verdict": {"outcome": judgement.outcome, "sentence": judgement.headline, "causes": judgement.causes},
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(said))
    return plain


def driver_file(selector: str) -> Path | None:
    """Return the file that a selector names: a library, delegate, program or Python file; None if it names none."""
    kind, _, arguments = selector.partition(":")
    options = dict(part.partition("=")[::2] for part in arguments.split(","))
    words = _split_words(arguments) if kind == "exec" else []
    place = {
        "ndk": arguments.partition("#")[0],
        "sl": arguments.partition("#")[0],
        "python": arguments.rpartition(":")[0],
        "litert": options.get("delegate", ""),
        # An interpreter is found by the search path, the program that it runs is a file.
        "exec": next((word for word in words if Path(word).is_file()), "") or shutil.which(next(iter(words), "")) or "",
    }.get(kind, "")
    path = Path(place)
    return path if place and path.is_file() else None


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file.

    :raises OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@cache
def corpus_digest() -> str:
    """Return the SHA-256 of a list of the bundled specs, sorted by path, with lines as ``sha256sum`` writes them."""
    files = sorted(path for path in BUNDLED_SPECS.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    lines = (f"{digest_of(path)}  {path.relative_to(BUNDLED_SPECS).as_posix()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _make_subject(name: str, digest: str) -> StatementSubject:
    """Return a subject with its SHA-256."""
    return StatementSubject(name, {"sha256": digest})


def _compare_digests(name: str, stated: str, found: str) -> Iterator[str]:
    """Yield a message if a digest differs from the stated one."""
    if stated != found:
        yield f"{name}: its SHA-256 is {found}, the statement is about {stated or 'none'}"


def _split_words(command: str) -> list[str]:
    """Return the words of a command; none if its quotes do not match."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _shorten(value: object) -> str:
    """Return a value as a text of limited length."""
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
