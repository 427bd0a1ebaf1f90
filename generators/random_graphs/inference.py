"""Infers the output dimensions of drafted operations from their declarations; results for types alone are cached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from nnvet.hal.extensions import every_declaration
from nnvet.hal.operations.binding import assign, bind
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration, OutputSpec, Signature, TypeRow
from nnvet.hal.operations.shapes import like_input, shaped_by_both, shaped_like_input

_Types = tuple[int, ...]


@cache
def _bound(
    operation: int, inputs: _Types, outputs: _Types
) -> tuple[OperationDeclaration, Signature, TypeRow, tuple[str, ...], tuple[int, ...]]:
    """Bind an operation of these types; return the names of its inputs, and the places of variadic ones.

    :raises HalError: the declaration has no such operands.
    """
    arguments = [Argument(kind) for kind in inputs]
    call = bind(every_declaration()[operation], arguments, [Argument(kind) for kind in outputs])
    formals = [formal for formal, _ in assign(call.signature, arguments)]
    variadic = tuple(place for place, formal in enumerate(formals) if formal.variadic)
    return call.declaration, call.signature, call.row, tuple(formal.name for formal in formals), variadic


_SHAPED_BY_INPUTS = (like_input, shaped_like_input, shaped_by_both)


@cache
def shaping_inputs(operation: int) -> tuple[int, ...]:
    """Return the places of the inputs whose broadcast shape is that of the only output; empty if inference is needed.

    The declaration says that other operands do not matter.
    """
    declaration = every_declaration()[operation]
    infer = declaration.infer
    if not isinstance(infer, partial) or infer.func not in _SHAPED_BY_INPUTS:
        return ()
    places = {
        tuple([formal.name for formal in signature.inputs].index(name) for name in infer.args)
        for signature in declaration.signatures
    }
    return places.pop() if len(places) == 1 else ()


def infer_dimensions(operation: int, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> tuple[OutputSpec, ...]:
    """Return the declaration's specifications of the outputs of an operation with these operands.

    :raises HalError: the operands do not fit.
    """
    declaration, signature, row, names, places = _bound(
        operation, tuple([operand.type for operand in inputs]), tuple([output.type for output in outputs])
    )
    fixed = dict(zip(names, inputs, strict=True))
    variadic: list[Argument] = []
    if places:
        variadic = [inputs[place] for place in places]
        fixed.pop(names[places[0]])
    return declaration.infer(Call(declaration, signature, row, fixed, variadic, list(outputs)))
