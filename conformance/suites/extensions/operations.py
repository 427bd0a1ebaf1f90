"""Suite ``FibonacciExtensionTest``: valid and invalid uses of the operations of an extension that the driver reports.

Google's extension of that name computes Fibonacci numbers; these checks run over the specs of any known extension. A
change of :data:`_CHANGES` breaks the operation's declaration, and the driver must refuse the model. Wrong values of
inputs are in the specs themselves; hints and prefixes are in :mod:`nnvet.conformance.suites.extensions.attributes`.
Source: docs/contract/cts-tests.md 2.17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs import SpecCase
from nnvet.graphs.editor import recounted, with_operand, with_operation
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, ErrorStatus, OperandLifeTime, OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import ExtensionDeclaration, known_extensions, resolved
from nnvet.hal.operand_types import ExtensionCode, is_extension
from nnvet.hal.operations.declaration import OperationDeclaration
from nnvet.hal.types import Model, Operation, Subgraph
from nnvet.hal.validation.subgraph import fits

SUITE: Final = "FibonacciExtensionTest"
_LEVEL: Final = 3
"""First feature level (HAL 1.2) with extensions."""
_RULE: Final = "extension/operations"
"""Rule of a driver that does not support what it reports, or accepts a wrong use of it."""
_LAST_NUMBER: Final = 0xFFFF
"""Number of an operation that no extension has: the last one of 16 bits."""

Wrong = Iterator[tuple[str, Subgraph]]
"""Wrong forms of a subgraph, each with a description."""
Change = Callable[[Subgraph, int], Wrong]
"""Function that yields wrong forms of the operation at a position of a subgraph."""


def _change_number_of_inputs(subgraph: Subgraph, position: int) -> Wrong:
    """Yield the operation with an input less, and with one more."""
    operation = subgraph.operations[position]
    first, *rest = operation.inputs
    yield "an input less", _replace_operation(subgraph, position, replace(operation, inputs=tuple(rest)))
    yield "an input more", _replace_operation(subgraph, position, replace(operation, inputs=(first, *operation.inputs)))


def _change_number_of_outputs(subgraph: Subgraph, position: int) -> Wrong:
    """Yield the operation with an output more."""
    operation = subgraph.operations[position]
    written = subgraph.operands[operation.outputs[0]]
    extra = replace(written, lifetime=OperandLifeTime.TEMPORARY_VARIABLE)
    larger = replace(subgraph, operands=(*subgraph.operands, extra))
    outputs = (*operation.outputs, len(subgraph.operands))
    yield "an output more", _replace_operation(larger, position, replace(operation, outputs=outputs))


def _change_types(indexes: Callable[[Operation], tuple[int, ...]], subgraph: Subgraph, position: int) -> Wrong:
    """Yield the operation with another type for each of the operands that ``indexes`` returns."""
    for index in dict.fromkeys(indexes(subgraph.operations[position])):
        operand = replace(subgraph.operands[index], type=OperandType.TENSOR_INT32, extra_params=None)
        yield f"operand {index} is a TENSOR_INT32", with_operand(subgraph, index, operand)


def _change_operation(subgraph: Subgraph, position: int) -> Wrong:
    """Yield an operation of the same extension whose number does not exist."""
    operation = subgraph.operations[position]
    code = operation.type >> EXTENSION_TYPE_LOW_BITS_TYPE << EXTENSION_TYPE_LOW_BITS_TYPE | _LAST_NUMBER
    yield (
        "an operation that the extension does not have",
        _replace_operation(subgraph, position, replace(operation, type=code)),
    )


def _replace_operation(subgraph: Subgraph, position: int, operation: Operation) -> Subgraph:
    """Return the subgraph with another operation at a position, and its consumers counted again."""
    return recounted(with_operation(subgraph, position, operation))


_CHANGES: Final[dict[str, Change]] = {
    "InvalidInputType": partial(_change_types, lambda operation: operation.inputs),
    "InvalidOutputType": partial(_change_types, lambda operation: operation.outputs),
    "InvalidNumInputs": _change_number_of_inputs,
    "InvalidNumOutputs": _change_number_of_outputs,
    "InvalidOperation": _change_operation,
}
"""Changes that break the declaration of an operation, by the names of CTS's tests."""


