"""Checks of vendor extensions: those that a driver reports, and its answers to extensions that it does not know.

Specs test the operations of known extensions. Source: docs/contract/hal.md 3, 7.2 and 10.1.
"""

from __future__ import annotations

from msgspec.structs import replace

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.judging import check_reached
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import ask_supported, built_model, prepare_valid
from nnvet.conformance.engine.siblings import require_simplest
from nnvet.conformance.engine.subject import Subject
from nnvet.generators.graphs.model import TestModel, all_operations
from nnvet.generators.specs import SpecCase
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import known_extensions
from nnvet.hal.operand_types import ExtensionCode, is_extension
from nnvet.hal.types import ExtensionNameAndPrefix, Model, Operand, OperandType, Operation, Subgraph

_SUITE = "ExtensionTest"
_LEVEL = 3
_UNKNOWN = ExtensionNameAndPrefix("nnvet.unknown", 0x7FFE)
_OTHER_PREFIX = 0x1234


def _code(prefix: int, number: int) -> int:
    return prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number


@check(_SUITE, "ReportedTypes", rules=("extension/types",), level=_LEVEL, needs_operation=False)
def reported_types(subject: Subject, _: None) -> None:
    """Known extensions are reported with the operand types of their declarations."""
    reported = [
        extension for extension in subject.device.get_supported_extensions() if extension.name in known_extensions()
    ]
    for extension in reported:
        declared = known_extensions()[extension.name].published
        if sorted(extension.operand_types, key=lambda kind: kind.type) != list(declared.operand_types):
            raise fail(
                "extension/types", f"{extension.name} has types {extension.operand_types}, not {declared.operand_types}"
            )
    if not reported:
        raise unsupported("the driver reports none of the known extensions")


_UNKNOWNS = {
    "operation": (OperandType.TENSOR_FLOAT32, _code(_UNKNOWN.prefix, 1)),
    "operation_on_unknown_type": (_code(_UNKNOWN.prefix, 2), _code(_UNKNOWN.prefix, 1)),
}


@check(_SUITE, "UnknownExtension", rules=("extension/unknown",), level=_LEVEL, parameters=lambda: _UNKNOWNS)
def unknown_extension(subject: Subject, codes: tuple[int, int]) -> None:
    """An operation of an extension that nobody has is unsupported, and its model cannot be prepared."""
    operand_type, operation = codes
    operands = tuple(
        Operand(operand_type, (2,), lifetime=lifetime)
        for lifetime in (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
    )
    model = Model(
        Subgraph(operands, (Operation(operation, (0,), (1,)),), (0,), (1,)), extension_name_to_prefix=(_UNKNOWN,)
    )
    try:
        supported = subject.device.get_supported_operations(model)
    except HalError as error:
        check_reached(error)
        raise fail("extension/unknown", f"getSupportedOperations fails: {error}", status=error.status.name) from error
    if supported != (False,):
        raise fail("extension/unknown", f"getSupportedOperations answers {list(supported)}")
    try:
        subject.prepare(model)
    except HalError:
        require_simplest(subject)
        return
    raise fail("extension/unknown", "a model with an unknown operation is prepared")


def _uses_extension(test: TestModel) -> bool:
    return any(isinstance(operation.type, ExtensionCode) for _, operation in all_operations(test))


@check(_SUITE, "Prefix", rules=("extension/prefix",), level=_LEVEL, over=_uses_extension)
def prefix(subject: Subject, spec: SpecCase) -> None:
    """A driver's answer about a model does not depend on the prefixes that the model chooses for extensions."""
    with built_model(spec.build(), subject.feature_level) as model:
        answers = [ask_supported(subject, asked) for asked in (model, _with_other_prefix(model))]
        if answers[0] != answers[1]:
            raise fail("extension/prefix", f"supported are {list(answers[0])}, with another prefix {list(answers[1])}")
        prepare_valid(subject, model)


def _with_other_prefix(model: Model) -> Model:
    """Return the model with all its extension codes under prefixes from ``_OTHER_PREFIX`` on."""
    new = {entry.prefix: _OTHER_PREFIX + index for index, entry in enumerate(model.extension_name_to_prefix)}

    def moved(code: int) -> int:
        number = code & ((1 << EXTENSION_TYPE_LOW_BITS_TYPE) - 1)
        return _code(new[code >> EXTENSION_TYPE_LOW_BITS_TYPE], number) if is_extension(code) else code

    def changed(subgraph: Subgraph) -> Subgraph:
        return replace(
            subgraph,
            operands=tuple(replace(operand, type=moved(operand.type)) for operand in subgraph.operands),
            operations=tuple(replace(operation, type=moved(operation.type)) for operation in subgraph.operations),
        )

    return replace(
        model,
        main=changed(model.main),
        referenced=tuple(changed(subgraph) for subgraph in model.referenced),
        extension_name_to_prefix=tuple(
            replace(entry, prefix=new[entry.prefix]) for entry in model.extension_name_to_prefix
        ),
    )
