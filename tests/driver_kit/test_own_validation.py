"""ValidationTest judges what a driver checks itself, once it has overridden the checks of the base classes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nnvet.conformance import check_driver
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model, Operation, OperationType, PrepareModelConfig, Request
from nnvet.reports.events import Verdict

SPEC = """
a, b, c = (kind(name, ("TENSOR_FLOAT32", [2])) for kind, name in ((Input, "a"), (Input, "b"), (Output, "c")))
model = Model("pairs").Operation("ADD", a, b, 0).To(c)
Example({a: [1, 2], b: [3, 4], c: [4, 6]}, model=model).DisableLifeTimeVariation()
"""


class _Sum(BasePreparedModel):
    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        return [inputs[0] + inputs[1]]


class _UncheckedSum(_Sum):
    def check_request(self, request: Request, *, unspecified_outputs: bool) -> None:
        pass


class Checked(BaseDevice):
    """Adds, and leaves all checks to the base classes."""

    prepared: type[_Sum] = _Sum

    def supports(self, model: Model, operation: Operation) -> bool:
        """ADD."""
        del model
        return operation.type == OperationType.ADD

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """A sum."""
        del config
        return self.prepared(model)


class UncheckedModels(Checked):
    """Takes invalid models."""

    def check_model(self, model: Model) -> None:
        """Nothing is wrong."""


class UncheckedConfigs(Checked):
    """Takes invalid configurations."""

    def check_config(self, config: PrepareModelConfig) -> None:
        """Nothing is wrong."""


class UncheckedRequests(Checked):
    """Takes invalid requests."""

    prepared = _UncheckedSum


@pytest.mark.parametrize(
    ("device", "verdict", "rules"),
    [
        (Checked, Verdict.PASS, {""}),
        (UncheckedModels, Verdict.FAIL, {"model/operand.type"}),
        (UncheckedConfigs, Verdict.FAIL, {"prepare/preference", "prepare/priority"}),
        (UncheckedRequests, Verdict.FAIL, {"execution/invalid"}),
    ],
)
def test_who_checks_nothing_is_found(
    device: type[BaseDevice], verdict: Verdict, rules: set[str], tmp_path: Path
) -> None:
    """A driver that turns one check off and has none of its own fails by what it takes."""
    spec = tmp_path / "pairs.mod.py"
    spec.write_text(SPEC)
    found = check_driver(device, specs=(spec,), checks=False, full=True, only=("ValidationTest/Test/*",))
    (result,) = found.log.results.values()
    assert result.verdict is verdict
    assert (result.rule or "") in rules
