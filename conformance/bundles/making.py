"""Writes a bundle: runs the selected cases on a device that records their executions, and adds the runner programs.

The device is in :mod:`nnvet.conformance.bundles.recording`, the layout of a bundle in
:mod:`nnvet.adapters.files.layout`. A runner is a program that the recipient of a bundle starts on the target; its
source is in ``templates/``. A new form of bundle needs an entry in ``_RUNNERS``.
"""

from __future__ import annotations

import errno
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from nnvet.adapters.files.answers import KEY, BundleKey
from nnvet.adapters.files.formats import FORMATS, file_format
from nnvet.adapters.files.layout import FORMAT, MANIFEST, digest, write_manifest
from nnvet.conformance.bundles.recording import (
    RECORDED,
    BundleForm,
    BundleRecorder,
    ModelForm,
    RecordingDevice,
    VectorForm,
)
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.checks import Case
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.nearest import nothing_selected
from nnvet.conformance.engine.outcome import Finished, Outcome
from nnvet.conformance.engine.saved_failures import test_of
from nnvet.conformance.engine.selection import Selection, SelectionError, check_of
from nnvet.conformance.engine.target import Target
from nnvet.generators.graphs.model import TestModel
from nnvet.reports.events import Verdict

FORMS: Final = (*FORMATS, VectorForm.name)
"""Names of the forms of a bundle."""
USUAL: Final = "GeneratedTest/sync/*"
"""Default cases of a bundle: each model of the corpus once."""
_TEMPLATES: Final = Path(__file__).parent / "templates"
_RUNNERS: Final = {
    "tflite": {"runner.py": "runner_tflite.py.txt", "runner.c": "runner.c.txt"},
    "onnx": {"runner.py": "runner_onnx.py.txt", "runner.c": "runner.c.txt"},
    VectorForm.name: {"runner.c": "runner.c.txt"},
}


@dataclass(frozen=True)
class Bundle:
    """Counts for one bundle: the suite's cases in it, the executions in files, and the cases left out, by reason."""

    tests: int
    executions: int
    left_out: Counter[str]


class _Making:
    """Tracks the case that is being recorded, so that a form which writes whole tests can ask for its test."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = {case.id: case for case in cases}
        self.current = ""

    def test(self) -> TestModel | None:
        """Return the test of the case under way."""
        return test_of(self._cases[self.current])


def make_bundle(folder: Path, form_name: str, selection: Selection, catalogue: Catalogue) -> Bundle:
    """Write a bundle into a new folder, with those selected cases of a catalogue that judge the outputs of a model.

    :raises SelectionError: there are no such cases.
    :raises MissingExtraError: the package that writes such files is not installed.
    :raises SpecError: a spec file has an error.
    :raises OSError: the folder exists and is not empty, or a file cannot be written.
    """
    listed = list(catalogue.cases(selection))
    cases = [case for case in listed if check_of(case).model_test is not None]
    if not cases:
        raise SelectionError(f"{nothing_selected(catalogue, selection)}; a bundle holds cases that run a model alone")
    making = _Making(cases)
    form: BundleForm = VectorForm(making.test) if form_name == VectorForm.name else ModelForm(file_format(form_name))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(errno.EEXIST, "it is not empty; a bundle needs a new folder", str(folder))
    recorder = BundleRecorder(form, folder)
    outcomes = _record(recorder, making, cases, selection.level)
    judged = [case for case, outcome in outcomes.items() if outcome.verdict is Verdict.UNSUPPORTED]
    # The other selected cases must not be judged later: their verdicts do not depend on the answers sent back.
    chosen = selection if len(judged) == len(listed) else Selection(judged, selection.level)
    _write(folder, recorder, chosen)
    reasons = Counter(outcome.reason for outcome in outcomes.values() if not outcome.reason.endswith(RECORDED))
    return Bundle(len(outcomes) - reasons.total(), len(recorder.cases), reasons)


def _record(recorder: BundleRecorder, making: _Making, cases: Sequence[Case], level: int | None) -> dict[str, Outcome]:
    """Run the cases on the recorder. A case that can be judged later ends as UNSUPPORTED here."""
    target = Target("recorder", in_process=True, level=level, factory=partial(RecordingDevice, recorder))
    outcomes: dict[str, Outcome] = {}
    for event in run_cases(cases, target):
        making.current = event.case
        if isinstance(event, Finished):
            outcomes[event.case] = event.outcome
    return outcomes


def _write(folder: Path, recorder: BundleRecorder, selection: Selection) -> None:
    write_manifest(folder, recorder.form.name, recorder.cases)
    for name, template in _RUNNERS[recorder.form.name].items():
        shutil.copyfile(_TEMPLATES / template, folder / name)
    key = BundleKey(
        FORMAT,
        version("nnvet"),
        digest((folder / MANIFEST).read_bytes()),
        tuple(selection.only),
        tuple(selection.operations),
        str(selection.shard),
        selection.level,
        recorder.executions,
        recorder.refused,
    )
    (folder / KEY).write_bytes(msgspec.json.format(msgspec.json.encode(key), indent=1))
