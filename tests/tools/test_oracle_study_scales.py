"""Scales of the study's models of codes: half-way between numbers of float16, results that fill the codes."""

import numpy as np
import pytest

from nnvet.generators.random_graphs.golden import compute_outputs
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from tools.oracle_study.models import StudyModel, make_models, move_between_halves, spread_over_codes
from tools.oracle_study.study import list_alarms, run_study

CODES = OperandType.TENSOR_QUANT8_ASYMM
EVERY = np.arange(256, dtype=np.uint8)


def unary(operation: OperationType, scale: float, zero_point: int) -> TestModel:
    """A function of all codes, its input of scale 1.3 and zero point 100."""
    graph = GraphBuilder()
    source = graph.input(CODES, (256,), EVERY, 1.3, 100)
    graph.operation(operation, (source,), graph.output(CODES, (256,), None, scale, zero_point))
    return graph.finish("unary", FeatureLevel.FL8)


@pytest.mark.parametrize(
    ("scale", "wanted"),
    # Numbers of float16 from 1 to 2 are 2^-10 apart: 1.3 = 1331.2 / 1024. Those below 1/8 are 2^-14 apart.
    [(1.3, 1331.5 / 1024), (0.1, 1638.5 / 2**14), (1.0, 1.0), (2.0**-8, 2.0**-8), (0.125, 0.125)],
)
def test_scales_lie_between_numbers_of_float16(scale: float, wanted: float) -> None:
    """Half-way, so that float16 is off as far as it can be; powers of two are kept."""
    assert move_between_halves(scale) == wanted


def test_results_fill_the_codes() -> None:
    """HARD_SWISH, x * clip(x / 6 + 1/2, 0, 1), reaches from -3/8 to 201: 155 steps of the input make 255."""
    test = spread_over_codes(unary(OperationType.HARD_SWISH, 1.0, 200))
    source, output = test.main.operands
    assert source.scale == 1331.5 / 1024
    assert output.scale == pytest.approx(1331.5 / 1024 * 155 / 255, rel=0.1)
    (codes,) = compute_outputs(test)
    assert int(codes.max()) - int(codes.min()) > 220


def test_what_an_operation_decides_is_kept() -> None:
    """The output of LOGISTIC has 1/256; its input gets a scale with which it is not all zeros and ones."""
    test = spread_over_codes(unary(OperationType.LOGISTIC, 2.0**-8, 0))
    source, output = test.main.operands
    assert (output.scale, output.zero_point) == (2.0**-8, 0)
    assert 1 / 16 < source.scale < 1 / 8
    assert np.unique(compute_outputs(test)[0]).size > 80


def test_codes_that_are_only_moved_keep_their_scale() -> None:
    """SLICE: its results are codes of its input, whatever they stand for."""
    found = {sample.subject: sample.test for sample in make_models(1, "uint8")}
    (operation,) = found["SLICE"].main.operations
    operands = found["SLICE"].main.operands
    assert operands[operation.outputs[0]].scale == operands[operation.inputs[0]].scale


def test_biases_have_the_product_of_the_scales() -> None:
    """Biases have the scales that the declarations demand; floats stay as they are."""
    found = {sample.subject: sample.test for sample in make_models(1, "uint8")}
    (convolution,) = found["CONV_2D"].main.operations
    image, weights, bias = (found["CONV_2D"].main.operands[place] for place in convolution.inputs[:3])
    assert bias.scale == np.float32(image.scale) * np.float32(weights.scale)
    floats = next(sample.test for sample in make_models(0, "float32") if sample.subject == "ADD")
    assert spread_over_codes(floats) is floats


def test_scales_in_float16_are_found() -> None:
    """Of functions whose results are spread over the codes, and without a false alarm."""
    subjects = ("HARD_SWISH", "LOGISTIC", "RSQRT")
    models: list[StudyModel] = [
        sample for seed in (1, 4) for sample in make_models(seed, "uint8") if sample.subject in subjects
    ]
    study = run_study(models)
    assert list_alarms(study) == []
    mutants = study.tallies["uint8", False, "bounds"].mutants
    assert all(mutants["input-scale-in-float16", subject] for subject in subjects)
