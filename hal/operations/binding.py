"""Matching of an operation's actual operands with a signature and a type row, and the structural rules.

Structural rules are derived from the declaration, one for each fact it states: ``OP/inputs.count``,
``OP/outputs.count``, ``OP/types`` and ``OP/NAME.rank``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nnvet.hal.enums import ErrorStatus, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_name
from nnvet.hal.operations.declaration import (
    ANY_TYPE,
    Argument,
    Call,
    Formal,
    OperationDeclaration,
    Phase,
    Signature,
    TypeRow,
)
from nnvet.hal.types import Operand, SymmPerChannelQuantParams

_MODEL: Final = Phase.MODEL
"""A constant, since looking up a member of an enumeration takes longer than comparing it."""
_MATCHES_KEPT: Final = 1024
"""Most matches kept for an operation: more than it has combinations of types, but a limit for long input lists."""


def model_argument(operand: Operand) -> Argument:
    """Return the operand as rules see it at model time, without a value."""
    quant = operand.extra_params if isinstance(operand.extra_params, SymmPerChannelQuantParams) else None
    omitted = operand.lifetime == OperandLifeTime.NO_VALUE
    return Argument(
        operand.type,
        operand.dimensions,
        operand.scale,
        operand.zero_point,
        quant,
        omitted=omitted,
        extension_data=operand.extension_data,
    )


def bind(declaration: OperationDeclaration, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> Call:
    """Match the operands of one operation with its declaration.

    :raises HalError: INVALID_ARGUMENT with the broken structural rule.
    """
    match = _match(declaration, inputs, outputs)
    if not match.is_variadic:
        named = dict(zip(match.names, inputs, strict=True))
        return Call(declaration, match.signature, match.row, named, (), list(outputs))
    return _call(declaration, match, inputs, outputs)


def bound_formals(
    declaration: OperationDeclaration, inputs: Sequence[Argument], outputs: Sequence[Argument]
) -> tuple[Formal, ...]:
    """Return the formal of each input; a variadic one is repeated. Raises like :func:`bind`."""
    return _match(declaration, inputs, outputs).formals


@dataclass(frozen=True, slots=True)
class _Match:
    """Result of matching the types of inputs and outputs: signature, row, and the formal and name of each input."""

    signature: Signature
    row: TypeRow
    formals: tuple[Formal, ...]
    names: tuple[str, ...]
    is_variadic: bool


def _match(declaration: OperationDeclaration, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> _Match:
    types = tuple([argument.type for argument in inputs]), tuple([output.type for output in outputs])
    match: _Match | None = declaration.matches.get(types)
    if match is None:
        match = _found_match(declaration, inputs, outputs)
        if len(declaration.matches) < _MATCHES_KEPT:
            declaration.matches[types] = match
    return match


def _found_match(declaration: OperationDeclaration, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> _Match:
    name = declaration.name
    fitting = [s for s in declaration.signatures if _length_fits(s, len(inputs))]
    if not fitting:
        raise HalError(
            ErrorStatus.INVALID_ARGUMENT,
            f"{name} takes {accepted_inputs(declaration)}, not {len(inputs)}",
            f"{name}/inputs.count",
        )
    counts = declaration.output_counts or (len(declaration.outputs),)
    variadic_out = any(formal.variadic for formal in declaration.outputs)
    if len(outputs) not in counts and not (variadic_out and outputs):
        raise HalError(
            ErrorStatus.INVALID_ARGUMENT,
            f"{name} has {' or '.join(map(str, counts))} outputs, not {len(outputs)}",
            f"{name}/outputs.count",
        )
    for signature in fitting:
        pairs = assign(signature, inputs)
        formals_out = output_formals(declaration, len(outputs))
        row = _matching_row(declaration, [*pairs, *zip(formals_out, outputs, strict=True)])
        if row is not None:
            formals = tuple(formal for formal, _ in pairs)
            names = tuple(formal.name for formal in formals)
            return _Match(signature, row, formals, names, any(formal.variadic for formal in signature.inputs))
    given = ", ".join(type_name(argument.type) for argument in inputs)
    produced = ", ".join(type_name(argument.type) for argument in outputs)
    raise HalError(ErrorStatus.INVALID_ARGUMENT, f"{name} does not take ({given}) to ({produced})", f"{name}/types")


def bind_checked(declaration: OperationDeclaration, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> Call:
    """Match the operands of one operation of a model, and check all rules that need no values.

    :raises HalError: INVALID_ARGUMENT with the broken rule.
    """
    call = bind(declaration, inputs, outputs)
    check_ranks(call, _MODEL)
    for rule in declaration.model_rules:
        if rule.check is not None and not rule.check(call):
            raise HalError(ErrorStatus.INVALID_ARGUMENT, rule.sentence, rule.id)
    return call


def check_ranks(call: Call, phase: Phase) -> None:
    """Check the rank bounds of ``phase``; at model time only of operands whose rank is known.

    :raises HalError: with rule ``OP/NAME.rank``; INVALID_ARGUMENT for the model, GENERAL_FAILURE at execution.
    """
    is_model = phase is _MODEL
    for formal in call.signature.bounded:
        if is_model and formal.rank_phase is not phase:
            continue
        if formal.variadic:
            given = call.variadic
        elif formal.name in call.inputs:
            given = (call.inputs[formal.name],)
        else:
            continue
        low, high = formal.rank or (0, None)
        for argument in given:
            rank = len(argument.dimensions)
            if low <= rank and (high is None or rank <= high):
                continue
            if not argument.omitted and (rank or not is_model):
                raise _wrong_rank(call.declaration.name, formal, rank, phase)


def _wrong_rank(name: str, formal: Formal, rank: int, phase: Phase) -> HalError:
    low, high = formal.rank or (0, None)
    bound = f"{low}" if low == high else f"{low} to {high if high is not None else 'any'}"
    status = ErrorStatus.INVALID_ARGUMENT if phase is Phase.MODEL else ErrorStatus.GENERAL_FAILURE
    return HalError(
        status, f"{name}: rank of '{formal.name}' must be {bound}, not {rank}", f"{name}/{formal.name}.rank"
    )


def required_level(call: Call) -> tuple[int, str]:
    """Return the feature level that the operation needs apart from its operands' types, and the deciding rule."""
    name = call.declaration.name
    level, rule = call.declaration.level, f"{name}/level"
    if call.row.level > level:
        level, rule = call.row.level, f"{name}/types"
    for formal in call.signature.inputs:
        if formal.level > level and formal.name in call.inputs:
            level, rule = formal.level, f"{name}/{formal.name}.level"
    for level_rule in call.declaration.level_rules:
        if level_rule.level > level and level_rule.applies(call):
            level, rule = level_rule.level, level_rule.id
    return level, rule


