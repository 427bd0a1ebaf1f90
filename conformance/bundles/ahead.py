"""Executions of a command in batches: before a run, which then finds their answers.

The engine runs one case after the other, and each wants its answer at once; so its cases run on a recorder first.
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
"""Folder in that of a run's results for what its command has answered."""

Tell = Callable[[int, int], None]
"""Hears how many executions have run, and of how many."""


def run_left(command: FileCommand, folder: Path, batch: int, tell: Tell) -> None:
    """Run the command on the executions of a bundle that nothing is known of, so many at a time.

    :raises BundleError: the folder is no bundle.
    :raises OSError: there is no such program, or a file cannot be read or written.
    """
    manifest, _ = read_bundle(folder)
    left = [case for case in manifest.cases if not is_done(folder, case)]
    for start in range(0, len(left), batch):
        run_cases(command, folder, manifest.models, left[start : start + batch])
        tell(min(start + batch, len(left)), len(left))


def run_ahead(plan: Plan, tell: Tell) -> Plan:
    """Return the plan, its driver with the answers to all executions that are known before; others run one by one.

    A plan whose driver takes one execution at a time, or which has cases without end, stays as it is. The driver is of
    the kind ``files``.

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
            # Nothing of it can be asked before.
            return plan
    run_left(parsed.command, folder, parsed.batch, tell)
    answered = replace(selector, arguments=with_answers(selector.arguments, folder.absolute()))
    return replace(plan, target=replace(plan.target, reached_by=str(answered)))
