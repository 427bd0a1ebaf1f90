"""Tables of the operations that a runtime computes as the contract says, with types and conditions.

Adapters declare a :class:`Claim` for each operation that they emit, and collect them in a :class:`Table`. Every
operation or type that is not claimed has a reason; generated pages in ``docs/`` list them. A claim is checked for
a call: an operation of the main subgraph with the declared shapes, or with the shapes of one execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast

from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array, constant
from nnvet.driver_kit.inference import actual_inputs, infer_outputs, resolved_output
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operand_types import ExtensionCode, fully_known, is_extension, type_info
from nnvet.hal.operations.binding import bind, bound_formals, model_argument
from nnvet.hal.operations.declaration import Argument, Call, Formal, copy_of
from nnvet.hal.types import Model, OperandLifeTime, OperandType, Operation, OperationType, Subgraph

FLOATS: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
"""Tensors of floats."""
UNSIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM
"""Tensors of unsigned 8-bit codes."""
SIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
"""Tensors of signed 8-bit codes."""
BOTH_BYTES: Final = (UNSIGNED, SIGNED)
"""Tensors of 8-bit codes."""
INTEGER: Final = OperandType.TENSOR_INT32
"""Tensors of 32-bit integers."""
BOOLEAN: Final = OperandType.TENSOR_BOOL8
"""Tensors of truth values."""
CELLS: Final = (
    OperationType.LSTM,
    OperationType.RNN,
    OperationType.BIDIRECTIONAL_SEQUENCE_LSTM,
    OperationType.BIDIRECTIONAL_SEQUENCE_RNN,
    OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM,
    OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
)
"""Recurrent cells of real numbers."""
CELLS_OF_CODES: Final = (OperationType.QUANTIZED_16BIT_LSTM, OperationType.QUANTIZED_LSTM)
"""Recurrent cells of codes."""
_CONTROL: Final = "models with referenced subgraphs are not converted"
"""The reason why no runtime claims IF and WHILE."""
NEVER_CLAIMED: Final = {
    OperationType.RANDOM_MULTINOMIAL: "its random numbers differ from the contract's, so results cannot be compared",
    OperationType.IF: _CONTROL,
    OperationType.WHILE: _CONTROL,
}
"""Reasons that hold for every runtime with a table."""


def element_name(code: int) -> str:
    """Return NumPy's name of a runtime's elements for an operand type; truth values are bytes in the HAL."""
    return "bool" if code == BOOLEAN else type_info(code).dtype


def same_codes(*names: str) -> Condition:
    """Return the condition that inputs (``names``) and output have the same scale and zero point."""

    def holds(call: Call) -> bool:
        return _have_same_codes([*(call[name] for name in names), *call.variadic, *call.outputs])

    return Condition("8-bit inputs and output have one scale and zero point: codes are moved as they are", holds)


def _have_same_codes(arguments: Sequence[Argument]) -> bool:
    quantized = [argument for argument in arguments if type_info(argument.type).is_quantized]
    return len({(operand.scale, operand.zero_point) for operand in quantized}) <= 1


E = TypeVar("E")
"""The emitter of a runtime, which collects its program."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a call: its text for people, and a function that checks it.

    Parameters of the call have values, but ranks and sizes may be unknown (0). The check returns False if it needs an
    unknown one.
    """

    text: str
    holds: Callable[[Call], bool]


@dataclass(frozen=True)
class Claim(Generic[E]):
    """One operation, of the contract or of an extension, that a runtime computes as its declaration says.

    ``target`` is the name of the runtime's operator, ``types`` are those of the operation's type variable T, and
    ``emit`` adds it to the runtime's program, which an emitter of the type ``E`` collects. ``excluded`` has the reason
    for every other type of the declaration.
    """

    operation: OperationType | ExtensionCode
    target: str
    types: tuple[OperandType, ...]
    emit: Callable[[E, Call], None]
    conditions: tuple[Condition, ...] = ()
    excluded: Mapping[OperandType, str] = field(default_factory=dict)


class Table(Generic[E]):
    """The claims of one runtime by operation, and the reasons for all other operations."""

    def __init__(
        self,
        runtime: str,
        claims: Iterable[Claim[E]],
        unclaimed: Mapping[OperationType, str],
        around: Callable[[Graph, int], str] = lambda _graph, _place: "",
    ) -> None:
        """Index the claims; ``around`` returns a reason against a call because of its neighbours in the graph.

        :raises ValueError: an operation is claimed twice.
        """
        self._around = around
        listed = list(claims)
        self.runtime = runtime
        self.claims: dict[int, Claim[E]] = {claim.operation: claim for claim in listed}
        self.unclaimed = dict(unclaimed)
        if len(self.claims) + len(self.unclaimed) != len({claim.operation for claim in listed} | set(unclaimed)):
            raise ValueError(f"{runtime}: an operation is both claimed and not")
        if len(self.claims) != len(listed):
            raise ValueError(f"{runtime}: an operation is claimed twice")

    def without(self, missing: Mapping[OperationType, str]) -> Table[E]:
        """Return the table of a configuration in which some operations are missing, with the reasons."""
        left = [claim for claim in self.claims.values() if claim.operation not in missing]
        return Table(self.runtime, left, {**self.unclaimed, **missing}, self._around)

    def with_claims(self, further: Iterable[Claim[E]]) -> Table[E]:
        """Return the table with further claims, of operations that it has neither claimed nor given a reason for."""
        return Table(self.runtime, [*self.claims.values(), *further], self.unclaimed, self._around)

    def refusals(self, graph: Graph) -> list[str]:
        """Return the reason why the runtime refuses each operation of a graph; empty for those that it takes."""
        return [
            "it belongs to an extension" if call is None else self.refusal(call) or self._around(graph, place)
            for place, call in enumerate(graph.calls)
        ]

    def refusal(self, call: Call) -> str:
        """Return the reason why the runtime does not support a call of the model; empty if it does."""
        operation = call.declaration.type
        claim = self.claims.get(operation)
        if claim is None:
            reasons: Mapping[Any, str] = self.unclaimed
            return reasons.get(operation, "it has no counterpart")
        kind = data_type(call)
        if kind not in claim.types:
            return claim.excluded.get(kind, f"{kind.name} is not claimed")
        unknown = _find_unknown_parameter(call)
        if unknown:
            return f"'{unknown}' is not a constant"
        broken = next((condition.text for condition in claim.conditions if not _holds(condition, call)), "")
        return f"it is claimed only if {broken}" if broken else ""


def data_type(call: Call) -> OperandType:
    """Return the type by which a call is claimed: that of the declaration's variable T."""
    return cast("OperandType", call.row.types["T"])


