"""Suite ``Accuracy``: operations that round, executed on inputs that reveal a careless algorithm.

Each check makes its tests with :mod:`nnvet.generators.accuracy` and judges the outputs by error bounds. Reports also
grade the outputs by the positions that they keep (docs/positions.md). Operations that do not round are in
:mod:`nnvet.conformance.suites.accuracy.exact`.

Source: docs/contract/accuracy.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from nnvet.conformance.kit.bounded import bounded_manner, run_bounded
from nnvet.conformance.kit.checks import OUTPUT_RULES, check
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.accuracy.dot_products import (
    BUILDERS,
    IMAGE_CHANNELS,
    INPUT_SETS,
    KINDS,
    dot_product,
    image_convolution,
)
from nnvet.generators.accuracy.shaped_sums import SEEDS, SHAPES, shaped_sum
from nnvet.generators.accuracy.values import (
    FORMULAS,
    ValueTest,
    exhaustive_tests,
    formula_test,
    pair_tests,
    varied_tests,
)
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import OperandType, OperationType

SUITE: Final = "Accuracy"
"""The name of both modules' suite; an addition of this project."""
_MODEL_TEST: Final = bounded_manner(lambda make: make())
"""Lets nnvet run and reduce a failing test again; the argument of each case is the function that makes its test."""
_UNUSUAL: Final = ("lowest", "highest")
"""Positions of the zero point that the usual run leaves out: the ends of the range of codes."""

Make = Callable[[], TestModel]
"""Function that makes the test of a case: mostly a ``partial``, whose arguments ``usual`` and ``judges`` read."""


def _list_dot_products() -> Mapping[str, Make]:
    """Return the functions that make the tests of DotProduct, by the arguments of the cases."""
    return {
        f"{operation.name}.{kind}.{inputs}": partial(dot_product, operation, KINDS[kind], INPUT_SETS[inputs])
        for operation in BUILDERS
        for kind in KINDS
        for inputs in INPUT_SETS
    }


@check(
    SUITE,
    "DotProduct",
    rules=OUTPUT_RULES,
    parameters=_list_dot_products,
    usual=lambda make: make.args[1] == KINDS["float32"],
    judges=lambda make: (make.args[0], make.args[1].type),
    model_test=_MODEL_TEST,
)
def dot_products(subject: Subject, make: Make) -> Outcome:
    """Each sum is within its error bound; all errors together show neither a drift nor more noise than rounding."""
    return run_bounded(subject, make())


def _list_images() -> Mapping[str, Make]:
    """Return the functions that make the tests of ImageConvolution, by the arguments of the cases."""
    return {
        f"{operation.name}.{kind}.{channels}_channels": partial(image_convolution, operation, KINDS[kind], channels)
        for operation in (OperationType.CONV_2D, OperationType.DEPTHWISE_CONV_2D)
        for kind in KINDS
        for channels in IMAGE_CHANNELS
    }


@check(
    SUITE,
    "ImageConvolution",
    rules=OUTPUT_RULES,
    parameters=_list_images,
    usual=lambda make: make.args[1] == KINDS["float32"],
    judges=lambda make: (make.args[0], make.args[1].type),
    model_test=_MODEL_TEST,
)
def image_convolutions(subject: Subject, make: Make) -> Outcome:
    """Convolutions with 3 by 3 filters, for which drivers have less exact algorithms, are within their bounds."""
    return run_bounded(subject, make())


def _list_shaped_sums() -> Mapping[str, Make]:
    """Return the functions that make the tests of ShapedSums, by the arguments of the cases."""
    return {
        f"{name}.{kind}.{seed}": partial(shaped_sum, name, KINDS[kind], seed)
        for name in SHAPES
        for kind in KINDS
        for seed in range(SEEDS)
    }


@check(
    SUITE,
    "ShapedSums",
    rules=OUTPUT_RULES,
    parameters=_list_shaped_sums,
    usual=lambda make: make.args[1:] == (KINDS["float32"], 0),
    judges=lambda make: (SHAPES[make.args[0]].operation, make.args[1].type),
    model_test=_MODEL_TEST,
)
def shaped_sums(subject: Subject, make: Make) -> Outcome:
    """Sums are right for shapes by which drivers choose algorithms: windows, strides, paddings, groups, lengths."""
    return run_bounded(subject, make())


def _list_formulas() -> Mapping[str, Make]:
    """Return the functions that make the tests of Formulas, by the arguments of the cases."""
    return {
        f"{name}.{kind}.{values}": partial(formula_test, name, KINDS[kind], values)
        for name, formula in FORMULAS.items()
        for kind in KINDS
        for values in formula.sets
    }


@check(
    SUITE,
    "Formulas",
    rules=OUTPUT_RULES,
    parameters=_list_formulas,
    usual=lambda make: make.args[1] == KINDS["float32"],
    judges=lambda make: (FORMULAS[make.args[0]].operation, make.args[1].type),
    model_test=_MODEL_TEST,
)
def formulas(subject: Subject, make: Make) -> Outcome:
    """Norms, softmax and resized pixels are right on numbers that expose a careless order of steps."""
    return run_bounded(subject, make())


@check(
    SUITE,
    "EveryValue",
    rules=OUTPUT_RULES,
    parameters=lambda: {exhaustive_test.name: exhaustive_test for exhaustive_test in exhaustive_tests()},
    usual=lambda test: test.operation != OperationType.CAST and test.place not in _UNUSUAL,
    judges=lambda test: (test.operation, test.input),
    model_test=_MODEL_TEST,
)
def every_value(subject: Subject, make: ValueTest) -> Outcome:
    """Results are right for all 8-bit codes and all float16 numbers, and for thousands of float32 numbers."""
    return run_bounded(subject, make())


@check(
    SUITE,
    "OddPairs",
    rules=OUTPUT_RULES,
    parameters=lambda: {pair_test.name: pair_test for pair_test in pair_tests()},
    usual=lambda test: test.input == OperandType.TENSOR_FLOAT32,
    judges=lambda test: (test.operation, test.input),
    model_test=_MODEL_TEST,
)
def odd_pairs(subject: Subject, make: ValueTest) -> Outcome:
    """Results are right for zeros, subnormal numbers, infinities and NaN in both operands."""
    return run_bounded(subject, make())


@check(
    SUITE,
    "VariedPairs",
    rules=OUTPUT_RULES,
    parameters=lambda: {varied_test.name: varied_test for varied_test in varied_tests()},
    judges=lambda test: (test.operation, test.input),
    model_test=_MODEL_TEST,
)
def varied_pairs(subject: Subject, make: ValueTest) -> Outcome:
    """Operations of two operands that round are right on numbers of many magnitudes."""
    return run_bounded(subject, make())
