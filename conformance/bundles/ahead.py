"""Runs the command of a ``files:`` driver on all executions of a run in batches, before the run itself begins.

Starting the command once for every execution would be slow, but the engine runs one case after the other and each case
needs its answer at once. So the selected cases first run on a recorder (:mod:`nnvet.conformance.bundles.making`), the
command computes the recorded executions in batches, and the run then reads the answers from the bundle.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from nnvet.adapters.files.answers import KEY, read_bundle
from nnvet.adapters.files.command import FileCommand, is_done, run_cases
from nnvet.adapters.files.device import parse_arguments, with_answers
from nnvet.adapters.selector import parse_selector
from nnvet.conformance.bundles.making import make_bundle
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.runner import Plan
from nnvet.conformance.engine.selection import SelectionError

FOLDER: Final = "files"
"""Subfolder of a run's results that holds the bundle and the command's answers."""

Tell = Callable[[int, int], None]
"""Callback for progress: the number of executions that have run, and the number of all."""


def run_left(command: FileCommand, folder: Path, batch: int, tell: Tell) -> None:
    """Run the command, ``batch`` executions at a time, on those executions of a bundle that have no answer yet.

    :raises BundleError: the folder is no bundle.
    :raises OSError: there is no such program, or a file cannot be read or written.
    """
    manifest, _ = read_bundle(folder)
    left = [case for case in manifest.cases if not is_done(folder, case)]
    for start in range(0, len(left), batch):
        run_cases(command, folder, manifest.models, left[start : start + batch])
        tell(min(start + batch, len(left)), len(left))


def run_ahead(plan: Plan, tell: Tell) -> Plan:
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