def accepted_inputs(declaration: OperationDeclaration) -> str:
    """Return the accepted numbers of inputs as text: ``1 input``, ``7, 8 or 10 inputs``, ``2 or more inputs``."""
    parts: set[str] = set()
    numbers: set[int] = set()
    for signature in declaration.signatures:
        if signature.lengths:
            numbers.update(signature.lengths)
        elif any(formal.variadic for formal in signature.inputs):
            parts.add(f"{_minimum_length(signature)} or more")
        else:
            numbers.add(len(signature.inputs))
    ordered = [*map(str, sorted(numbers)), *sorted(parts)]
    text = ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
    return f"{text} input" if text == "1" else f"{text} inputs"


def assign(signature: Signature, inputs: Sequence[Argument]) -> list[tuple[Formal, Argument]]:
    """Pair formals with actual inputs by position; a variadic formal takes all inputs left over."""
    formals = signature.inputs
    index = next((i for i, formal in enumerate(formals) if formal.variadic), None)
    if index is None:
        return list(zip(formals, inputs, strict=False))
    repeated = len(inputs) - (len(formals) - 1)
    expanded = [*formals[:index], *[formals[index]] * repeated, *formals[index + 1 :]]
    return list(zip(expanded, inputs, strict=True))


def output_formals(declaration: OperationDeclaration, count: int) -> list[Formal]:
    """Return the formals of ``count`` actual outputs; a variadic output formal is repeated."""
    formals = declaration.outputs
    if any(formal.variadic for formal in formals):
        return [formals[0]] * count
    return list(formals[:count])


def _minimum_length(signature: Signature) -> int:
    return sum(formal.minimum if formal.variadic else 1 for formal in signature.inputs)


def _length_fits(signature: Signature, length: int) -> bool:
    if signature.lengths:
        return length in signature.lengths
    if any(formal.variadic for formal in signature.inputs):
        return length >= _minimum_length(signature)
    return length == len(signature.inputs)


def _matching_row(declaration: OperationDeclaration, pairs: Sequence[tuple[Formal, Argument]]) -> TypeRow | None:
    for formal, argument in pairs:
        if not isinstance(formal.type, str) and argument.type != formal.type:
            return None
    variables = [
        (formal.type, argument.type)
        for formal, argument in pairs
        if isinstance(formal.type, str) and formal.type != ANY_TYPE
    ]
    for row in declaration.rows:
        if all(row.types[variable] == actual for variable, actual in variables):
            return row
    return None


def _variadic_name(signature: Signature) -> str:
    return next((formal.name for formal in signature.inputs if formal.variadic), "")


def _call(
    declaration: OperationDeclaration, match: _Match, inputs: Sequence[Argument], outputs: Sequence[Argument]
) -> Call:
    repeated = _variadic_name(match.signature)
    pairs = list(zip(match.names, inputs, strict=True))
    fixed = {name: argument for name, argument in pairs if name != repeated}
    variadic = tuple(argument for name, argument in pairs if name == repeated)
    return Call(declaration, match.signature, match.row, fixed, variadic, list(outputs))
