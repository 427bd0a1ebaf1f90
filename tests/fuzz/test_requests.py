"""Refusals of requests: a driver may refuse dimensions that cannot come of a model, and nothing else that is valid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

import msgspec
import pytest

from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.request import FuzzedRequest, RequestInput, subjects
from nnvet.fuzz.target import FuzzedDriver
from nnvet.hal.errors import invalid
from nnvet.hal.types import DataLocation, RequestArgument

RESULT = (4, 2, 4)
"""Dimensions of the one output of the model that is asked for: 32 floats, 128 bytes."""


def model_with_open_output() -> int:
    """Number of the model: the request may say the first two dimensions of its output."""
    (number,) = [
        number
        for number, (test, model) in enumerate(subjects())
        if [output.dimensions for output in test.main.outputs] == [RESULT]
        and model.main.operands[model.main.output_indexes[0]].dimensions == (0, 0, 4)
    ]
    return number


def refusing() -> RequestInput:
    """The harness on a driver that refuses every request."""

    def refuse(*_: Any) -> NoReturn:
        raise invalid("no", "execution/status")

    harness = RequestInput(FuzzedDriver(BaseDevice(), Target("reference", in_process=True)))
    harness._prepared[model_with_open_output()] = SimpleNamespace(execute_synchronously=refuse)  # type: ignore[assignment]
    return harness


def request_with(dimensions: tuple[int, ...]) -> bytes:
    """A request with these dimensions of the output."""
    inputs = (RequestArgument(location=DataLocation(0, 0, 32), dimensions=RESULT),)
    outputs = (RequestArgument(location=DataLocation(0, 256, 128), dimensions=dimensions),)
    return msgspec.msgpack.encode(FuzzedRequest(model_with_open_output(), inputs, outputs, (512,)))


@pytest.mark.parametrize("dimensions", [RESULT, (0, 2, 4), ()])
def test_a_refusal_of_what_comes_of_the_model_is_a_finding(dimensions: tuple[int, ...]) -> None:
    """Known dimensions, partly known ones and none are all right."""
    with pytest.raises(FuzzFinding) as caught:
        refusing()(request_with(dimensions))
    assert (caught.value.kind, caught.value.rule) == (FindingKind.REFUSED, "execution/status")


@pytest.mark.parametrize("dimensions", [(4, 1, 4), (0, 3, 4), (2**32 - 1, 0, 4)])
def test_dimensions_that_cannot_come_of_the_model_may_be_refused(dimensions: tuple[int, ...]) -> None:
    """The rules of requests have nothing against them: only who computes the shape can know."""
    refusing()(request_with(dimensions))
