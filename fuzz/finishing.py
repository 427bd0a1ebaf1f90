"""End of a job: inputs of findings are shortened, models reduced, and all kept as regressions."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.engine.reducing import Finding, save_search, search_on
from nnvet.conformance.engine.session import DriverLostError, Target
from nnvet.fuzz.configuration import ChildConfig, for_harness
from nnvet.fuzz.findings import FindingKind
from nnvet.fuzz.harness import Harness
from nnvet.fuzz.saved import INPUT, SavedFinding, saved
from nnvet.fuzz.shortening import shorten_in_process
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.reducer.evaluation import completed
from nnvet.generators.reducer.parts import NotReducibleError

MOST: Final = 8
"""So many findings are made small; the others stay as they are."""
_SECONDS: Final = 10.0
_EXECUTIONS: Final = 150
_FATAL_EXECUTIONS: Final = 20
"""After each of these that fails the driver's process is started anew."""
_FATAL: Final = (FindingKind.DEATH, FindingKind.HANG, FindingKind.MEMORY, FindingKind.SANITIZER)
"""Kinds that end the process, or take long, each time: such inputs stay as long as they are."""


def finish(config: ChildConfig, harnesses: Mapping[str, Harness], out: Path) -> dict[str, Path]:
    """Make what has been found small; the specs of what could be reduced, by the key of the finding.

    Specs are in ``out/failures``, as those of other failures are.
    """
    specs = {}
    for known, folder in list(saved(Path(config.findings)))[:MOST]:
        harness = harnesses.get(known.harness)
        if harness is None:
            continue
        file = folder / INPUT
        if known.kind not in _FATAL:
            guided = for_harness(config, harness.name, (), compares=False)
            shorten_in_process(guided, file, known.key, _SECONDS)
        test = harness.test_of(file.read_bytes())
        spec = None if test is None else reduced(test, known, config, out)
        if spec is not None:
            specs[known.key] = spec
    return specs


def reduced(test: TestModel, known: SavedFinding, config: ChildConfig, out: Path) -> Path | None:
    """The spec of the least test that fails on a finding's driver; None: the test does not fail there as it is run."""
    target = Target(known.driver, timeout_s=config.timeout_s, memory_limit=config.memory_mib << 20)
    case = f"Fuzz/{known.harness}/{known.key}"
    try:
        whole, _ = completed(test)
        search = search_on(target, whole, case, _FATAL_EXECUTIONS if known.kind in _FATAL else _EXECUTIONS)
        if search.reduction is None:
            return None
        found = save_search(search, Finding(whole, case, known.driver, search.first), out)
    except (NotReducibleError, SelectorError, DriverLostError, OSError):
        return None
    return None if found.files is None else found.files.spec


def keep(findings: Path, regressions: Path) -> int:
    """Copy the inputs of all findings to ``regressions/HARNESS/KEY``, where the shortest stays; how many there are.

    :raises OSError: they cannot be written.
    """
    count = 0
    for known, folder in saved(findings):
        place = regressions / known.harness
        place.mkdir(parents=True, exist_ok=True)
        file, kept = folder / INPUT, place / known.key
        if not kept.exists() or file.stat().st_size < kept.stat().st_size:
            shutil.copyfile(file, kept)
        count += 1
    return count
