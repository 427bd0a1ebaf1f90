"""Files of a failing test that outlive its run: a spec, a test vector and pictures, with their origin.

:func:`save_failure` writes them, for runs (:class:`nnvet.conformance.engine.retesting.Keeper`), stress tests and the
reducer; :func:`provenance_of_spec` reads the origin again. The spec is for people and for tools that read Android's
language, the vector for harnesses in other languages (:mod:`nnvet.graphs.vector`), the TFLite file for viewers of
models such as Netron.

A user's spec is a program, and only the worker that runs its cases may execute it. So the worker sends the test of a
failing case along with its outcome, as data (:func:`test_to_send`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from nnvet.conformance.engine.selection import argument_of, check_of
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Outcome
from nnvet.diagnostics.graph_dump import GraphvizError, graph_dump, svg_of
from nnvet.formats.errors import MissingExtraError
from nnvet.generators.specs import SpecError, dump_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from nnvet.graphs.vector import write_vector
from nnvet.oracle.comparison import Tolerance
from nnvet.reports.events import DRIVER_FAULTS, CaseFinished
from nnvet.reports.files import replace_file
from nnvet.reports.fingerprint import fingerprint

FOLDER: Final = "failures"
"""Folder of saved failures in that of the results: one for each fingerprint."""
VECTOR: Final = "vector.json"
"""Name of the test vector in the folder of a failure."""
_PICTURE: Final = "graph.dot"
"""Name of the picture of the model, in Graphviz' language."""
_REMARK: Final = re.compile(r"# (\w+): (.*)")
"""Form of a comment at the beginning of a saved spec: name and value."""


class Provenance(msgspec.Struct, frozen=True):
    """Origin of a failing test. ``case`` is the id of a case; the test has to be executed and judged like that case.

    ``seed`` is the seed that the test was made from, if the id does not contain it; ``version`` is nnvet's.
    """

    case: str
    driver: str
    verdict: str
    rule: str
    reason: str = ""
    seed: str = ""
    version: str = version("nnvet")


class SavedFailure(NamedTuple):
    """Files of a failure; ``picture`` is in Graphviz' language, and there may be an SVG beside it.

    Beside the spec is a .tflite file of the same name, if TFLite can express the model and flatbuffers is installed.
    """

    spec: Path
    vector: Path
    picture: Path


def save_failure(
    folder: Path, test: TestModel, provenance: Provenance, tolerances: Sequence[Tolerance | None] = ()
) -> SavedFailure:
    """Write a test with its expected outputs into a folder NAME; the spec is called ``failure_NAME.mod.py``.

    ``tolerances`` are those of the outputs; None: no tolerance of single elements applies. The SVG is left out if
    Graphviz is not installed or fails.

    :raises OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W", "_", folder.name)
    saved = SavedFailure(folder / f"failure_{name}{SPEC_SUFFIX}", folder / VECTOR, folder / _PICTURE)
    known = {key: value for key, value in msgspec.to_builtins(provenance).items() if value}
    remarks = [f"{key}: {value}" for key, value in known.items()]
    remarks += [f"output {output}: {_describe_tolerance(tolerance)}" for output, tolerance in enumerate(tolerances)]
    replace_file(saved.spec, dump_spec(test, remarks=remarks))
    write_vector(saved.vector, test, tolerances, known)
    _draw(saved, test)
    return saved


def _describe_tolerance(tolerance: Tolerance | None) -> str:
    """Return the tolerance of an output's elements in words."""
    if tolerance is None:
        return "not compared element by element"
    bound = f"|actual - expected| <= {tolerance.absolute:.9g} + {tolerance.relative:.9g} * |expected|"
    return f"{bound} ({tolerance.source})"


@np.errstate(all="ignore")
def _draw(saved: SavedFailure, test: TestModel) -> None:
    """Write the picture of the model and, as far as it can be made, a TFLite file and an SVG."""
    # Imported late, because runs without a failure need no writer of TFLite files.
    from nnvet.adapters.litert.writing import TFLITE_SUFFIX, InexpressibleError, tflite_file  # noqa: PLC0415

    model = build_model(test)
    try:
        text = graph_dump(test.name, model, subgraphs=True)
        viewed = saved.spec.with_name(saved.spec.name.removesuffix(SPEC_SUFFIX) + TFLITE_SUFFIX)
        # A file of an earlier test must not stay.
        viewed.unlink(missing_ok=True)
        with suppress(InexpressibleError, MissingExtraError):
            content = tflite_file(model)
            replace_file(viewed, content)
    finally:
        close_pools(model)
    replace_file(saved.picture, text)
    svg = saved.picture.with_suffix(".svg")
    with suppress(GraphvizError):
        picture = svg_of(text)
        replace_file(svg, picture)


def provenance_of_spec(file: Path) -> Provenance | None:
    """Return the origin that the first comments of a saved spec state; None: it is no saved spec.

    :raises OSError: the file cannot be read.
    """
    lines: list[str] = []
    with file.open(encoding="utf-8", errors="replace") as text:
        for line in text:
            if not line.startswith("#"):
                break
            lines.append(line)
    return provenance_of(match.groups() for line in lines if (match := _REMARK.match(line)))


def provenance_of(known: Iterable[Sequence[str]]) -> Provenance | None:
    """Return the provenance that pairs of names and values state; None: something is missing."""
    fields = {key: value for key, value in known if key in Provenance.__struct_fields__}
    with suppress(msgspec.ValidationError):
        return msgspec.convert(fields, Provenance)
    return None


MOST_KEPT: Final = 20
"""Most fingerprints whose failures are kept, so that a driver that fails everywhere does not fill the disk."""


def fault_of(case: str, outcome: Outcome, labels: dict[str, Any]) -> str:
    """Return the fingerprint that the case's result will have."""
    return fingerprint(
        CaseFinished(case, outcome.verdict, outcome.rule, outcome.reason, outcome.evidence, labels=labels)
    )


def test_of(case: Case) -> TestModel | None:
    """Return the test that a case runs, with expected outputs; None: its check runs no model.

    :raises SpecError: its file is no valid spec any more.
    :raises ValueError: the expected outputs are not known.
    """
    model_test = check_of(case).model_test
    return None if model_test is None else model_test.test_of(argument_of(case))


def test_to_send(case: Case, outcome: Outcome, labels: dict[str, Any], sent: set[str]) -> TestModel | None:
    """Return the test of a failing spec case if its fingerprint is not in ``sent`` yet, and add it to ``sent``."""
    if case.spec is None or outcome.verdict not in DRIVER_FAULTS:
        return None
    name = fault_of(case.id, outcome, labels)
    if name in sent or len(sent) >= MOST_KEPT:
        return None
    sent.add(name)
    try:
        return test_of(case)
    except (SpecError, ValueError):
        # The failure is reported without its test.
        return None