def _find_unknown_parameter(call: Call) -> str:
    """Return a parameter whose value is unknown before the execution; programs are built before there are values."""
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


_SMALL = 2**10
"""Most bytes of a constant that is read to examine a model; parameters are smaller, weights mostly larger."""


@dataclass(frozen=True)
class Graph:
    """The main subgraph: an argument for each operand, a call for each operation (None: of an unknown extension).

    If it is ``relaxed``, float32 may be computed with the range and precision of float16.
    """

    subgraph: Subgraph
    arguments: list[Argument]
    calls: list[Call | None]
    relaxed: bool

    @property
    def inputs(self) -> list[Argument]:
        """Arguments of the model's inputs."""
        return [self.arguments[index] for index in self.subgraph.input_indexes]

    @property
    def outputs(self) -> list[Argument]:
        """Arguments of the model's outputs."""
        return [self.arguments[index] for index in self.subgraph.output_indexes]

    def numbered(self) -> Iterator[tuple[int, OperationType | ExtensionCode, Call]]:
        """The calls of declared operations that have an element to compute, in order, each with its position."""
        for place, call in enumerate(self.calls):
            if call is not None and not all(0 in output.dimensions for output in call.outputs):
                yield place, call.declaration.type, call

    def computing(self) -> Iterator[tuple[OperationType | ExtensionCode, Call]]:
        """Yield the calls of :attr:`numbered` without their positions."""
        for _, operation, call in self.numbered():
            yield operation, call

    def alone(self, place: int) -> Graph:
        """Return one operation as a graph; variable operands that it reads become inputs."""
        operation = self.subgraph.operations[place]
        given = [
            index for index in operation.inputs if not (self.arguments[index].constant or self.arguments[index].omitted)
        ]
        main = replace(
            self.subgraph,
            operations=(operation,),
            input_indexes=tuple(dict.fromkeys(given)),
            output_indexes=operation.outputs,
        )
        return Graph(main, self.arguments, [self.calls[place]], self.relaxed)