def _is_taken(test: TestModel) -> bool:
    """Return True for specs that must work and use an extension. Variants of lifetimes would repeat the same models."""
    of_extension = any(isinstance(operation.type, ExtensionCode) for operation in test.main.operations)
    return of_extension and not test.expect_failure and not test.traits.is_lifetime_variant


@check(SUITE, "GetSupportedOperations", rules=(_RULE,), level=_LEVEL, over=_is_taken)
def supported(subject: Subject, spec: SpecCase) -> None:
    """Every operation of an extension that the driver reports is supported."""
    with built_model(spec.build(), subject.feature_level) as model:
        _require_reported(subject, model)
        answers = ask_supported(subject, model)
        operations = zip(model.main.operations, answers, strict=True)
        missing = [
            index for index, (operation, answer) in enumerate(operations) if is_extension(operation.type) and not answer
        ]
    if missing:
        raise fail(_RULE, f"the extension is reported, but operations {missing} are not supported")


def _check_invalid(name: str, subject: Subject, spec: SpecCase) -> None:
    """Check that the driver prepares a spec's model, and refuses it after the change of the given name."""
    with built_model(spec.build(), subject.feature_level) as model:
        extensions = _require_reported(subject, model)
        prepare_valid(subject, model)
        for what, wrong in _make_wrong_models(model, extensions, _CHANGES[name]):
            _check_refused(subject, wrong, what)


for _name in _CHANGES:
    check(SUITE, _name, rules=(_RULE,), level=_LEVEL, over=_is_taken)(partial(_check_invalid, _name))


def _require_reported(subject: Subject, model: Model) -> list[ExtensionDeclaration]:
    """Return the declarations of the model's extensions.

    :raises CaseFailed: UNSUPPORTED if the driver does not report them all.
    """
    names = {entry.name for entry in model.extension_name_to_prefix}
    missing = names - {extension.name for extension in subject.device.get_supported_extensions()}
    if missing:
        raise unsupported(f"the driver does not report {', '.join(sorted(missing))}")
    return [known_extensions()[name] for name in names]


def _make_wrong_models(
    model: Model, extensions: list[ExtensionDeclaration], change: Change
) -> Iterator[tuple[str, Model]]:
    """Yield the models in which a change makes an operation break its declaration, with a description."""
    for position, operation in enumerate(model.main.operations):
        for what, subgraph in change(model.main, position) if is_extension(operation.type) else ():
            wrong = replace(model, main=subgraph)
            known = resolved(wrong, extensions).main
            declaration = _find_declaration(known.operations[position].type, extensions)
            if declaration is None or not fits(declaration, known.operations[position], known):
                yield f"operation {position}: {what}", wrong


def _find_declaration(code: int, extensions: list[ExtensionDeclaration]) -> OperationDeclaration | None:
    """Return the declaration of an operation by its code; None if no extension has it."""
    operations = (operation for extension in extensions for operation in extension.operations)
    return next((operation for operation in operations if operation.type == code), None)


def _check_refused(subject: Subject, model: Model, what: str) -> None:
    """Check that no method accepts a wrong model. A refusal is INVALID_ARGUMENT, or the answer "unsupported"."""
    try:
        answers = subject.device.get_supported_operations(model)
    except HalError as error:
        if error.status is not ErrorStatus.INVALID_ARGUMENT:
            raise fail(_RULE, f"getSupportedOperations fails with {error}: {what}", status=error.status.name) from error
    else:
        if all(answers):
            raise fail(_RULE, f"all operations are reported as supported: {what}")
    try:
        subject.prepare(model)
    except HalError:
        return
    raise fail(_RULE, f"the model is prepared: {what}")
