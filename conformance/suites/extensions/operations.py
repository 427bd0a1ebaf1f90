"""FibonacciExtensionTest: valid and invalid uses of the operations of an extension that the driver reports.

Google's extension of that name computes Fibonacci numbers; these checks run over the specs of any known extension.
Wrong values of inputs are in the specs themselves. Source: docs/contract/cts-tests.md 2.17.
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
_RULE: Final = "extension/operations"
_LAST_NUMBER: Final = 0xFFFF

Wrong = Iterator[tuple[str, Subgraph]]
Change = Callable[[Subgraph, int], Wrong]
"""Function that yields wrong forms of the operation at a position of a subgraph."""


def _number_of_inputs(subgraph: Subgraph, position: int) -> Wrong:
    operation = subgraph.operations[position]
    first, *rest = operation.inputs
    yield "an input less", _with(subgraph, position, replace(operation, inputs=tuple(rest)))
    yield "an input more", _with(subgraph, position, replace(operation, inputs=(first, *operation.inputs)))


def _number_of_outputs(subgraph: Subgraph, position: int) -> Wrong:
    operation = subgraph.operations[position]
    written = subgraph.operands[operation.outputs[0]]
    extra = replace(written, lifetime=OperandLifeTime.TEMPORARY_VARIABLE)
    larger = replace(subgraph, operands=(*subgraph.operands, extra))
    outputs = (*operation.outputs, len(subgraph.operands))
    yield "an output more", _with(larger, position, replace(operation, outputs=outputs))


def _type_of(indexes: Callable[[Operation], tuple[int, ...]], subgraph: Subgraph, position: int) -> Wrong:
    for index in dict.fromkeys(indexes(subgraph.operations[position])):
        operand = replace(subgraph.operands[index], type=OperandType.TENSOR_INT32, extra_params=None)
        yield f"operand {index} is a TENSOR_INT32", with_operand(subgraph, index, operand)


def _operation(subgraph: Subgraph, position: int) -> Wrong:
    operation = subgraph.operations[position]
    code = operation.type >> EXTENSION_TYPE_LOW_BITS_TYPE << EXTENSION_TYPE_LOW_BITS_TYPE | _LAST_NUMBER
    yield "an operation that the extension does not have", _with(subgraph, position, replace(operation, type=code))


def _with(subgraph: Subgraph, position: int, operation: Operation) -> Subgraph:
    return recounted(with_operation(subgraph, position, operation))


_CHANGES: Final[dict[str, Change]] = {
    "InvalidInputType": partial(_type_of, lambda operation: operation.inputs),
    "InvalidOutputType": partial(_type_of, lambda operation: operation.outputs),
    "InvalidNumInputs": _number_of_inputs,
    "InvalidNumOutputs": _number_of_outputs,
    "InvalidOperation": _operation,
}


def _taken(test: TestModel) -> bool:
    of_extension = any(isinstance(operation.type, ExtensionCode) for operation in test.main.operations)
    return of_extension and not test.expect_failure and not test.traits.is_lifetime_variant


@check(SUITE, "GetSupportedOperations", rules=(_RULE,), level=_LEVEL, over=_taken)
def supported(subject: Subject, spec: SpecCase) -> None:
    """Every operation of an extension that the driver reports is supported."""
    with built_model(spec.build(), subject.feature_level) as model:
        _reported(subject, model)
        answers = ask_supported(subject, model)
        operations = zip(model.main.operations, answers, strict=True)
        missing = [
            index for index, (operation, answer) in enumerate(operations) if is_extension(operation.type) and not answer
        ]
    if missing:
        raise fail(_RULE, f"the extension is reported, but operations {missing} are not supported")


def _invalid(name: str, subject: Subject, spec: SpecCase) -> None:
    with built_model(spec.build(), subject.feature_level) as model:
        extensions = _reported(subject, model)
        prepare_valid(subject, model)
        for what, wrong in _wrong_models(model, extensions, _CHANGES[name]):
            _check_refused(subject, wrong, what)


for _name in _CHANGES:
    check(SUITE, _name, rules=(_RULE,), level=_LEVEL, over=_taken)(partial(_invalid, _name))


def _reported(subject: Subject, model: Model) -> list[ExtensionDeclaration]:
    """Return the declarations of the model's extensions.

    :raises CaseFailed: UNSUPPORTED if the driver does not report them all.
    """
    names = {entry.name for entry in model.extension_name_to_prefix}
    missing = names - {extension.name for extension in subject.device.get_supported_extensions()}
    if missing:
        raise unsupported(f"the driver does not report {', '.join(sorted(missing))}")
    return [known_extensions()[name] for name in names]


def _wrong_models(model: Model, extensions: list[ExtensionDeclaration], change: Change) -> Iterator[tuple[str, Model]]:
    """Yield changed models in which an operation breaks its declaration."""
    for position, operation in enumerate(model.main.operations):
        for what, subgraph in change(model.main, position) if is_extension(operation.type) else ():
            wrong = replace(model, main=subgraph)
            known = resolved(wrong, extensions).main
            declaration = _declaration(known.operations[position].type, extensions)
            if declaration is None or not fits(declaration, known.operations[position], known):
                yield f"operation {position}: {what}", wrong


def _declaration(code: int, extensions: list[ExtensionDeclaration]) -> OperationDeclaration | None:
    operations = (operation for extension in extensions for operation in extension.operations)
    return next((operation for operation in operations if operation.type == code), None)


def _check_refused(subject: Subject, model: Model, what: str) -> None:
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
