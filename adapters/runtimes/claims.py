"""Tables that say which operations a runtime computes as the contract says: for which types, under which conditions.

What is not claimed has a reason, for whole operations as for single types; ``docs/`` shows all of it.

Groups of types that tables of claims name, and the condition that codes can be moved as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument, Call

FLOATS: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
UNSIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM
SIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
BOTH_BYTES: Final = (UNSIGNED, SIGNED)
INTEGER: Final = OperandType.TENSOR_INT32
BOOLEAN: Final = OperandType.TENSOR_BOOL8


def element_name(code: int) -> str:
    """NumPy's name of a runtime's elements for an operand type; truth values are bytes in the HAL."""
    return "bool" if code == BOOLEAN else type_info(code).dtype


def same_codes(*names: str) -> Condition:
    """Condition that codes of inputs and output mean the same; ``names`` are those of the inputs."""

    def holds(call: Call) -> bool:
        return _same([*(call[name] for name in names), *call.variadic, *call.outputs])

    return Condition("8-bit inputs and output have one scale and zero point: codes are moved as they are", holds)


def _same(arguments: Sequence[Argument]) -> bool:
    quantized = [argument for argument in arguments if type_info(argument.type).is_quantized]
    return len({(operand.scale, operand.zero_point) for operand in quantized}) <= 1


E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that has to hold for a call, in words and as a question.

    Parameters of the call have values, but ranks and sizes may be unknown (0): the answer is False where it needs
    what is not known.
    """

    text: str
    holds: Callable[[Call], bool]


@dataclass(frozen=True)
class Claim(Generic[E]):
    """One operation that a runtime computes as the contract says.

    ``target`` names what it becomes, ``types`` are those of the operation's type variable T, ``emit`` adds it to the
    runtime's program, which ``E`` collects. ``excluded`` says of every other type of the declaration why it is not
    claimed.
    """

    operation: OperationType
    target: str
    types: tuple[OperandType, ...]
    emit: Callable[[E, Call], None]
    conditions: tuple[Condition, ...] = ()
    excluded: Mapping[OperandType, str] = field(default_factory=dict)


class Table(Generic[E]):
    """The claims of one runtime by operation, and the reasons for all other operations."""

    def __init__(self, runtime: str, claims: Iterable[Claim[E]], unclaimed: Mapping[OperationType, str]) -> None:
        """Index the claims.

        :raises ValueError: an operation is there twice.
        """
        listed = list(claims)
        self.runtime = runtime
        self.claims = {claim.operation: claim for claim in listed}
        self.unclaimed = dict(unclaimed)
        if len(self.claims) + len(self.unclaimed) != len({claim.operation for claim in listed} | set(unclaimed)):
            raise ValueError(f"{runtime}: an operation is both claimed and not")
        if len(self.claims) != len(listed):
            raise ValueError(f"{runtime}: an operation is claimed twice")

    def without(self, missing: Mapping[OperationType, str]) -> Table[E]:
        """The table of a configuration in which some operations are missing, with the reasons."""
        left = [claim for claim in self.claims.values() if claim.operation not in missing]
        return Table(self.runtime, left, {**self.unclaimed, **missing})

    def refusal(self, call: Call) -> str:
        """Why the runtime does not take a call of the model; empty if it does."""
        operation = OperationType(call.declaration.type)
        claim = self.claims.get(operation)
        if claim is None:
            return self.unclaimed.get(operation, "it has no counterpart")
        kind = data_type(call)
        if kind not in claim.types:
            return claim.excluded.get(kind, f"{kind.name} is not claimed")
        unknown = _unknown_parameter(call)
        if unknown:
            return f"'{unknown}' is not a constant"
        return next((condition.text for condition in claim.conditions if not _holds(condition, call)), "")


def data_type(call: Call) -> OperandType:
    """The type by which a call is claimed: that of the declaration's variable T."""
    return OperandType(call.row.types["T"])


def _unknown_parameter(call: Call) -> str:
    """A parameter whose value is not known before the execution; programs are built before there are values."""
    for formal in call.signature.inputs:
        argument = call.inputs.get(formal.name)
        if argument is None or argument.omitted or argument.value is not None:
            continue
        if formal.parameter or not type_info(argument.type).is_tensor:
            return formal.name
    return ""


def _holds(condition: Condition, call: Call) -> bool:
    try:
        return condition.holds(call)
    except (HalError, ArithmeticError, LookupError, ValueError):
        # Values and ranks that the contract rules out, or does not know yet.
        return False
