"""The class ``Example`` of spec files: values for the inputs and outputs of a model, and the variations of them.

``variations.py`` defines the variations, and ``case.py`` makes a named case of each.

Source: docs/contract/spec-format.md 6.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, ClassVar

from nnvet.generators.specs.model import SpecModel, check_version
from nnvet.generators.specs.operands import IgnoredOutput, SpecOperand
from nnvet.generators.specs.variations import (
    ALL_ACTIVATIONS,
    ActivationConverter,
    AxisConverter,
    DataLayoutConverter,
    DefaultVariation,
    ModelVariation,
    RelaxedModeConverter,
    to_variation,
)


class Example:
    """One or more data sets for a model. Every method that adds something returns the example.

    Data sets are pairs of dictionaries (inputs, outputs) or single dictionaries with both.
    """

    examples: ClassVar[list[Example]] = []
    version_overrides: ClassVar[dict[str, str | None]] = {}

    def __init__(self, *feeds: Any, model: SpecModel | None = None, name: str | None = None) -> None:
        """Attach data sets to ``model``, or to the model made last."""
        if model is None and not SpecModel.models:
            raise ValueError("an Example needs a Model made before it")
        self.model = SpecModel.models[-1] if model is None else model
        self.feeds = list(feeds)
        self.name = name
        self.groups: list[list[ModelVariation]] = []
        self.has_lifetime_variation = True
        self.expect_failure = False
        self.multinomial_tolerance = 0.0
        self.has_error_bounds = False
        caller = inspect.currentframe()
        self.line = caller.f_back.f_lineno if caller and caller.f_back else 0
        Example.examples.append(self)

    @staticmethod
    def SetVersion(ver: str | None, *testNames: str) -> None:
        """Override the version of tests by their full names; names of no test are ignored."""
        Example.version_overrides.update(dict.fromkeys(testNames, check_version(ver)))

    def AddVariations(self, *variations: Any, includeDefault: bool = True, defaultName: str | None = None) -> Example:
        """Add a group of alternatives: variation objects, or strings (with operands) that stand for them."""
        group = [to_variation(variation) for variation in variations]
        self.groups.append([DefaultVariation(defaultName), *group] if includeDefault else group)
        return self

    def AddNchw(self, *ops: SpecOperand, includeDefault: bool = True, defaultName: str | None = "nhwc") -> Example:
        """Add both data layouts."""
        variation = DataLayoutConverter("nchw").Identify(ops)
        return self.AddVariations(variation, includeDefault=includeDefault, defaultName=defaultName)

    def AddRelaxed(
        self, isRelaxed: bool = True, includeDefault: bool = True, defaultName: str | None = None
    ) -> Example:
        """Add relaxed execution."""
        return self.AddVariations(
            RelaxedModeConverter(isRelaxed), includeDefault=includeDefault, defaultName=defaultName
        )

    def AddRelu(self, *ops: SpecOperand, includeDefault: bool = True, defaultName: str | None = None) -> Example:
        """Add the activation RELU."""
        variation = ActivationConverter("relu").Identify(ops)
        return self.AddVariations(variation, includeDefault=includeDefault, defaultName=defaultName)

    def AddAllActivations(self, *ops: SpecOperand) -> Example:
        """Replace the example by one with each activation."""
        variations = [ActivationConverter(act).Identify(ops) for act in ALL_ACTIVATIONS]
        return self.AddVariations(*variations, includeDefault=False)

    def AddAxis(
        self,
        axis: int | Iterable[int],
        *ops: SpecOperand,
        includeDefault: bool = True,
        defaultName: str | None = None,
    ) -> Example:
        """Add the operation along other axes."""
        origin, dim = axis_and_rank(ops)
        places = ((origin, target, ()) for target in _listed(axis))
        return self._add_axes(places, ops, dim, includeDefault, defaultName)

    def AddAllPositiveAxis(self, *ops: SpecOperand) -> Example:
        """Replace the example by one along each axis counted from the front."""
        origin, dim = axis_and_rank(ops)
        return self._add_axes(((origin, target, ()) for target in range(dim)), ops, dim)

    def AddAllAxis(self, *ops: SpecOperand) -> Example:
        """Replace the example by one along each axis, counted from the end and from the front."""
        origin, dim = axis_and_rank(ops)
        return self._add_axes(((origin, target, ()) for target in range(-dim, dim)), ops, dim)

    def AddDims(
        self,
        nDims: int | Iterable[int],
        *ops: SpecOperand,
        includeDefault: bool = True,
        defaultName: str | None = None,
    ) -> Example:
        """Add the operation on tensors of lower ranks."""
        origin, dim = axis_and_rank(ops)
        places = ((origin, origin, _others(origin, dim)[: dim - rank]) for rank in _listed(nDims))
        return self._add_axes(places, ops, dim, includeDefault, defaultName)

    def AddAllDims(self, *ops: SpecOperand) -> Example:
        """Replace the example by one of each rank, from the highest down to 1."""
        origin, dim = axis_and_rank(ops)
        places = ((origin, origin, _others(origin, dim)[:dropped]) for dropped in range(dim))
        return self._add_axes(places, ops, dim)

    def AddAllDimsAndPositiveAxis(self, *ops: SpecOperand) -> Example:
        """Replace the example by one of each rank along each axis counted from the front."""
        origin, dim = axis_and_rank(ops)
        places = ((origin, target, range(dropped)) for dropped in range(dim) for target in range(dropped, dim))
        return self._add_axes(places, ops, dim)

    def AddAllDimsAndAxis(self, *ops: SpecOperand) -> Example:
        """Replace the example by one of each rank along each axis, counted both ways."""
        origin, dim = axis_and_rank(ops)
        places = (
            (origin, signed, range(dropped))
            for dropped in range(dim)
            for target in range(dropped, dim)
            for signed in (target, target - dim)
        )
        return self._add_axes(places, ops, dim)

    def DisableLifeTimeVariation(self) -> Example:
        """Leave out the variations that are added by default."""
        self.has_lifetime_variation = False
        return self

    def ExpectFailure(self) -> Example:
        """Expect preparation or execution to fail."""
        if self.multinomial_tolerance:
            raise ValueError("a multinomial distribution cannot be expected to fail")
        self.expect_failure = True
        return self

    def WithMultinomialDistributionTolerance(self, expectedTolerance: float) -> Example:
        """Check the distribution of the outputs instead of their values."""
        if self.expect_failure:
            raise ValueError("an example that is expected to fail has no distribution")
        self.multinomial_tolerance = expectedTolerance
        return self

    def WithErrorBounds(self) -> Example:
        """Judge the outputs by the oracle's error bounds; the oracle also supplies missing expected values."""
        if self.expect_failure or self.multinomial_tolerance:
            raise ValueError("what fails, or is a distribution, has no error bounds")
        self.has_error_bounds = True
        return self

    def _add_axes(
        self,
        places: Iterable[tuple[int, int, Iterable[int]]],
        ops: tuple[SpecOperand, ...],
        dim: int,
        include_default: bool = False,
        default_name: str | None = None,
    ) -> Example:
        variations = [AxisConverter(origin, target, dim, tuple(drop)).Identify(ops) for origin, target, drop in places]
        return self.AddVariations(*variations, includeDefault=include_default, defaultName=default_name)


