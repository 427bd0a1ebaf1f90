"""An operation together with its actual operands: what rules, shape inference and kernels look at.

At model time arguments have no values; at execution they carry NumPy arrays. Values of parameters (scalars,
axes, paddings, …) are read with :meth:`Call.scalar` and :meth:`Call.vector`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info

T = TypeVar("T")

if TYPE_CHECKING:
    import numpy.typing as npt

    from nnvet.hal.operations.declaration import OperationDeclaration, OutputSpec, Signature, TypeRow
    from nnvet.hal.types import SymmPerChannelQuantParams


@dataclass(slots=True)
class Argument:
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
    """Another argument with the same fields; three times as fast as :func:`dataclasses.replace`."""
    return Argument(
        argument.type,
        argument.dimensions,
        argument.scale,
        argument.zero_point,
        argument.channel_quant,
        argument.value,
        argument.constant,
        argument.omitted,
        argument.extension_data,
    )


@dataclass
class Call:
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
    outputs: list[Argument] = field(default_factory=list)
    specs: tuple[OutputSpec, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Argument:
        """The argument for a formal that is given.

        :raises HalError: INVALID_ARGUMENT if the operand was not given.
        """
        try:
            return self.inputs[name]
        except KeyError:
            raise HalError(
                ErrorStatus.INVALID_ARGUMENT, f"{self.declaration.name} needs operand '{name}'", "operation/omitted"
            ) from None

    def has(self, name: str) -> bool:
        """Whether the operand was given and has a value."""
        argument = self.inputs.get(name)
        return argument is not None and not argument.omitted

    def scalar(self, name: str, default: Any = None) -> Any:
        """A scalar's value as a Python bool, int or float; ``default`` if it was not given."""
        argument = self.inputs.get(name)
        if argument is None or argument.omitted:
            return default if default is not None else self[name].array.item()
        value = argument.array.reshape(-1)[0].item()
        return bool(value) if isinstance(default, bool) else value

    def vector(self, name: str) -> list[Any]:
        """The elements of a parameter tensor, row-major, as Python numbers."""
        values: list[Any] = self[name].array.reshape(-1).tolist()
        return values

    @property
    def output(self) -> Argument:
        """The first (mostly the only) output."""
        return self.outputs[0]

    def fail(self, rule_id: str, detail: str = "") -> NoReturn:
        """Raise the error of a declared rule.

        :raises HalError: with the rule's status, sentence and id.
        """
        rule = self.declaration.rule_index[rule_id]
        message = f"{rule.sentence} ({detail})" if detail else rule.sentence
        raise HalError(rule.status, message, rule_id)

    def memo(self, key: str, needs: Sequence[str], compute: Callable[[], T]) -> T:
        """``compute()``, kept for later executions if all operands in ``needs`` are constant.

        For what depends on constants and declared quantisation alone: packed weights, multipliers, tables.
        Never for anything that depends on the values or shapes of other operands.
        """
        if key in self.memory:
            kept: T = self.memory[key]
            return kept
        value = compute()
        if all(self.inputs[name].constant for name in needs if name in self.inputs):
            self.memory[key] = value
        return value
