"""The kind ``jax``: models run by XLA and are judged like those of any driver; wrong selectors are refused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from nnvet.adapters import SelectorError, create_device
from nnvet.conformance.checking import check_driver
from nnvet.hal.enums import DeviceType, OperandType, OperationType
from nnvet.hal.operations.catalogue import declarations
from nnvet.reports.events import Verdict
from tests.adapters.runtimes.binary_models import binary, computed, prepared

pytest.importorskip("jax", reason="needs the extra jax: pip install 'nnvet[jax]'")

CODES = OperandType.TENSOR_QUANT8_ASYMM
CASES = (
    "GeneratedTest/sync/conv2d_*layout_*nchw",
    "GeneratedTest/sync/topk_v2_basic_ties*",
    "GeneratedTest/sync/reduce_all_*",
    "GeneratedValidationTest/sync/gather_failures_*",
    "DynamicOutputShapeTest/sync_unspecified/reshape_*",
)


def test_no_case_fails() -> None:
    """Layouts, ties, truth values, indices beyond tables, unknown shapes: right where they are claimed."""
    checked = check_driver("jax", only=CASES)
    assert checked.faultless, checked


def test_every_operation_is_claimed_or_has_a_reason() -> None:
    """No operation of the contract is left out."""
    table = create_device("jax").table  # type: ignore[attr-defined]
    assert {*table.claims, *table.unclaimed} == set(OperationType) & set(declarations())
    assert len(table.claims) >= 80
    assert all(table.unclaimed.values())


def test_codes_are_computed_as_numbers_and_rounded_once() -> None:
    """Scales 1/2, 1/4 and 1: sums of 0.5, 1.25, 0.75 are 1; those of 0, 150 and 191.25 are themselves in codes."""
    model = prepared("jax", binary(OperationType.ADD, CODES, scales=(0.5, 0.25, 1.0)))
    assert computed(model, [0, 1, 1, 0, 250, 255], [2, 3, 1, 0, 100, 255], dtype="uint8") == [1, 1, 1, 0, 150, 191]


def test_a_device_says_what_it_is() -> None:
    """The processor, by JAX's name for it and its release."""
    device = create_device("jax:cpu:0")
    assert device.get_type() == DeviceType.CPU
    assert device.get_version_string().startswith("jax ")


def test_a_lower_precision_is_for_relaxed_models() -> None:
    """A platform that may compute floats with fewer bits does not claim a model that demands 32."""
    cases = ("GeneratedTest/sync/relu_float_rank4", "GeneratedTest/sync/relu_float_rank4_relaxed")
    results = check_driver("jax:precision=default", only=cases).log.results
    assert [results[case].verdict for case in cases] == [Verdict.UNSUPPORTED, Verdict.PASS]


def test_relaxed_models_get_the_type_that_was_asked_for() -> None:
    """1 + 2^-9 has one bit more than bfloat16: beside it the sum is 1, beside float32 it is itself."""
    model = replace(binary(OperationType.ADD), relax_computation_float32_to_float16=True)
    small = 2.0**-9
    assert computed(prepared("jax", model), [1.0], [small]) == [1.0 + small]
    assert computed(prepared("jax:relaxed=bfloat16", model), [1.0], [small]) == [1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("abacus", "jax:abacus': .*abacus"),
        ("cpu:9", "sees [1-9] devices of the platform cpu"),
        ("cpu:x", "'x' is not the number of a device"),
        ("half=bfloat16", "half is 'bfloat16'; choose float32, float16"),
        ("cpu,threads=2", "there is no option threads; there are precision, relaxed, half"),
    ],
)
def test_selectors_are_checked(arguments: str, message: str) -> None:
    """A mistake gives one message."""
    with pytest.raises(SelectorError, match=message):
        create_device(f"jax:{arguments}")