def _listed(value: int | Iterable[int]) -> Iterable[int]:
    return (value,) if isinstance(value, int) else value


def _others(axis: int, rank: int) -> list[int]:
    return [other for other in range(rank) if other != axis]


def axis_and_rank(operands: Iterable[SpecOperand]) -> tuple[int, int]:
    """Return the axis that an INT32 operand among these names gives (default: the last one), and the others' rank.

    :raises ValueError: the ranks differ, there is no tensor, or the axis has no value.
    """
    axes = [operand for operand in operands if operand.type.type == "INT32"]
    ranks = {operand.type.rank for operand in operands if operand.type.type != "INT32"}
    if len(ranks) != 1:
        raise ValueError(f"operands to be moved along an axis must have one rank, not {sorted(ranks)}")
    (rank,) = ranks
    if not axes:
        return rank - 1, rank
    if axes[0].value is None or not len(axes[0].value):
        raise ValueError(f"axis operand {axes[0].name!r} has no value")
    axis = int(axes[0].value[0])
    return (axis + rank if axis < 0 else axis), rank


def feed(model: SpecModel, data_set: Any, *, only_inputs: bool = False) -> SpecModel:
    """Return a copy of ``model`` with the values of a data set; with ``only_inputs`` outputs may be missing.

    :raises ValueError: an input or output has no values (ignored outputs need none in pair form).
    :raises TypeError: the data set is neither a dictionary nor a pair.
    """
    fed = model.twin()
    is_pair = isinstance(data_set, (list, tuple))
    if not isinstance(data_set, dict) and not (is_pair and len(data_set) == 2):  # noqa: PLR2004 - a pair
        raise TypeError(f"a data set is a dictionary or a pair (inputs, outputs), not {type(data_set).__name__}")
    inputs, outputs = data_set if is_pair else (data_set, data_set)
    for source, operands, may_lack in ((inputs, fed.inputs, False), (outputs, fed.outputs, only_inputs)):
        for operand in operands:
            if isinstance(source, dict) and operand in source:
                fed.operands[operand.name] = operand.valued(source[operand])
            elif not isinstance(source, dict) or (is_pair and isinstance(operand, IgnoredOutput)):
                fed.operands[operand.name] = operand.valued(source)
            elif may_lack:
                fed.operands[operand.name] = operand.valued([])
            else:
                raise ValueError(f"the example has no values for operand {operand.name!r}")
    return fed
