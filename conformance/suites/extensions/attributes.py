"""TestValidation, CompilationExtension: a driver accepts hints of extensions, even those that it does not know.

Source: docs/contract/cts-tests.md 4.2; docs/contract/hal.md 10.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nnvet.adapters.calls import PreparedModelRecorder, prepare
from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.executing import Executor, TestConfig, end_of_fenced
from nnvet.conformance.engine.handmade import check_exactly, check_execution, check_test, prepare_test
from nnvet.conformance.engine.notified import Ledger
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import built_model, open_request
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.validation.models import SUITE, sum_of_inputs
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE, NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import ExecutionConfig, ExtensionNameAndPrefix, PrepareModelConfig, Request, TokenValuePair

_LEVEL: Final = 8
_RULE: Final = "extension/hints"
_EXTENSION: Final = ExtensionNameAndPrefix("nnvet.unknown", 0x7FFE)


def _hint(number: int, value: bytes) -> TokenValuePair:
    return TokenValuePair(_EXTENSION.prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number, value)


_HINTS: Final = (_hint(1, b"first"), _hint(2, b""))
_TWICE: Final = (_hint(1, b"first"), _hint(1, b"second"))


def _compilation(hints: tuple[TokenValuePair, ...]) -> PrepareModelConfig:
    return PrepareModelConfig(compilation_hints=hints, extension_name_to_prefix=(_EXTENSION,))


@check(SUITE, "CompilationExtension/AddExtensionAttribute", rules=(_RULE,), level=_LEVEL)
def compilation_hints(subject: Subject, _: None) -> None:
    """A model is prepared with hints; with a repeated token it may be prepared or refused with INVALID_ARGUMENT."""
    recorder, ledger = PreparedModelRecorder(), Ledger(subject, "prepare")
    check_test(subject, sum_of_inputs(), TestConfig(Executor.SYNC))
    with built_model(sum_of_inputs(), subject.feature_level) as model:
        try:
            prepared = prepare(subject.device, model, _compilation(_HINTS), subject.timeout_s)
        except HalError as error:
            raise fail(_RULE, f"a preparation with hints fails: {error}", status=error.status.name) from error
        try:
            prepare(subject.device, model, _compilation(_TWICE), subject.timeout_s, callback=recorder)
        except HalError as error:
            _check_duplicate(error, "preparation")
            ledger.refused(recorder, error.status, "prepareModel with a token twice")
        ledger.settle()
    check_execution(subject, prepared, sum_of_inputs(), TestConfig(Executor.SYNC))


Execute = Callable[[PreparedModel, Request, ExecutionConfig, float], object]


def _synchronous(prepared: PreparedModel, request: Request, config: ExecutionConfig, _timeout: float) -> object:
    return prepared.execute_synchronously(request, config, NO_DEADLINE)


def _burst(prepared: PreparedModel, request: Request, config: ExecutionConfig, _timeout: float) -> object:
    tokens = tuple(range(len(request.pools)))
    return prepared.configure_execution_burst().execute_synchronously(request, tokens, config, NO_DEADLINE)


def _fenced(prepared: PreparedModel, request: Request, config: ExecutionConfig, timeout_s: float) -> object:
    return end_of_fenced(prepared.execute_fenced(request, (), config, NO_DEADLINE, NO_DEADLINE), timeout_s)


def _reusable(prepared: PreparedModel, request: Request, config: ExecutionConfig, _timeout: float) -> object:
    return prepared.create_reusable_execution(request, config).execute_synchronously(NO_DEADLINE)


_EXECUTIONS: Final[dict[str, Execute]] = {
    "sync": _synchronous,
    "burst": _burst,
    "fenced": _fenced,
    "reusable": _reusable,
}


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
            config = ExecutionConfig(execution_hints=hints, extension_name_to_prefix=(_EXTENSION,))
            try:
                run(prepared, packed.request, config, subject.timeout_s)
            except HalError as error:
                if hints is _TWICE:
                    _check_duplicate(error, "execution")
                    continue
                raise fail(_RULE, f"an execution with hints fails: {error}", status=error.status.name) from error
            check_exactly(packed.output_arrays(test.main.outputs), test)


def _check_duplicate(error: HalError, what: str) -> None:
    if error.status is not ErrorStatus.INVALID_ARGUMENT:
        reason = f"the {what} with a token twice fails with {error}, not INVALID_ARGUMENT"
        raise fail(_RULE, reason, status=error.status.name)
