"""Counts, while the tests run, how many of them meet each rule of the contract.

``pytest --record-rules FILE`` writes ``{rule: number of tests}``; ``nnvet rules`` shows the stored file.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from nnvet.conformance.engine import outcome
from nnvet.hal import errors
from nnvet.hal.operations import binding

_KEY = "rules"


class RuleRecorder:
    """A pytest plugin that watches errors, required levels and verdicts being made."""

    def __init__(self, file: Path) -> None:
        """Write to ``file`` when the session ends."""
        self._file = file
        self._current = ""
        self._met: dict[str, set[str]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Know which test runs."""
        self._current = item.nodeid
        try:
            return (yield)
        finally:
            self._current = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of pytest-xdist has met."""
        for rule, tests in getattr(node, "workeroutput", {}).get(_KEY, {}).items():
            self._met[rule].update(tests)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the counts, sorted by rule; a worker hands over the tests."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_KEY] = {rule: sorted(tests) for rule, tests in self._met.items()}
            return
        counts = {rule: len(tests) for rule, tests in sorted(self._met.items())}
        self._file.write_text(json.dumps(counts, indent=0) + "\n", encoding="utf-8")

    def meet(self, rule: str) -> None:
        """Count a rule for the test that runs."""
        if rule and self._current:
            self._met[rule].add(self._current)

    def watch(self) -> None:
        """Begin to watch this process."""
        plain_init, plain_level = errors.HalError.__init__, binding.required_level

        def init(error: errors.HalError, *arguments: Any, **named: Any) -> None:
            plain_init(error, *arguments, **named)
            self.meet(error.rule)

        def required_level(call: Any) -> tuple[int, str]:
            level, rule = plain_level(call)
            self.meet(rule)
            return level, rule

        plain_outcome = outcome.Outcome.__init__

        def outcome_init(one: outcome.Outcome, *arguments: Any, **named: Any) -> None:
            plain_outcome(one, *arguments, **named)
            self.meet(one.rule)

        errors.HalError.__init__ = init  # type: ignore[method-assign, assignment]
        outcome.Outcome.__init__ = outcome_init  # type: ignore[method-assign, assignment]
        # Modules that were imported before hold the plain function under names of their own.
        for module in list(sys.modules.values()):
            for name, value in list(vars(module).items()) if module else ():
                if value is plain_level:
                    setattr(module, name, required_level)
