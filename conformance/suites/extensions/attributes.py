"""Suites ``ExtensionTest`` and ``TestValidation/CompilationExtension``: types, prefixes and hints of vendor extensions.

A driver accepts hints that it does not know, refuses operations of unknown extensions, and reports the extensions that
it knows as they are declared. Uses of a known extension's operations are in
:mod:`nnvet.conformance.suites.extensions.operations`; their values come from specs. Source: docs/contract/cts-tests.md
4.2; docs/contract/hal.md 3, 7.2, 10.1 and 10.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.calls import PreparedModelRecorder, prepare
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import Executor, TestConfig, await_fenced_end
from nnvet.conformance.kit.handmade import check_exactly, check_execution, check_test, prepare_test
from nnvet.conformance.kit.judging import check_reached
from nnvet.conformance.kit.notified import Ledger
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.kit.siblings import require_simplest
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.validation.models import SUITE, sum_of_inputs
from nnvet.generators.specs import SpecCase
from nnvet.graphs.model import TestModel, all_operations
from nnvet.hal import types as hal
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, NO_DEADLINE, ErrorStatus, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.extensions import known_extensions
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import ExtensionCode, is_extension

_LEVEL: Final = 8
"""First feature level with hints."""
_RULE: Final = "extension/hints"
"""Rule of a driver that refuses hints, or computes something else with them."""
_EXTENSION: Final = hal.ExtensionNameAndPrefix("nnvet.unknown", 0x7FFE)
"""An extension that no driver knows, under a prefix that only the model chooses."""


def _make_hint(number: int, value: bytes) -> hal.TokenValuePair:
    """Return the hint of a number within the unknown extension."""
    return hal.TokenValuePair(_EXTENSION.prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number, value)


_HINTS: Final = (_make_hint(1, b"first"), _make_hint(2, b""))
"""Valid hints, one of them with an empty value."""
_TWICE: Final = (_make_hint(1, b"first"), _make_hint(1, b"second"))
"""Two hints with the same token."""


def _config_with(hints: tuple[hal.TokenValuePair, ...]) -> hal.PrepareModelConfig:
    """Return the configuration of a preparation with hints."""
    return hal.PrepareModelConfig(compilation_hints=hints, extension_name_to_prefix=(_EXTENSION,))


@check(SUITE, "CompilationExtension/AddExtensionAttribute", rules=(_RULE,), level=_LEVEL)
def compilation_hints(subject: Subject, _: None) -> None:
    """A model is prepared with hints; with a repeated token it may be prepared or refused with INVALID_ARGUMENT."""
    recorder, ledger = PreparedModelRecorder(), Ledger(subject, "prepare")
    check_test(subject, sum_of_inputs(), TestConfig(Executor.SYNC))
    with built_model(sum_of_inputs(), subject.feature_level) as model:
        try:
            prepared = prepare(subject.device, model, _config_with(_HINTS), subject.timeout_s)
        except HalError as error:
            raise fail(_RULE, f"a preparation with hints fails: {error}", status=error.status.name) from error
        try:
            prepare(subject.device, model, _config_with(_TWICE), subject.timeout_s, callback=recorder)
        except HalError as error:
            _check_duplicate(error, "preparation")
            ledger.refused(recorder, error.status, "prepareModel with a token twice")
        ledger.settle()
    check_execution(subject, prepared, sum_of_inputs(), TestConfig(Executor.SYNC))


Execute = Callable[[PreparedModel, hal.Request, hal.ExecutionConfig, float], object]
"""Function that executes a request with a configuration; the float is the most seconds to wait."""


def _execute_synchronously(
    prepared: PreparedModel, request: hal.Request, config: hal.ExecutionConfig, _timeout: float
) -> object:
    """Execute by executeSynchronously."""
    return prepared.execute_synchronously(request, config, NO_DEADLINE)


def _execute_by_burst(
    prepared: PreparedModel, request: hal.Request, config: hal.ExecutionConfig, _timeout: float
) -> object:
    """Execute on a new burst."""
    tokens = tuple(range(len(request.pools)))
    return prepared.configure_execution_burst().execute_synchronously(request, tokens, config, NO_DEADLINE)


def _execute_fenced(
    prepared: PreparedModel, request: hal.Request, config: hal.ExecutionConfig, timeout_s: float
) -> object:
    """Execute by executeFenced, and wait for the end."""
    return await_fenced_end(prepared.execute_fenced(request, (), config, NO_DEADLINE, NO_DEADLINE), timeout_s)


def _execute_reusable(
    prepared: PreparedModel, request: hal.Request, config: hal.ExecutionConfig, _timeout: float
) -> object:
    """Execute by a new reusable execution."""
    return prepared.create_reusable_execution(request, config).execute_synchronously(NO_DEADLINE)


_EXECUTIONS: Final[dict[str, Execute]] = {
    "sync": _execute_synchronously,
    "burst": _execute_by_burst,
    "fenced": _execute_fenced,
    "reusable": _execute_reusable,
}
"""Executors that take hints, by the arguments of the cases."""


@check(
    SUITE,
    "CompilationExtension/ExecutionAddExtensionAttribute",
    rules=(_RULE,),
    level=_LEVEL,
    parameters=lambda: _EXECUTIONS,
)
def execution_hints(subject: Subject, run: Execute) -> None:
    """An execution with hints gives the same results; with a repeated token it may be refused with INVALID_ARGUMENT."""
    test = sum_of_inputs()
    prepared = prepare_test(subject, test)
    with open_request(test) as packed:
        for hints in (_TWICE, _HINTS):
            config = hal.ExecutionConfig(execution_hints=hints, extension_name_to_prefix=(_EXTENSION,))
            try:
                run(prepared, packed.request, config, subject.timeout_s)
            except HalError as error:
                if hints is _TWICE:
                    _check_duplicate(error, "execution")
                    continue
                raise fail(_RULE, f"an execution with hints fails: {error}", status=error.status.name) from error
            check_exactly(packed.output_arrays(test.main.outputs), test)


def _check_duplicate(error: HalError, what: str) -> None:
    """Check that the refusal of a repeated token is INVALID_ARGUMENT."""
    if error.status is not ErrorStatus.INVALID_ARGUMENT:
        reason = f"the {what} with a token twice fails with {error}, not INVALID_ARGUMENT"
        raise fail(_RULE, reason, status=error.status.name)


_SUITE = "ExtensionTest"
_LISTING_LEVEL = 3
"""First feature level (HAL 1.2) with extensions."""
_UNKNOWN = hal.ExtensionNameAndPrefix("nnvet.unknown", 0x7FFE)
"""The same unknown extension, for models."""
_OTHER_PREFIX = 0x1234
"""First of the prefixes that a model gets instead of its own; any free number will do."""


def _join_code(prefix: int, number: int) -> int:
    """Return the code of a type or operation: the extension's prefix in the high bits, the number in the low ones."""
    return prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number


