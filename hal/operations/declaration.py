"""The form in which every operation is declared.

An :class:`OperationDeclaration` says, as data: which lists of operands an operation takes
(:class:`Signature`), which operand types go together from which feature level (:class:`TypeRow`), which
numbered rules hold and when they are checked (:class:`Rule`, :class:`LevelRule`), and how output shapes follow
from the inputs (``infer``). Structural rules (``OP/inputs.count``, ``OP/types``, ``OP/NAME.rank``, …) are
derived from the declaration by :mod:`nnvet.hal.operations.derived_rules`, not written down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operand_types import ExtensionCode, ExtensionType

if TYPE_CHECKING:
    from nnvet.hal.operations.call import Call


ANY_TYPE = "*"
"""Type of a formal that takes operands of every type."""


class Phase(Enum):
    """When a rule is checked: on the model alone, or when the operation runs (values are known then)."""

    MODEL = "model"
    EXECUTION = "execution"


@dataclass(frozen=True, slots=True)
class Rule:
    """One numbered rule, ``OP/subject[.aspect]``, in one sentence.

    ``check`` answers whether the rule holds for a call; EXECUTION rules are checked in the order in which
    they are declared, before ``infer``. Without ``check`` the rule is enforced by ``infer`` or by the kernel,
    which calls ``call.fail(rule id)``. Model rules always fail with INVALID_ARGUMENT.
    """

    id: str
    sentence: str
    check: Callable[[Call], bool] | None = None
    phase: Phase = Phase.EXECUTION
    status: ErrorStatus = ErrorStatus.GENERAL_FAILURE


@dataclass(frozen=True, slots=True)
class LevelRule:
    """A use of the operation that needs a higher feature level than its types do."""

    id: str
    sentence: str
    level: int
    applies: Callable[[Call], bool]


@dataclass(frozen=True, slots=True)
class TypeRow:
    """Operand types that go together, by type variable, from feature ``level`` on."""

    level: int
    types: Mapping[str, OperandType | ExtensionType]


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal operand. ``type`` is a type variable of the rows (``"T"``) or one fixed operand type.

    ``rank`` bounds the rank of a tensor (None: no bound, upper None: no maximum) and ``rank_phase`` says
    whether a known wrong rank already makes the model invalid. ``parameter`` marks operands whose values
    decide shapes or rules (all scalars do; also axes, paddings, …). ``omissible`` operands may have no value.
    ``values`` lists the legal values of an enumerated attribute. ``variadic`` operands occur ``minimum`` or
    more times (at most one such operand in a list).
    """

    name: str
    type: str | OperandType | ExtensionType
    meaning: str = ""
    rank: tuple[int, int | None] | None = None
    rank_phase: Phase = Phase.MODEL
    level: int = 1
    omissible: bool = False
    parameter: bool = False
    values: tuple[int, ...] = ()
    variadic: bool = False
    minimum: int = 1


@dataclass(frozen=True, slots=True)
class Signature:
    """One list of inputs. ``lengths`` are the accepted list lengths; empty: all of ``inputs`` (variadic: any)."""

    name: str
    inputs: tuple[Formal, ...]
    lengths: tuple[int, ...] = ()


class ZeroSized(Enum):
    """What a tensor input with a dimension of 0 leads to when the operation runs."""

    ACCEPTED = "accepted"
    FAILS = "GENERAL_FAILURE"
    INVALID = "INVALID_ARGUMENT"


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """What ``infer`` says of one output. Dimension 0 is an actual size of zero; None: the data decides.

    ``scale`` and ``zero_point`` are None where the declared values of the output stand.
    """

    dimensions: tuple[int, ...] | None
    scale: float | None = None
    zero_point: int | None = None


@dataclass(frozen=True)
class OperationDeclaration:
    """Everything that the contract, or an extension, says of one operation.

    ``omission_status`` is the status when an operand that must be present has no value at execution.
    ``free_quantization``: no scale or zero point of an output follows from the inputs (own rules may bound them).
    """

    type: OperationType | ExtensionCode
    level: int
    summary: str
    rows: tuple[TypeRow, ...]
    signatures: tuple[Signature, ...]
    outputs: tuple[Formal, ...]
    infer: Callable[[Call], tuple[OutputSpec, ...]]
    rules: tuple[Rule, ...] = ()
    level_rules: tuple[LevelRule, ...] = ()
    output_counts: tuple[int, ...] = ()
    zero_sized: ZeroSized = ZeroSized.ACCEPTED
    omission_status: ErrorStatus = ErrorStatus.GENERAL_FAILURE
    free_quantization: bool = False
    rule_index: Mapping[str, Rule] = field(init=False)

    def __post_init__(self) -> None:
        """Index the rules and refuse ids that do not begin with the operation's name."""
        object.__setattr__(self, "rule_index", {rule.id: rule for rule in self.rules})
        for identifier in (*self.rule_index, *(rule.id for rule in self.level_rules)):
            if not identifier.startswith(self.name + "/"):
                message = f"rule {identifier!r} of {self.name} must begin with '{self.name}/'"
                raise ValueError(message)

    @property
    def name(self) -> str:
        """The HAL's name of the operation, or ``EXTENSION::NAME``; begins every rule id."""
        return self.type.name


def rows(*entries: tuple[int, Mapping[str, OperandType | ExtensionType]]) -> tuple[TypeRow, ...]:
    """Type rows from ``(level, {variable: type})`` pairs, lowest level first."""
    return tuple(TypeRow(level, dict(types)) for level, types in sorted(entries, key=lambda entry: entry[0]))


def single(levels: Mapping[OperandType, int], variable: str = "T") -> tuple[TypeRow, ...]:
    """Type rows of an operation with one type variable, from ``{type: level}``."""
    return rows(*((level, {variable: operand_type}) for operand_type, level in levels.items()))
