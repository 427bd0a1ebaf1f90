"""Promises of a declaration, checked on whole calls: levels, broken rules, operands that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pytest

from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.rules import all_rules
from nnvet.hal.types import Model, Operand, Operation, Subgraph
from nnvet.hal.validation import required_level
from tests.single import run_single


@dataclass(frozen=True)
class Break:
    """A call that breaks one rule, and the status that an execution answers."""

    rule: str
    inputs: Sequence[Argument]
    outputs: Sequence[Argument]
    status: ErrorStatus = ErrorStatus.GENERAL_FAILURE

    @property
    def operation(self) -> OperationType:
        """The operation called; its name begins the rule's id."""
        return OperationType[self.rule.split("/")[0]]

    def check(self) -> None:
        """Break the rule: rules of models make the model invalid, others make the execution fail."""
        with pytest.raises(HalError) as caught:
            _validate_and_run(self.operation, self.inputs, self.outputs)
        known = all_rules().get(self.rule)
        status = ErrorStatus.INVALID_ARGUMENT if known and known.phase == "model" else self.status
        assert (caught.value.rule, caught.value.status) == (self.rule, status)


def level_of(operation: OperationType, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> int:
    """Feature level that a model of this one operation needs; raises what validation raises."""
    operands = (
        *(_operand(argument, OperandLifeTime.SUBGRAPH_INPUT) for argument in inputs),
        *(_operand(argument, OperandLifeTime.SUBGRAPH_OUTPUT) for argument in outputs),
    )
    given, made = tuple(range(len(inputs))), tuple(range(len(inputs), len(operands)))
    return required_level(Model(Subgraph(operands, (Operation(operation, given, made),), given, made)))


def rules_to_break(operations: Iterable[OperationType]) -> set[str]:
    """Ids of all rules declared for the operations, and of those on ranks that have a bound besides 1 and up."""
    wanted: set[str] = set()
    for operation in operations:
        declaration = declarations()[operation]
        wanted.update(rule.id for rule in declaration.rules)
        wanted.update(
            f"{operation.name}/{formal.name}.rank"
            for signature in declaration.signatures
            for formal in signature.inputs
            if formal.rank not in (None, (1, None))
        )
    return wanted


def _validate_and_run(operation: OperationType, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> None:
    level_of(operation, inputs, outputs)
    run_single(operation, inputs, outputs)


def _operand(argument: Argument, lifetime: OperandLifeTime) -> Operand:
    return Operand(
        argument.type,
        argument.dimensions,
        argument.scale,
        argument.zero_point,
        lifetime,
        extra_params=argument.channel_quant,
    )
