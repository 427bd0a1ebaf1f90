"""The bundled driver without one rule of the contract, like a driver whose author has forgotten one check.

Rules are switched off in the declarations, where validation, inference and kernels look them up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.driver_kit import inference
from nnvet.hal.operations.declaration import Argument, Call, OperationDeclaration, OutputSpec
from nnvet.hal.validation import model as validation
from nnvet.reference_driver import compiled


@contextmanager
def switched_off(rule: str) -> Iterator[None]:
    """Take a rule of an operation as kept, whatever a model or request is like, while the block runs.

    :raises LookupError: the rule is not one that is looked up.
    """
    declared = {declaration.name: declaration for declaration in compiled.known_declarations().values()}
    with ExitStack() as undo, pytest.MonkeyPatch.context() as patch:
        # The outcome of the last model is remembered, with the rules that there were.
        patch.setattr(validation._Last, "known", None)
        declaration = declared.get(rule.rpartition("/")[0])
        if declaration is None:
            raise LookupError(rule)
        _switch_off(undo, patch, declaration, rule)
        yield


def _switch_off(undo: ExitStack, patch: pytest.MonkeyPatch, declaration: OperationDeclaration, rule: str) -> None:
    operand, _, aspect = rule.rpartition("/")[2].rpartition(".")
    if rule in declaration.rule_index:
        _forget(undo, patch, declaration, rule)
    elif aspect == "rank":
        for signature in declaration.signatures:
            bounded = tuple(formal for formal in signature.bounded if formal.name != operand)
            _set(undo, signature, "bounded", bounded)
    elif (operand, aspect) == ("output", "quantization"):
        patch.setattr(compiled, "resolved_output", _trusting)
    elif aspect == "zero_sized":
        patch.setattr(inference, "_check_zero_sizes", lambda _call: None)
    elif aspect != "omitted":
        raise LookupError(rule)


def _forget(undo: ExitStack, patch: pytest.MonkeyPatch, declaration: OperationDeclaration, rule: str) -> None:
    patch.setitem(declaration.__dict__, "model_rules", tuple(r for r in declaration.model_rules if r.id != rule))
    _set(undo, declaration, "rules", tuple(r for r in declaration.rules if r.id != rule))
    fail: Callable[..., Any] = Call.fail
    # A rule without a check is enforced where outputs are inferred and in kernels, which go on.
    patch.setattr(Call, "fail", lambda call, id_, *detail: None if id_ == rule else fail(call, id_, *detail))


_resolved = inference.resolved_output


def _trusting(declared: Argument, spec: OutputSpec, name: str, *, is_model_output: bool) -> Argument:
    free = replace(spec, scale=None, zero_point=None)
    return _resolved(declared, free, name, is_model_output=is_model_output)


def _set(undo: ExitStack, frozen: object, name: str, value: object) -> None:
    undo.callback(object.__setattr__, frozen, name, getattr(frozen, name))
    object.__setattr__(frozen, name, value)
