"""The wrong models of TestValidation are wrong as is meant and in nothing else, and the right ones are right."""

import pytest
from msgspec.structs import replace

from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.preparing import built_model
from nnvet.conformance.suites.validation.models import InvalidModels, broken, valid
from nnvet.hal.errors import HalError
from nnvet.hal.validation import validate_model

FIXTURES = {check.name: check.parameters() for check in checks().values() if check.body is broken and check.parameters}
RULES = {
    "Model/AddOperand": ["model/operand.scale", "model/operand.zero_point", "model/operand.dimensions.scalar"],
    "Model/SetOperandValue": ["model/operand.location.length"],
    "Model/SetOperandValueFromMemory": ["model/operand.location.length"] * 2 + ["model/operand.location.pool"] * 2,
    "Model/SetOperandValueFromAHardwareBuffer": ["model/operand.location.pool"],
    "Model/SetOperandValueFromAHardwareBufferBlob": ["model/operand.location.length"] * 2
    + ["model/operand.location.pool"] * 2,
    "Model/AddOperation": ["model/operation.type"],
    "Model/EmptyModel": ["model/operands.empty"],
    "Model/MissingWrite": ["model/order.read_before_write"],
    "Model/UnwrittenOperand": ["model/order.never_written"],
    "Model/MultipleWrite": ["model/order.written_once"],
    "Model/AddOperandDimensionProductOverflow": ["model/operand.dimensions.overflow"],
    "Identify/InputIsOutput": ["model/outputs.listed"],
    "Identify/OutputIsInput": ["model/inputs.listed"],
    "Identify/DuplicateInputs": ["model/inputs.listed"],
    "Identify/DuplicateOutputs": ["model/outputs.listed"],
    "ModelExtensions/AddOperand_UnknownPrefix": ["model/operand.type"],
    "ModelExtensions/SetOperandSymmPerChannelQuantParams_ExtensionOperand": ["model/operand.extra_params"],
    "ModelExtensions/SetOperandExtensionData_NonExtensionOperand": ["model/operand.extra_params"],
    "ModelExtensions/NamesAndPrefixesAreUnique": ["model/extension.unique", "model/extension.unique"],
}
"""Rules that each test breaks, read off the tests' descriptions in docs/contract/cts-tests.md 4.1."""


def test_every_test_is_in_the_table() -> None:
    """No test is without the rules that it breaks."""
    assert {f"{fixture}/{name}" for fixture, tests in FIXTURES.items() for name in tests} == RULES.keys()


@pytest.mark.parametrize("level", [4, 8])
@pytest.mark.parametrize("name", RULES)
def test_each_copy_breaks_the_rule_that_is_meant(name: str, level: int) -> None:
    """Each wrong copy breaks one rule; the model it is a copy of breaks none."""
    fixture, _, test = name.partition("/")
    invalid: InvalidModels = FIXTURES[fixture][test]
    with built_model(invalid.build(), level) as model:
        validate_model(model, level)
        found = []
        for _, wrong in invalid.broken(model):
            with pytest.raises(HalError) as error:
                validate_model(wrong, level)
            found.append(error.value.rule)
    assert found == RULES[name]


@pytest.mark.parametrize("name", ["Model/SetOptionalOperand", "Identify/Ok"])
def test_valid_models_are_valid(name: str) -> None:
    """Models that must be taken keep all rules at the level that they name."""
    (parameters,) = [check.parameters() for check in checks().values() if check.body is valid and check.parameters]
    test = parameters[name]()
    with built_model(test, 8) as model:
        assert validate_model(replace(model), test.min_supported_version) == test.min_supported_version
