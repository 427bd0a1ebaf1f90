"""The form in which every operation is declared.

An :class:`OperationDeclaration` says, as data: which lists of operands an operation takes
(:class:`Signature`), which operand types go together from which feature level (:class:`TypeRow`), which
numbered rules hold and when they are checked (:class:`Rule`, :class:`LevelRule`), and how output shapes follow
from the inputs (``infer``). Structural rules (``OP/inputs.count``, ``OP/types``, ``OP/NAME.rank``, …) are
derived from the declaration by :mod:`nnvet.hal.operations.binding`, not written down.

A :class:`Call` is one operation with its actual operands (:class:`Argument`): what rules, shape inference and kernels
look at. At model time arguments have no values; at execution they carry NumPy arrays. Values of parameters (scalars,
axes, paddings, …) are read with :meth:`Call.scalar` and :meth:`Call.vector`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import msgspec
from msgspec.structs import replace

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import ExtensionCode, ExtensionType, type_info
from nnvet.hal.types import SymmPerChannelQuantParams

if TYPE_CHECKING:
    import numpy.typing as npt

T = TypeVar("T")
AnyType = TypeVar("AnyType", bound=OperandType | ExtensionType)
"""A type of the contract, or one of an extension."""

ANY_TYPE = "*"
"""Type of a formal that takes operands of every type."""


class Phase(Enum):
    """Time at which a rule is checked: on the model alone, or when the operation runs and values are known."""

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
    bounded: tuple[Formal, ...] = field(init=False, repr=False, compare=False)
    """Inputs whose rank is bounded; a variadic one comes last."""

    def __post_init__(self) -> None:
        """Compute ``bounded`` once, since it is needed for each operation of each model."""
        bounded = [formal for formal in self.inputs if formal.rank is not None]
        object.__setattr__(self, "bounded", tuple(sorted(bounded, key=lambda formal: formal.variadic)))


class ZeroSized(Enum):
    """Effects of a tensor input with a dimension of 0 when the operation runs."""

    ACCEPTED = "accepted"
    FAILS = "GENERAL_FAILURE"
    INVALID = "INVALID_ARGUMENT"


class OutputSpec(msgspec.Struct, frozen=True):
    """Inferred specification of an output. Dimension 0 is an actual size of zero; None: the data decides.

    ``scale`` and ``zero_point`` are None if the output's declared values apply.
    """

    dimensions: tuple[int, ...] | None
    scale: float | None = None
    zero_point: int | None = None


@dataclass(frozen=True)
class OperationDeclaration:
    """Everything that the contract, or an extension, says about one operation.

    ``level`` is the first feature level that has the operation: the lowest level of its rows.
    ``omission_status`` is the status when an operand that must be present has no value at execution.
    ``free_quantization``: no scale or zero point of an output follows from the inputs (own rules may bound them).
    """

    type: OperationType | ExtensionCode
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
    matches: dict[tuple[tuple[int, ...], tuple[int, ...]], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Cache of :mod:`nnvet.hal.operations.binding`: matches by the types of inputs and outputs."""

    def __post_init__(self) -> None:
        """Index the rules and refuse ids that do not begin with the operation's name."""
        object.__setattr__(self, "rule_index", {rule.id: rule for rule in self.rules})
        for identifier in (*self.rule_index, *(rule.id for rule in self.level_rules)):
            if not identifier.startswith(self.name + "/"):
                message = f"rule {identifier!r} of {self.name} must begin with '{self.name}/'"
                raise ValueError(message)

    @cached_property
    def name(self) -> str:
        """The HAL's name of the operation, or ``EXTENSION::NAME``; begins every rule id."""
        return self.type.name

    @cached_property
    def model_rules(self) -> tuple[Rule, ...]:
        """Rules that are checked on the model alone, in order."""
        return tuple(rule for rule in self.rules if rule.phase is Phase.MODEL)

    @cached_property
    def level(self) -> int:
        """The feature level that brought the operation: that of its first types."""
        return min(row.level for row in self.rows)


