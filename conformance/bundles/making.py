"""Bundles, made by running the selected cases on a device that records them; programs that run the files lie beside.

``nnvet bundle`` calls :func:`make_bundle`; :mod:`nnvet.conformance.bundles.recording` has the device. The engine runs
one case after the other, and each case needs its answer at once. A driver that is a command may take many executions at
a time: :func:`run_ahead` records the cases first, runs the command on all of them, and gives the run a driver that
knows the answers.
"""

from __future__ import annotations

import errno
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from nnvet.adapters.files.answers import KEY, BundleKey, read_bundle
from nnvet.adapters.files.command import FileCommand, is_done
from nnvet.adapters.files.command import run_cases as run_files
from nnvet.adapters.files.device import parse_arguments, with_answers
from nnvet.adapters.files.layout import FORMAT, FORMATS, MANIFEST, digest, file_format, write_manifest
from nnvet.adapters.selector import parse_selector
from nnvet.conformance.bundles import recording
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.nearest import explain_empty_selection
from nnvet.conformance.engine.runner import Plan
from nnvet.conformance.engine.saved_failures import test_of
from nnvet.conformance.engine.selection import Selection, SelectionError, check_of
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case
from nnvet.conformance.kit.outcome import Finished, Outcome
from nnvet.graphs.model import TestModel
from nnvet.reports.events import Verdict

FORMS: Final = (*FORMATS, recording.VectorForm.name)
"""Names of the forms of a bundle."""
USUAL: Final = "GeneratedTest/sync/*"
"""Default cases of a bundle: each model of the corpus once."""
_TEMPLATES: Final = Path(__file__).parent / "templates"
"""Folder of the programs that are copied into bundles."""
_RUNNERS: Final = {
    "tflite": {"runner.py": "runner_tflite.py.txt", "runner.c": "runner.c.txt"},
    "onnx": {"runner.py": "runner_onnx.py.txt", "runner.c": "runner.c.txt"},
    recording.VectorForm.name: {"runner.c": "runner.c.txt"},
}
"""Programs of a bundle by its form: name in the bundle, and template."""


@dataclass(frozen=True)
class Bundle:
    """Counts for one bundle: the suite's cases in it, the executions in files, and the cases left out, by reason."""

    tests: int
    executions: int
    left_out: Counter[str]


class _CaseTracker:
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
        raise SelectionError(
            f"{explain_empty_selection(catalogue, selection)}; a bundle holds cases that run a model alone"
        )
    making = _CaseTracker(cases)
    form: recording.BundleForm = (
        recording.VectorForm(making.test)
        if form_name == recording.VectorForm.name
        else recording.ModelForm(file_format(form_name))
    )
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(errno.EEXIST, "it is not empty; a bundle needs a new folder", str(folder))
    recorder = recording.BundleRecorder(form, folder)
    outcomes = _record(recorder, making, cases, selection.level)
    judged = [case for case, outcome in outcomes.items() if outcome.verdict is Verdict.UNSUPPORTED]
    # The other selected cases must not be judged later: their verdicts do not depend on the answers sent back.
    chosen = selection if len(judged) == len(listed) else Selection(judged, selection.level)
    _write_bundle(folder, recorder, chosen)
    reasons = Counter(
        outcome.reason for outcome in outcomes.values() if not outcome.reason.endswith(recording.RECORDED)
    )
    return Bundle(len(outcomes) - reasons.total(), len(recorder.cases), reasons)


def _record(
    recorder: recording.BundleRecorder, making: _CaseTracker, cases: Sequence[Case], level: int | None
) -> dict[str, Outcome]:
    """Run the cases on the recorder. A case that can be judged later ends as UNSUPPORTED here."""
    target = Target("recorder", in_process=True, level=level, factory=partial(recording.RecordingDevice, recorder))
    outcomes: dict[str, Outcome] = {}
    for event in run_cases(cases, target):
        making.current = event.case
        if isinstance(event, Finished):
            outcomes[event.case] = event.outcome
    return outcomes


def _write_bundle(folder: Path, recorder: recording.BundleRecorder, selection: Selection) -> None:
    """Write the list of executions, the programs and the key, by which answers are judged later."""
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


FOLDER: Final = "files"
"""Subfolder of a run's results that holds the bundle and the command's answers."""

ReportProgress = Callable[[int, int], None]
"""Callback for progress: the number of executions that have run, and the number of all."""


def run_left(command: FileCommand, folder: Path, batch: int, tell: ReportProgress) -> None:
    """Run the command, ``batch`` executions at a time, on those executions of a bundle that have no answer yet.

    :raises BundleError: the folder is no bundle.
    :raises OSError: there is no such program, or a file cannot be read or written.
    """
    manifest, _ = read_bundle(folder)
    left = [case for case in manifest.cases if not is_done(folder, case)]
    for start in range(0, len(left), batch):
        run_files(command, folder, manifest.models, left[start : start + batch])
        tell(min(start + batch, len(left)), len(left))


def run_ahead(plan: Plan, tell: ReportProgress) -> Plan:
    """Return the plan with a driver that has the answers to all executions that can be recorded before the run.

    The driver is of the kind ``files``. Executions that cannot be recorded still run one by one. The plan is returned
    unchanged if its driver takes one execution at a time, or if the plan has an endless series of cases.

    :raises SelectorError: the driver's command makes no sense.
    :raises OSError: there is no such program, or a file cannot be read or written.
    """
    selector = parse_selector(plan.target.selector)
    if not plan.conformance or plan.series:
        return plan
    parsed = parse_arguments(selector.arguments)
    if parsed.batch == 1:
        return plan
    folder = plan.out / FOLDER
    has_old = (folder / KEY).exists()
    if has_old and not plan.resume:
        shutil.rmtree(folder)
    if not has_old or not plan.resume:
        try:
            make_bundle(folder, parsed.form, plan.selection, Catalogue(plan.specs, plan.checks))
        except SelectionError:
            # None of the selected cases runs a model alone, so there is nothing to record.
            return plan
    run_left(parsed.command, folder, parsed.batch, tell)
    answered = replace(selector, arguments=with_answers(selector.arguments, folder.absolute()))
    return replace(plan, target=replace(plan.target, reached_by=str(answered)))