@check(_SUITE, "ReportedTypes", rules=("extension/types",), level=_LISTING_LEVEL, needs_operation=False)
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
    "operation": (hal.OperandType.TENSOR_FLOAT32, _join_code(_UNKNOWN.prefix, 1)),
    "operation_on_unknown_type": (_join_code(_UNKNOWN.prefix, 2), _join_code(_UNKNOWN.prefix, 1)),
}
"""Types of the operands and code of the operation, by the arguments of the cases."""


@check(_SUITE, "UnknownExtension", rules=("extension/unknown",), level=_LISTING_LEVEL, parameters=lambda: _UNKNOWNS)
def unknown_extension(subject: Subject, codes: tuple[int, int]) -> None:
    """An operation of an extension that nobody has is unsupported, and its model cannot be prepared."""
    operand_type, operation = codes
    operands = tuple(
        hal.Operand(operand_type, (2,), lifetime=lifetime)
        for lifetime in (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
    )
    model = hal.Model(
        hal.Subgraph(operands, (hal.Operation(operation, (0,), (1,)),), (0,), (1,)),
        extension_name_to_prefix=(_UNKNOWN,),
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
    """Return True if any operation of a test belongs to an extension."""
    return any(isinstance(operation.type, ExtensionCode) for _, operation in all_operations(test))


@check(_SUITE, "Prefix", rules=("extension/prefix",), level=_LISTING_LEVEL, over=_uses_extension)
def prefix(subject: Subject, spec: SpecCase) -> None:
    """A driver's answer about a model does not depend on the prefixes that the model chooses for extensions."""
    with built_model(spec.build(), subject.feature_level) as model:
        answers = [ask_supported(subject, asked) for asked in (model, _with_other_prefix(model))]
        if answers[0] != answers[1]:
            raise fail("extension/prefix", f"supported are {list(answers[0])}, with another prefix {list(answers[1])}")
        prepare_valid(subject, model)


def _with_other_prefix(model: hal.Model) -> hal.Model:
    """Return the model with all its extension codes under prefixes from ``_OTHER_PREFIX`` on."""
    new = {entry.prefix: _OTHER_PREFIX + index for index, entry in enumerate(model.extension_name_to_prefix)}

    def moved(code: int) -> int:
        number = code & ((1 << EXTENSION_TYPE_LOW_BITS_TYPE) - 1)
        return _join_code(new[code >> EXTENSION_TYPE_LOW_BITS_TYPE], number) if is_extension(code) else code

    def changed(subgraph: hal.Subgraph) -> hal.Subgraph:
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
