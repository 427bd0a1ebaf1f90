"""Models of the HAL written as TFLite files mean the same: read again, they compute what they computed before.

Expected values are those of the bundled specs (the oracle's, or by hand), and LiteRT's for whole networks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nnvet.adapters.litert.writing import InexpressibleError, tflite_file
from nnvet.conformance.engine.selection import BUNDLED_SPECS, spec_files
from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.importer import import_model
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel
from tests.adapters.tflite_forms import written
from tests.formats.runtimes import run_on_driver, run_on_litert
from tests.models.toys.networks import mobilenet_v1, mobilenet_v2

Array = np.ndarray[Any, Any]
EVERY = 6
"""One spec of so many is enough to have most operations, types and layouts."""
READ_AGAIN = 120
"""At least so many cases have to make the whole way, so that refusals cannot hide errors."""


def cases() -> Iterator[TestModel]:
    """The first cases of some of the bundled specs, those of valid models."""
    for file in spec_files([BUNDLED_SPECS])[::EVERY]:
        for case in load_spec(file.path)[:3]:
            test = case.build()
            if not test.expect_failure:
                yield test


def is_readable(data: bytes) -> bool:
    """Return True if the reader takes the file, too; not all that TFLite can say has a form in NNAPI.

    Files with states begin with zeros, specs with others: see test_tflite_recurrent.
    """
    try:
        with import_model(data) as imported:
            return not imported.states
    except ModelFileError:
        return False


def values(operands: list[Any]) -> list[Array]:
    """Data of operands in their shapes."""
    return [np.asarray(operand.data).reshape(operand.dimensions) for operand in operands]


def allowed(expected: Array) -> float:
    """Return the allowed error of results: rounding errors of sums, a code, nothing."""
    if expected.dtype.kind == "f":
        epsilon = 2e-5 if expected.dtype == np.float32 else 2e-2
        return float(epsilon * max(1.0, np.nanmax(np.abs(expected.astype(np.float64)), initial=0)))
    return 1 if expected.dtype.itemsize == 1 else 0


def test_cases_of_specs_mean_the_same() -> None:
    """HAL to TFLite to HAL: the results are those that the specs expect."""
    count = 0
    for test in cases():
        data = written(test)
        if not data or not is_readable(data):
            continue
        count += 1
        (results,) = run_on_driver(data, [values(test.main.inputs)])
        for result, expected in zip(results, values(test.main.outputs), strict=True):
            actual = result.reshape(expected.shape).astype(np.float64)
            np.testing.assert_allclose(actual, expected, rtol=0, atol=allowed(expected), err_msg=test.name)
    assert count >= READ_AGAIN


@pytest.mark.parametrize("quantized", [False, True], ids=["float", "uint8"])
@pytest.mark.parametrize("network", [mobilenet_v1, mobilenet_v2])
def test_whole_networks_mean_the_same(network: Any, quantized: bool) -> None:
    """TFLite to HAL to TFLite: LiteRT gives the same for both files, bit by bit."""
    data = network(quantized=quantized)
    with import_model(data) as imported:
        again = tflite_file(imported.model)
        (ends,) = imported.inputs
    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, ends.shape, np.uint8) if quantized else rng.normal(0, 1, ends.shape).astype("f4")
    for before, after in zip(run_on_litert(data, [[image]])[0], run_on_litert(again, [[image]])[0], strict=True):
        np.testing.assert_array_equal(before, after)


def test_what_has_no_form_is_refused_with_the_operation() -> None:
    """The message names the operation and why."""
    (file,) = [file for file in spec_files([BUNDLED_SPECS]) if file.path.endswith("quantized_lstm_cells.mod.py")]
    model = build_model(load_spec(file.path)[0].build())
    with pytest.raises(
        InexpressibleError, match="operation 0 QUANTIZED_LSTM has no form in TFLite: TFLite adds biases"
    ):
        tflite_file(model)
    close_pools(model)
