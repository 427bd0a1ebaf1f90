"""Variations of an example that leave values alone: the common base, default, relaxed, placement of operands.

Source: docs/contract/spec-format.md 7. A variation replaces operands of a model that is a copy made for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Self

from nnvet.generators.specs.model import SpecModel, SubgraphReference
from nnvet.generators.specs.naming import Registry
from nnvet.generators.specs.operands import Input, Internal, Output, Parameter, SpecOperand

_RELOCATABLE: Final = frozenset(
    ("TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED")
)
_MAXIMUM_RANK: Final = 4


class SkipVariation(Exception):  # noqa: N818 - no error: the combination does not exist
    """The variation has nothing to do for this model; the combination is left out."""


def known(what: str, value: str, table: dict[str, Any]) -> str:
    """Lower-case form of a word of the language.

    :raises ValueError: ``table`` does not have it; the message lists what it has.
    """
    if value.lower() not in table:
        raise ValueError(f"there is no {what} {value!r}; it is one of {', '.join(table)}")
    return value.lower()


class ModelVariation:
    """Base of all variations. ``targets`` maps operands to what the variation shall do with each.

    ``is_lifetime_variant`` and ``adds_placeholders`` are traits of the tests that it makes, see
    :class:`nnvet.generators.graphs.model.Traits`.
    """

    supports_subgraphs: ClassVar[bool] = False
    is_lifetime_variant: ClassVar[bool] = False
    adds_placeholders: ClassVar[bool] = False

    def __init__(self, name: str | None = None) -> None:
        """Take the name that becomes a part of test names; None is the default name."""
        self.name = name
        self.targets: dict[SpecOperand, Any] = {}

    def Identify(
        self,
        operands: Iterable[SpecOperand] | Mapping[SpecOperand, Any],
        paramArgs: Any = None,  # noqa: ARG002 - part of the language, without effect
    ) -> Self:
        """Say which operands to vary; a mapping also says how."""
        self.targets = dict(operands) if isinstance(operands, Mapping) else dict.fromkeys(operands)
        return self

    def default_name(self) -> str:
        """Name where the spec gives none."""
        return ""

    def apply(self, model: SpecModel) -> None:
        """Vary ``model``.

        :raises SkipVariation: there is nothing to vary.
        :raises ValueError: a target is missing, or not of a kind that this variation can change.
        """
        if not self.supports_subgraphs and any(type(op) is SubgraphReference for op in model.operands.values()):
            raise ValueError(f"{type(self).__name__} cannot vary a model with subgraphs")
        for operand, argument in self.targets.items():
            model.operands[operand.name] = self.varied(model.find(operand), argument)

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:  # noqa: ARG002 - for those that vary targets
        """Return one target as the variation changes it."""
        return operand


class DefaultVariation(ModelVariation):
    """The example as it is."""

    supports_subgraphs = True


class RelaxedModeConverter(ModelVariation):
    """Sets or clears the flag that lets float32 be computed in float16."""

    supports_subgraphs = True

    def __init__(self, isRelaxed: bool = True, name: str | None = None) -> None:
        """Take the flag."""
        super().__init__(name)
        self.is_relaxed = isRelaxed

    def default_name(self) -> str:
        """``relaxed`` or ``float``."""
        return "relaxed" if self.is_relaxed else "float"

    def apply(self, model: SpecModel) -> None:
        """Set the model's flag."""
        model.is_relaxed = self.is_relaxed


def _check_single_operation(model: SpecModel) -> None:
    if len(model.operations) != 1:
        raise SkipVariation


class AllTensorsAsInputsConverter(ModelVariation):
    """Turns constant tensors into inputs of the same value."""

    supports_subgraphs = True
    is_lifetime_variant = True

    def default_name(self) -> str:
        """``all_tensors_as_inputs``."""
        return "all_tensors_as_inputs"

    def apply(self, model: SpecModel) -> None:
        """Convert every Parameter (none of its relatives) that is a tensor with a value, even an empty one."""
        _check_single_operation(model)
        constants = [
            operand
            for operand in model.operands.values()
            if type(operand) is Parameter and operand.type.is_tensor and operand.value is not None
        ]
        if not constants:
            raise SkipVariation
        for operand in constants:
            model.operands[operand.name] = operand.converted(Input)


def _is_relocatable(operand: SpecOperand) -> bool:
    return operand.type.type in _RELOCATABLE and operand.type.rank <= _MAXIMUM_RANK and operand.has_values


def _renamed(operand: SpecOperand, kind: type[SpecOperand]) -> SpecOperand:
    """``X_new``: the operand's type and values under a new name."""
    twin = operand.converted(kind)
    twin.name = Registry.variables.unique(f"{operand.name}_new", "", 1)
    return twin


def _placeholder(operand: SpecOperand) -> Parameter:
    """A constant zero that can be added to the operand."""
    kind = operand.type
    return Parameter("placeholder", (kind.type, [1], kind.scale, kind.zero_point), [kind.zero_point])


class AllInputsAsInternalCoverter(ModelVariation):
    """Puts an addition of zero before every input that ADD can take."""

    supports_subgraphs = True
    is_lifetime_variant = True
    adds_placeholders = True

    def default_name(self) -> str:
        """``all_inputs_as_internal``."""
        return "all_inputs_as_internal"

    def apply(self, model: SpecModel) -> None:
        """Make each candidate internal; its new input comes behind all operands that were there."""
        _check_single_operation(model)
        candidates = [operand for operand in model.inputs if _is_relocatable(operand) and not operand.never_internal]
        if not candidates:
            raise SkipVariation
        for operand in candidates:
            source = _renamed(operand, Input)
            model.operands[operand.name] = internal = operand.converted(Internal)
            model.Operation("ADD", source, _placeholder(operand), 0).To(internal)


class AllOutputsAsInternalCoverter(ModelVariation):
    """Puts an addition of zero behind every output that ADD can take."""

    supports_subgraphs = True
    adds_placeholders = True

    def default_name(self) -> str:
        """``all_outputs_as_internal``."""
        return "all_outputs_as_internal"

    def apply(self, model: SpecModel) -> None:
        """Make each candidate internal; its new output is checked even where the old one was ignored."""
        _check_single_operation(model)
        candidates = [operand for operand in model.outputs if _is_relocatable(operand)]
        if not candidates:
            raise SkipVariation
        for operand in candidates:
            model.operands[operand.name] = internal = operand.converted(Internal)
            model.Operation("ADD", internal, _placeholder(operand), 0).To(_renamed(operand, Output))