class Argument(msgspec.Struct):
    """An actual operand. ``value`` is a NumPy array of the operand's dtype and shape, None at model time.

    ``dimensions`` is () for scalars and for tensors of unknown rank; a 0 in it is unknown at model time and
    an actual zero size at execution. ``constant``: the value is the same in every execution. ``extension_data``
    are the parameters of an operand whose type belongs to an extension.
    """

    type: int
    dimensions: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    channel_quant: SymmPerChannelQuantParams | None = None
    value: npt.NDArray[Any] | None = None
    constant: bool = False
    omitted: bool = False
    extension_data: bytes = b""

    @property
    def rank(self) -> int:
        """Number of dimensions; 0 also when the rank is not known."""
        return len(self.dimensions)

    @property
    def array(self) -> npt.NDArray[Any]:
        """The value, at execution.

        :raises HalError: INVALID_ARGUMENT if the operand has no value.
        """
        if self.value is None:
            raise HalError(ErrorStatus.INVALID_ARGUMENT, "an operand that is needed has no value", "operation/omitted")
        return self.value

    @property
    def dtype(self) -> str:
        """NumPy name of the element type."""
        return type_info(self.type).dtype

    @property
    def quantized_range(self) -> tuple[int, int]:
        """Smallest and largest code of an 8-bit or 16-bit integer type."""
        bits = 8 * type_info(self.type).size
        return (0, 2**bits - 1) if self.dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def copy_of(argument: Argument) -> Argument:
    """Return another argument with the same fields."""
    return replace(argument)


class Call(msgspec.Struct):
    """One operation being validated or executed.

    ``inputs`` is keyed by formal name; formals not given are absent. A variadic formal's arguments are in
    ``variadic``. ``outputs`` are the declared output operands; at execution the driver sets their
    ``dimensions`` to the inferred ones and their scale and zero point to those in force, before the kernel
    runs. ``memory`` keeps what :meth:`memo` computed, for the life of the prepared model.
    """

    declaration: OperationDeclaration
    signature: Signature
    row: TypeRow
    inputs: dict[str, Argument]
    variadic: Sequence[Argument] = ()
    outputs: list[Argument] = []
    specs: tuple[OutputSpec, ...] = ()
    memory: dict[str, Any] = {}
    extra: Mapping[str, Any] = {}

    def __getitem__(self, name: str) -> Argument:
        """Return the argument for a formal that is given.

        :raises HalError: INVALID_ARGUMENT if the operand was not given.
        """
        try:
            return self.inputs[name]
        except KeyError:
            raise HalError(
                ErrorStatus.INVALID_ARGUMENT, f"{self.declaration.name} needs operand '{name}'", "operation/omitted"
            ) from None

    def has(self, name: str) -> bool:
        """Return True if the operand was given and has a value."""
        argument = self.inputs.get(name)
        return argument is not None and not argument.omitted

    def scalar(self, name: str, default: Any = None) -> Any:
        """Return a scalar's value as a Python bool, int or float; ``default`` if it was not given."""
        argument = self.inputs.get(name)
        if argument is None or argument.omitted:
            return default if default is not None else self[name].array.item()
        value = argument.array.item(0)
        return bool(value) if isinstance(default, bool) else value

    def vector(self, name: str) -> list[Any]:
        """Return the elements of a parameter tensor, row-major, as Python numbers."""
        values: list[Any] = self[name].array.reshape(-1).tolist()
        return values

    @property
    def output(self) -> Argument:
        """First output, mostly the only one."""
        return self.outputs[0]

    def fail(self, rule_id: str, detail: str = "") -> NoReturn:
        """Raise the error of a declared rule.

        :raises HalError: with the rule's status, sentence and id.
        """
        rule = self.declaration.rule_index[rule_id]
        message = f"{rule.sentence} ({detail})" if detail else rule.sentence
        raise HalError(rule.status, message, rule_id)

    def memo(self, key: str, needs: Sequence[str], compute: Callable[[], T]) -> T:
        """Return ``compute()``, and keep it for later executions if all operands in ``needs`` are constant.

        It is meant for results that depend on constants and declared quantisation alone: packed weights, multipliers,
        tables. It must not be used for anything that depends on the values or shapes of other operands.
        """
        if key in self.memory:
            kept: T = self.memory[key]
            return kept
        value = compute()
        if all(self.inputs[name].constant for name in needs if name in self.inputs):
            self.memory[key] = value
        return value


def rows(*entries: tuple[int, Mapping[str, AnyType]]) -> tuple[TypeRow, ...]:
    """Return the type rows from ``(level, {variable: type})`` pairs, lowest level first."""
    return tuple(TypeRow(level, dict(types)) for level, types in sorted(entries, key=lambda entry: entry[0]))


def single(levels: Mapping[AnyType, int], variable: str = "T") -> tuple[TypeRow, ...]:
    """Return the type rows of an operation with one type variable, from ``{type: level}``."""
    return rows(*((level, {variable: operand_type}) for operand_type, level in levels.items()))
