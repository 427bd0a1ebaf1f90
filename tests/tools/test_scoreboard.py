"""The drivers of ``make scoreboard``: nine of them, of which those that are not here are named."""

from __future__ import annotations

import pytest

from nnvet.adapters.selector import parse_selector
from tools.scoreboard import WEBGPU, contenders, missing


def test_there_are_nine_runtimes_and_back_ends() -> None:
    """With and without an environment for WebGPU, each by a selector that can be read."""
    for environment in ({}, {WEBGPU: "/somewhere/python"}):
        selectors = contenders(environment)
        assert len({*selectors}) == 9
        for selector in selectors:
            parse_selector(selector)


def test_what_is_not_here_has_a_reason() -> None:
    """A program that does not exist."""
    reasons = missing(["exec:/nowhere/program"])
    assert {*reasons} == {"exec:/nowhere/program"}
    assert "No such file" in reasons["exec:/nowhere/program"]


@pytest.mark.long
def test_what_is_here_is_not_missing() -> None:
    """The bundled driver is always there."""
    assert missing(["reference"]) == {}
