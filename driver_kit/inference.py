"""Checks of an operation before its kernel runs: the rules about its values, and the shapes of its outputs.

Both come from the declarations of :mod:`nnvet.hal.operations`, so that every driver answers a request with the same
status.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from nnvet.hal.errors import HalError, failure
from nnvet.hal.operations.binding import check_ranks
from nnvet.hal.operations.declaration import (
    Argument,
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Phase,
    ZeroSized,
    copy_of,
)
from nnvet.hal.types import ErrorStatus

# Constants, because looking up a member of an enumeration takes longer than most work on it.
_EXECUTION: Final = Phase.EXECUTION
_ACCEPTED: Final = ZeroSized.ACCEPTED
"""Short name: looking up a member of an enumeration takes longer than most work on it."""


def actual_inputs(
    declaration: OperationDeclaration, formals: Iterable[Formal], arguments: Iterable[Argument]
) -> tuple[dict[str, Argument], list[Argument]]:
    """Return arguments by the name of their formal, and those of the variadic one.

    :raises HalError: as the operation says of an operand without value that it needs.
    """
    inputs: dict[str, Argument] = {}
    variadic: list[Argument] = []
    for formal, argument in zip(formals, arguments, strict=True):
        if argument.omitted and not formal.omissible:
            raise HalError(
                declaration.omission_status,
                f"{declaration.name} needs a value for '{formal.name}'",
                f"{declaration.name}/{formal.name}.omitted",
            )
        if formal.variadic:
            variadic.append(argument)
        else:
            inputs[formal.name] = argument
    return inputs, variadic


def infer_outputs(call: Call) -> tuple[OutputSpec, ...]:
    """Return the specifications of a call's outputs, from the shapes of its inputs and the values of its parameters.

    :raises HalError: with the first rule of execution that is broken.
    """
    _check_zero_sizes(call)
    check_ranks(call, _EXECUTION)
    for rule in call.declaration.rules:
        if rule.check is not None and not rule.check(call):
            call.fail(rule.id)
    return call.declaration.infer(call)


def resolved_output(declared: Argument, spec: OutputSpec, name: str, *, is_model_output: bool) -> Argument:
    """Return the output of operation ``name`` as it is declared, with what was inferred for it.

    :raises HalError: GENERAL_FAILURE if dimensions contradict each other, or an output of the model has another scale.
    """
    scale = declared.scale if spec.scale is None else spec.scale
    zero_point = declared.zero_point if spec.zero_point is None else spec.zero_point
    has_other_scale = scale != declared.scale and np.float32(scale) != np.float32(declared.scale)
    if is_model_output and (has_other_scale or zero_point != declared.zero_point):
        raise failure(
            f"{name}: output has scale {declared.scale} and zero point {declared.zero_point}, "
            f"must have {scale} and {zero_point}",
            f"{name}/output.quantization",
        )
    dimensions = declared.dimensions if spec.dimensions is None else merge(declared.dimensions, spec.dimensions, name)
    resolved = copy_of(declared)
    resolved.dimensions, resolved.scale, resolved.zero_point = dimensions, scale, zero_point
    resolved.value, resolved.constant = None, False
    return resolved


def merge(declared: Sequence[int], computed: Sequence[int], name: str) -> tuple[int, ...]:
    """Return the computed dimensions, if the declared ones (empty or 0: unknown) allow them.

    :raises HalError: GENERAL_FAILURE with rule ``execution/output.dimensions``.
    """
    fits = (
        declared == computed
        or not declared
        or (len(declared) == len(computed) and all(d in (0, c) for d, c in zip(declared, computed, strict=True)))
    )
    if not fits:
        raise failure(
            f"{name}: output has dimensions {tuple(computed)}, declared {tuple(declared)}",
            "execution/output.dimensions",
        )
    return tuple(computed)


def _check_zero_sizes(call: Call) -> None:
    behaviour = call.declaration.zero_sized
    if behaviour is _ACCEPTED:
        return
    for argument in (*call.inputs.values(), *call.variadic):
        if not argument.omitted and 0 in argument.dimensions:
            raise HalError(
                ErrorStatus[behaviour.value],
                f"{call.declaration.name} does not take zero-sized tensors",
                f"{call.declaration.name}/zero_sized",
            )
