"""A driver that keeps what it has computed of inputs is found, an honest one passes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docs.examples.minimal_driver import AddDevice, AddModel
from nnvet.conformance.checking import check_driver
from nnvet.hal.types import Model, PrepareModelConfig

SPEC = Path(__file__).parents[2] / "conformance" / "specs" / "V1_0" / "add_float.mod.py"
CASES = "ConsistencyTest/AfterOtherInputs/*"


class Stale(AddDevice):
    """Every model gives the results of its first execution again."""

    def compile(self, model: Model, config: PrepareModelConfig) -> AddModel:
        """A prepared model that remembers."""
        kept: list[Sequence[Any]] = []

        class Remembering(AddModel):
            def compute(self, inputs: Sequence[Any]) -> Sequence[Any]:
                kept[:] = kept or [super().compute(inputs)]
                return kept[0]

        return Remembering(model)


@pytest.mark.parametrize("device", [AddDevice, Stale])
def test_results_of_other_inputs_are_not_given_again(device: type[AddDevice]) -> None:
    """Of the specs of ADD all pass, or, with the stale driver, some fail."""
    checked = check_driver(device, only=[CASES], specs=[SPEC], full=True)
    assert checked.faultless == (device is AddDevice), checked
    if device is Stale:
        assert {failure.rule for failure in checked.failures} == {"execution/output.value"}
