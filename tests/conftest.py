"""Options of the project's own tests."""

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
