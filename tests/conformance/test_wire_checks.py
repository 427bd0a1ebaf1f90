"""WireTest finds each service that breaks the protocol, by its rule, and no other."""

import sys
from pathlib import Path
from typing import Final

import pytest

from nnvet.conformance import check_driver
from tests.conformance import wire_services
from tests.conformance.wire_services import HEADERS, SERVICES

ONLY: Final = ("WireTest/*",)
FOUND: Final = {
    "later": {
        "WireTest/CommonVersion": "wire/version",
        "WireTest/NothingInCommon/protocol": "wire/version",
        "WireTest/NothingInCommon/version": "wire/version",
        "WireTest/NothingInCommon/no_version": "wire/version",
    },
    "protocol": {"WireTest/NothingInCommon/protocol": "wire/version"},
    "magic": {"WireTest/MalformedFrame/other_bytes_6_and_7": "wire/frame"},
    "descriptors": {"WireTest/MalformedFrame/a_descriptor_that_did_not_come": "wire/frame"},
    "method": {f"WireTest/RefusedCall/{call}": "wire/method" for call in ("unknown_method", "method_of_callbacks")},
    "object": {
        f"WireTest/RefusedCall/{call}": "wire/object" for call in ("unknown_object", "object_of_another_interface")
    },
    "arguments": {
        f"WireTest/RefusedCall/{call}": "wire/arguments"
        for call in ("too_few_arguments", "too_many_arguments", "argument_of_another_type")
    },
    "releases": {"WireTest/ReleaseOfNothing": "wire/release"},
    "fields": {"WireTest/UnknownField": "wire/fields"},
}


def selector(bug: str) -> str:
    """The driver of a wrong service."""
    return f"exec:{sys.executable} {Path(wire_services.__file__)} {bug}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bug", FOUND)
def test_wrong_services_fail_by_the_rule_that_they_break(bug: str) -> None:
    """And by no other."""
    checked = check_driver(selector(bug), only=ONLY, timeout_s=5)
    assert {failure.case: failure.rule for failure in checked.failures} == FOUND[bug]


def test_a_service_that_goes_on_with_whoever_is_malformed() -> None:
    """Its session has to end."""
    checked = check_driver(selector("goes_on"), only=("WireTest/MalformedFrame/no_msgpack",), timeout_s=5)
    assert [failure.rule for failure in checked.failures] == ["wire/frame"]


def test_right_services_pass() -> None:
    """The suite's own end breaks nothing; every bug is looked for."""
    checked = check_driver(selector("right"), only=ONLY, timeout_s=20)
    assert checked.faultless, checked
    assert {*FOUND, "right", "goes_on"} == {*SERVICES, *HEADERS}
