"""Options of the project's own tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rule_recorder import RuleRecorder


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the recording of rules."""
    parser.addoption("--record-rules", type=Path, default=None, help="write how many tests meet each rule")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to record before the tests import anything."""
    file = config.getoption("--record-rules")
    if file is not None:
        recorder = RuleRecorder(file)
        recorder.watch()
        config.pluginmanager.register(recorder)


@pytest.fixture(scope="session", autouse=True)
def _driver_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Drivers keep what outlives them where the tests do not meet the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NNVET_DRIVER_STATE", str(tmp_path_factory.mktemp("driver-state")))
        yield