def read_graph(model: Model) -> Graph:
    """Return the graph as the model declares it, with the shapes that follow, and the values of small constants alone.

    Operations that break a rule keep their declared shapes; the rule is checked again, with its status, at execution.
    """
    arguments = _make_arguments(model, _small_constants(model))
    return _build_graph(model, arguments, strict=False)


def execute_graph(model: Model, constants: Mapping[int, Array], shapes: Sequence[tuple[int, ...] | None]) -> Graph:
    """Return the graph of an execution whose inputs have ``shapes`` (None: no value).

    :raises HalError: the execution has to fail.
    """
    arguments = _make_arguments(model, constants)
    for index, shape in zip(model.main.input_indexes, shapes, strict=True):
        arguments[index].omitted = shape is None
        arguments[index].dimensions = shape or ()
    return _build_graph(model, arguments, strict=True)


def model_constants(model: Model) -> dict[int, Array]:
    """Return all constants of the main subgraph by operand, copied from the model's memory.

    :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
    """
    values = {index: constant(model, operand) for index, operand in enumerate(model.main.operands)}
    return {index: value for index, value in values.items() if value is not None}


def _small_constants(model: Model) -> dict[int, Array]:
    found = {}
    for index, operand in enumerate(model.main.operands):
        if operand.location.length <= _SMALL and not is_extension(operand.type):
            try:
                value = constant(model, operand)
            except HalError:
                # The preparation reports the error; here the value just counts as unknown.
                continue
            if value is not None:
                found[index] = value
    return found


def _make_arguments(model: Model, constants: Mapping[int, Array]) -> list[Argument]:
    arguments = [model_argument(operand) for operand in model.main.operands]
    for argument, operand in zip(arguments, model.main.operands, strict=True):
        argument.constant = operand.lifetime in CONSTANTS
    for index, value in constants.items():
        arguments[index].value, arguments[index].constant = value, True
    return arguments


def _build_graph(model: Model, arguments: list[Argument], *, strict: bool) -> Graph:
    calls = []
    for operation in model.main.operations:
        declaration = every_declaration().get(operation.type)
        calls.append(None if declaration is None else _make_call(model.main, operation, arguments, strict=strict))
    return Graph(model.main, arguments, calls, model.relax_computation_float32_to_float16)


def _make_call(main: Subgraph, operation: Operation, arguments: list[Argument], *, strict: bool) -> Call:
    """Return the operation's call; its outputs get inferred shapes if these can be inferred."""
    declaration = every_declaration()[operation.type]
    inputs, outputs = ([arguments[index] for index in side] for side in (operation.inputs, operation.outputs))
    call = bind(declaration, inputs, outputs)
    formals = bound_formals(declaration, inputs, outputs)
    if not strict and not _is_decided(formals, inputs):
        return call
    try:
        actual_inputs(declaration, formals, inputs)
        specs = infer_outputs(call)
        for position, (index, spec) in enumerate(zip(operation.outputs, specs, strict=True)):
            is_output = main.operands[index].lifetime == OperandLifeTime.SUBGRAPH_OUTPUT
            result = resolved_output(arguments[index], spec, declaration.name, is_model_output=is_output)
            arguments[index] = call.outputs[position] = result
    except HalError:
        if strict:
            raise
        call.outputs = [copy_of(output) for output in outputs]
    return call


def _is_decided(formals: Sequence[Formal], inputs: Sequence[Argument]) -> bool:
    """Return True if the shapes of all tensors and the values of all parameters are known."""
    for formal, argument in zip(formals, inputs, strict=True):
        is_tensor = type_info(argument.type).is_tensor
        if argument.omitted:
            continue
        if is_tensor and not fully_known(argument.dimensions):
            return False
        if argument.value is None and (formal.parameter or not is_tensor):
            return False
    return True
