"""The class ``Model`` of spec files, references to models from IF and WHILE, and operands made from plain values.

Source: docs/contract/spec-format.md 4.1, 5.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Final

from nnvet.generators.specs.operand_type import intern
from nnvet.generators.specs.operands import (
    BoolScalar,
    Float32Scalar,
    Float32Vector,
    Input,
    Int32Scalar,
    Int32Vector,
    Output,
    SpecOperand,
)
from nnvet.graphs.model import VERSIONS
from nnvet.hal.types import OperandLifeTime


class SpecOperation:
    """One operation: its HAL name and its operands."""

    def __init__(self, kind: str, inputs: list[SpecOperand]) -> None:
        """Start without outputs."""
        self.kind = kind
        self.inputs = inputs
        self.outputs: list[SpecOperand] = []


class SpecModel:
    """A graph under construction; a later Example belongs to the model made last."""

    models: ClassVar[list[SpecModel]] = []
    default_version: ClassVar[str | None] = None

    def __init__(self, name: str | None = None) -> None:
        """Start empty."""
        self.name = name
        self.operands: dict[str, SpecOperand] = {}
        self.operations: list[SpecOperation] = []
        self.is_relaxed = False
        self.version = SpecModel.default_version
        SpecModel.models.append(self)

    def AddOperand(self, operand: SpecOperand) -> SpecModel:
        """Add an operand unless it is there; operands are numbered in the order in which they come."""
        if not isinstance(operand, SpecOperand):
            raise TypeError(f"{operand!r} is not an operand")
        self.operands.setdefault(operand.name, operand)
        return self

    def AddOperation(self, operation: SpecOperation) -> SpecModel:
        """Add an operation with its operands."""
        self.operations.append(operation)
        return self._add([*operation.inputs, *operation.outputs])

    def Operation(self, kind: str, *inputs: Any) -> SpecModel:
        """Add an operation; plain numbers, lists and models among the inputs become constants and references."""
        return self.AddOperation(SpecOperation(kind, [to_operand(value) for value in inputs]))

    def To(self, *outputs: Any) -> SpecModel:
        """Set the outputs of the last operation: operands, or one list of them."""
        if not self.operations:
            raise ValueError("To() needs an operation before it")
        if len(outputs) == 1 and isinstance(outputs[0], (list, tuple)):
            outputs = tuple(outputs[0])
        self._add(outputs)
        self.operations[-1].outputs = list(outputs)
        return self

    def IdentifyInputs(self, *operands: SpecOperand) -> SpecModel:
        """Add operands that are the model's inputs, in this order."""
        self._add(operands)
        return self._check("inputs", self.inputs, operands)

    def IdentifyOutputs(self, *operands: SpecOperand) -> SpecModel:
        """Add operands that are the model's outputs, in this order."""
        self._add(operands)
        return self._check("outputs", self.outputs, operands)

    def RelaxedExecution(self, isRelaxed: bool) -> SpecModel:
        """Set whether float32 may be computed in float16."""
        self.is_relaxed = isRelaxed
        return self

    def IntroducedIn(self, ver: str | None) -> SpecModel:
        """Override the version that the file's folder gives; None is unknown."""
        self.version = check_version(ver)
        return self

    @property
    def inputs(self) -> list[SpecOperand]:
        """The model's inputs, in operand order."""
        return [operand for operand in self.operands.values() if isinstance(operand, Input)]

    @property
    def outputs(self) -> list[SpecOperand]:
        """The model's outputs, in operand order."""
        return [operand for operand in self.operands.values() if isinstance(operand, Output)]

    def find(self, operand: SpecOperand) -> SpecOperand:
        """Return this model's operand of the same name.

        :raises ValueError: the model has no operand of that name.
        """
        try:
            return self.operands[operand.name]
        except KeyError:
            raise ValueError(f"operand {operand.name!r} is not in the model") from None

    def twin(self, made: dict[int, SpecModel] | None = None) -> SpecModel:
        """Return a copy with its own referenced models, whose operands are shared but can be replaced."""
        made = {} if made is None else made
        twin = made[id(self)] = copy(self)
        twin.operands = dict(self.operands)
        twin.operations = list(self.operations)
        for name, operand in self.operands.items():
            if isinstance(operand, SubgraphReference):
                reference = twin.operands[name] = copy(operand)
                reference.model = made.get(id(operand.model)) or operand.model.twin(made)
        return twin

    def _add(self, operands: Any) -> SpecModel:
        for operand in operands:
            self.AddOperand(operand)
        return self

    def _check(self, what: str, actual: list[SpecOperand], expected: tuple[SpecOperand, ...]) -> SpecModel:
        if actual != list(expected):
            raise ValueError(f"the model's {what} are {actual}, not {list(expected)}")
        return self


class SubgraphReference(SpecOperand):
    """Another model as an operand of IF or WHILE; a model without a name gets the reference's."""

    lifetime = OperandLifeTime.SUBGRAPH

    def __init__(self, name: str, model: SpecModel) -> None:
        """Take a name and the model."""
        self.type = intern("SUBGRAPH", [])
        self._setup(name)
        self.model = model
        if model.name is None:
            model.name = str(name)


def check_version(version: str | None) -> str | None:
    """Return ``version`` if it is one of the known strings or None.

    :raises ValueError: the string is no known version.
    """
    if version is None or version in VERSIONS:
        return version
    raise ValueError(f"there is no version {version!r}; it is None or one of {', '.join(VERSIONS)}")


def _all_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(type(element) is kind for element in value)


def _exactly(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


_IMPLICIT: Final[tuple[tuple[Callable[[Any], bool], Callable[[str, Any], SpecOperand]], ...]] = (
    (_exactly(int), Int32Scalar),
    (_exactly(float), Float32Scalar),
    (_exactly(bool), BoolScalar),
    (_all_of(int), Int32Vector),
    (_all_of(float), Float32Vector),
    (lambda value: isinstance(value, SpecModel), SubgraphReference),
)
"""Python values allowed as operation inputs, tried in order; an empty list is a TENSOR_INT32."""


def to_operand(value: Any) -> SpecOperand:
    """Return an operation's input as an operand.

    :raises TypeError: the value cannot become an operand.
    """
    if isinstance(value, SpecOperand):
        return value
    for matches, make in _IMPLICIT:
        if matches(value):
            return make("param", value)
    raise TypeError(f"no operand can be made from {value!r} ({type(value).__name__})")
