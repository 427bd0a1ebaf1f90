"""The bundled corpus on the bundled driver: all of it passes, however the driver is reached."""

from collections import Counter
from pathlib import Path

import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.runner import Plan, RunWatcher, execute_plan
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection
from nnvet.conformance.engine.target import Target
from nnvet.generators.specs import find_specs, load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.validation import required_level
from nnvet.reports.diff import equal_apart_from_timings
from nnvet.reports.log import Log

SYNC = Selection(
    ("GeneratedTest/sync/*", "Generated*/*/*invalid*", "InfiniteLoopTimeoutTest/sync/*", "GeneratedValidationTest/*")
)


def run(out: Path, *, in_process: bool) -> Log:
    """Log of a run over the corpus."""
    plan = Plan(Target("reference", in_process=in_process), out, selection=SYNC, checks=False)
    return execute_plan(plan, RunWatcher())


@pytest.mark.long
def test_service_and_in_process_agree(tmp_path: Path) -> None:
    """Every case passes in the service process and in this process, and the logs are equal apart from timings."""
    logs = [run(tmp_path / str(in_process), in_process=in_process) for in_process in (False, True)]
    for log in logs:
        assert Counter(result.verdict.value for result in log.results.values()).keys() == {"PASS"}
    assert len(logs[0].results) > 5000
    assert equal_apart_from_timings(*logs)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", find_specs(BUNDLED_SPECS), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_computed_levels_are_those_of_the_specs(path: Path) -> None:
    """The validator computes exactly the level that a spec's folder or version names (as CTS' compliance test)."""
    for case in load_spec(path):
        if case.expect_failure or case.min_supported_version is None:
            continue
        model = build_model(case.build())
        try:
            assert required_level(model) == case.min_supported_version, case.name
        finally:
            close_pools(model)


def test_ids_are_unique() -> None:
    """No two cases of the corpus have the same id, and none has to be distinguished by its folder."""
    cases = list(Catalogue([BUNDLED_SPECS], with_checks=True).cases(Selection(full=True)))
    assert len({case.id for case in cases}) == len(cases)
    assert not [case.id for case in cases if "@" in case.id]
