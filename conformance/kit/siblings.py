"""Positive controls: a refusal counts only if the driver accepts the valid sibling.

A driver that refuses everything must not pass tests of refusals. So each such test first needs a valid sibling: for a
model that must be refused, a model of the same operations and operand types, made from their declarations
(:mod:`nnvet.generators.operation_models`); for a request that must fail, a small sum. Checks call one of the
``require_...`` functions after the refusal. The driver's answer to a sibling is remembered for as long as its process
lives.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, suppress
from functools import cache, partial
from typing import Final

from nnvet.adapters.calls import prepare
from nnvet.adapters.drivers import open_driver
from nnvet.conformance.kit.checks import begun_ahead
from nnvet.conformance.kit.executing import Executor, TestConfig, execute, run_test
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.conformance.kit.preparing import Attempt, BegunAttempt, attempt, built_model, open_request
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.operation_models import OperationForm, forms_of, model_of
from nnvet.graphs.builder import GraphBuilder, counting_loop
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel, TestSubgraph, all_operations, operation_name
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import ExtensionCode, type_name
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.rules import all_rules
from nnvet.hal.types import FeatureLevel, Model, OperandType, OperationType
from nnvet.hal.validation import required_level
from nnvet.reports.events import Verdict
from nnvet.transport.wire.failures import DriverGone

_ACCEPTED: Final = ""
"""The refusal of a driver that does not refuse."""
_MOST_FORMS: Final = 4
"""Number of forms (valid models of an operation) to try before the operation counts as unsupported with these types."""
_SHORT_LOOP_NS: Final = 1_000_000
"""Loop time-out of a driver that is asked for a broken rule: loops without end break none."""
_PATIENCE_S: Final = 60.0
"""Time limit of that execution."""

_Types = tuple[int, ...]
"""Types of the inputs or outputs of an operation."""


def require_model(subject: Subject, key: Hashable, build: Callable[[], Model], what: str) -> None:
    """Check that the driver supports and prepares a valid model; it is asked once for each ``key``.

    :raises CaseFailed: UNSUPPORTED if it does not.
    """
    refusal = _ask_once(subject, key, lambda: _refusal_of(subject, build()))
    if refusal:
        raise _discount(what, refusal)


def require_form(subject: Subject, *forms: OperationForm) -> None:
    """Check that the driver accepts one of several forms of an operation.

    :raises CaseFailed: UNSUPPORTED if it accepts none.
    """
    refusal = _ACCEPTED
    for form in forms:
        refusal = _ask_once(subject, _key_of(form), partial(_refusal_of_form, subject, form))
        if refusal is _ACCEPTED:
            return
    raise _discount(f"a valid {forms[0].declaration.name} of {forms[0].type_names}", refusal)


def announce_form(subject: Subject, form: OperationForm) -> None:
    """Begin the preparation that :func:`require_form` waits for, unless its answer is known."""
    key, begun = _key_of(form), begun_ahead(subject)
    if key not in begun and ("sibling", key) not in subject.shared:
        begun[key] = BegunAttempt(subject, model_of(form))


def _key_of(form: OperationForm) -> Hashable:
    return "form", form.declaration.type, form.inputs, form.outputs


def require_sibling(subject: Subject, test: TestModel) -> None:
    """Check that the driver accepts each operation of a refused test in a valid model with operands of the same types.

    If no valid model has these types, other types do. If the operation is newer than the driver's level, one of the
    simplest models does. For an operation of an extension, whose parameters are unknown here, one of the simplest
    models does, too, and the driver has to report the extension.

    :raises CaseFailed: UNSUPPORTED if it accepts no such model.
    """
    for subgraph, operation in all_operations(test):
        inputs, outputs = (
            tuple(subgraph.operands[index].type for index in indexes)
            for indexes in (operation.inputs, operation.outputs)
        )
        key = operation.type, inputs, outputs
        refusal = _ask_once(subject, key, partial(_refusal_of_operation, subject, *key))
        if refusal:
            types = "+".join(dict.fromkeys(map(type_name, inputs)))
            raise _discount(f"a valid {operation_name(operation.type)} of {types}", refusal)


def require_execution(subject: Subject, config: TestConfig) -> None:
    """Check that the driver executes one of the simplest models by ``config``, so not every execution fails.

    :raises CaseFailed: UNSUPPORTED if it executes none.
    """
    plain = TestConfig(config.executor)
    refusal = _ask_once(subject, plain, lambda: _refusal_of_simplest(subject, plain))
    if refusal:
        raise _discount("the simplest of models, a sum", refusal)


def require_simplest(subject: Subject) -> None:
    """Check that the driver accepts one of the simplest models.

    :raises CaseFailed: UNSUPPORTED if it accepts none.
    """
    refusal = _ask_once(subject, "simplest", lambda: _refusal_of_simplest(subject))
    if refusal:
        raise _discount("the simplest of models, a sum", refusal)


def blame_acceptance(test: TestModel, reason: str) -> CaseFailed:
    """Return FAIL for a driver that accepts a test that must fail; the reason gets the rule that the test breaks.

    Specs do not say which rule they break. The bundled driver is asked, because it refuses with a rule.
    """
    refusal = None
    # A loss of the bundled driver, such as a time-out, must not count as one of the driver under test.
    with suppress(DriverGone), open_driver("reference", in_process=True) as bundled:
        refusal = find_refusal(bundled.device, test)
    if refusal is None or refusal.rule not in all_rules() or refusal.rule in UNINTENDED:
        return fail("execution/expected_failure", reason)
    return fail("execution/expected_failure", f"{reason}: {refusal.message} ({refusal.rule})", broken_rule=refusal.rule)


def find_refusal(device: Device, test: TestModel) -> HalError | None:
    """Return the error by which a driver refuses a model or its execution; None if it takes both."""
    model = build_model(test)
    try:
        config = TestConfig(Executor.SYNC, loop_timeout_ns=_SHORT_LOOP_NS)
        answer = run_test(prepare(device, model, timeout_s=None), test, config, device, _PATIENCE_S)[0]
    except HalError as error:
        return error
    finally:
        close_pools(model)
    return None if answer.status is ErrorStatus.NONE else HalError(answer.status, answer.message, answer.rule)


def _discount(what: str, refusal: str) -> CaseFailed:
    """Return UNSUPPORTED: the refusal does not count, since the driver refuses the valid sibling, too."""
    return unsupported(f"what is wrong is refused, but so is {what}: {refusal}")


def _ask_once(subject: Subject, key: Hashable, ask: Callable[[], str]) -> str:
    """Return the reason why the driver does not accept the sibling of that key; empty if it does."""
    known = ("sibling", key)
    refusal: str
    if known not in subject.shared:
        before = len(subject.unintended)
        refusal = ask()
        subject.shared[known] = refusal, subject.unintended[before:]
        return refusal
    refusal, unintended = subject.shared[known]
    # A case must end in the same way, whether or not it is the first to ask.
    subject.unintended.extend(unintended)
    return refusal


def _refusal_of(subject: Subject, model: Model) -> str:
    """Return the reason why the driver does not accept a model; empty if it does."""
    return _refusal_in(attempt(subject, model))


def _refusal_in(tried: Attempt) -> str:
    """Return the driver's refusal, if any; a driver that denies support and then prepares has refused, too."""
    if tried.error is not None:
        return str(tried.error)
    return _ACCEPTED if tried.prepared is not None and all(tried.supported) else "it is not supported"


def _refusal_of_form(subject: Subject, form: OperationForm) -> str:
    """Return the reason why the driver does not accept a form of an operation; empty if it does."""
    begun = begun_ahead(subject).pop(_key_of(form), None)
    return _refusal_of(subject, model_of(form)) if begun is None else _refusal_in(begun.finish(subject))


def _refusal_of_operation(subject: Subject, operation: int, inputs: _Types, outputs: _Types) -> str:
    """Return the reason why the driver accepts no valid model of an operation; empty if it accepts one."""
    if isinstance(operation, ExtensionCode):
        reported = {extension.name for extension in subject.device.get_supported_extensions()}
        if operation.extension not in reported:
            return "the driver does not report the extension"
        return _refusal_of_simplest(subject)
    if operation in _CONTROL_FLOW:
        return _refusal_of_test(subject, _CONTROL_FLOW[operation]())
    models = [model for model in _list_models(operation, inputs, outputs) if _is_valid(model, subject.feature_level)]
    if not models:
        return _refusal_of_simplest(subject)
    refusal = _ACCEPTED
    for model in models:
        refusal = _refusal_of(subject, model)
        if refusal is _ACCEPTED:
            break
    return refusal


def _refusal_of_test(subject: Subject, test: TestModel) -> str:
    """Return the reason why the driver does not accept a test's model; empty if it does."""
    with built_model(test, subject.feature_level) as model:
        return _refusal_of(subject, model)


def _list_models(operation: int, inputs: _Types, outputs: _Types) -> Iterator[Model]:
    """Yield valid models of an operation, beginning with those whose types are nearest to the given ones."""

    def distance(form: OperationForm) -> tuple[bool, ...]:
        return (form.inputs, form.outputs) != (inputs, outputs), form.inputs != inputs, form.inputs[:1] != inputs[:1]

    nearest = sorted(_list_forms().get(operation, ()), key=distance)
    best = [form for form in nearest if distance(form) == distance(nearest[0])][:_MOST_FORMS]
    for form in best:
        # Some drivers do not accept unknown ranks, so the second model has dimensions of size one.
        for ranks in (None, {index: _least_rank(form, index) for index in range(len(form.inputs))}):
            yield model_of(form, ranks)


def _is_valid(model: Model, level: int) -> bool:
    """Return True if a model is valid at a feature level."""
    try:
        return required_level(model) <= level
    except HalError:
        # Dimensions of size one are not valid for every operation.
        return False


def _least_rank(form: OperationForm, index: int) -> int:
    """Return the lowest rank that an input of a form may have."""
    rank = form.formals[index].rank
    return max(rank[0], 1) if rank else 1


@cache
def _list_forms() -> dict[int, tuple[OperationForm, ...]]:
    """Return the forms of each operation, by its type."""
    return {declaration.type: tuple(forms_of(declaration)) for declaration in declarations().values()}


def _refusal_of_simplest(subject: Subject, config: TestConfig | None = None) -> str:
    """Return the driver's refusal of all simplest models; with ``config``, they have to be executed, too."""
    refusal = _ACCEPTED
    for kind, scale in _SIMPLEST.items():
        refusal = _refusal_of_sum(subject, _build_sum(kind, scale), config)
        if refusal is _ACCEPTED:
            break
    return refusal


def _refusal_of_sum(subject: Subject, test: TestModel, config: TestConfig | None) -> str:
    """Return the reason why the driver does not accept or (with ``config``) execute a sum; empty if it does."""
    with ExitStack() as stack:
        try:
            model = stack.enter_context(built_model(test, subject.feature_level))
        except CaseFailed as failed:
            if failed.outcome.verdict is not Verdict.UNSUPPORTED:
                raise
            return failed.outcome.reason
        tried = attempt(subject, model)
        refusal = _refusal_in(tried)
        if refusal or config is None:
            return refusal
        packed = stack.enter_context(open_request(test))
        answer = execute(tried.required(), packed.request, config, subject.timeout_s)[0]
        return _ACCEPTED if answer.status is ErrorStatus.NONE else f"{answer.status.name} {answer.message}".rstrip()


_SIMPLEST: Final = {
    OperandType.TENSOR_FLOAT32: 0.0,
    OperandType.TENSOR_QUANT8_ASYMM: 1.0,
    OperandType.TENSOR_FLOAT16: 0.0,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: 1.0,
    OperandType.TENSOR_INT32: 0.0,
}
"""Types of the sums, each with its scale."""


def _build_sum(kind: OperandType, scale: float) -> TestModel:
    """Return the sum of two vectors of a type."""
    graph = GraphBuilder()
    terms = (graph.input(kind, (2,), [1, 2], scale), graph.input(kind, (2,), [3, 4], scale))
    inputs = (*terms, graph.scalar(OperandType.INT32, 0))
    graph.operation(OperationType.ADD, inputs, graph.output(kind, (2,), [4, 6], scale))
    return graph.finish(f"sum_of_{kind.name}")


def _build_choice() -> TestModel:
    """Return an IF that chooses between a number and its double."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    condition = graph.input(OperandType.TENSOR_BOOL8, (1,), [1])
    branches = graph.subgraph(0), graph.subgraph(1)
    value = graph.input(kind, (1,), [1])
    graph.operation(OperationType.IF, (condition, *branches, value), graph.output(kind, (1,), [2]))
    return graph.finish("choice", FeatureLevel.FL4, (_build_doubling(), _build_doubling()))


def _build_doubling() -> TestSubgraph:
    """Return a branch that doubles its input."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    value, activation = graph.input(kind, (1,), []), graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (value, value, activation), graph.output(kind, (1,), []))
    return graph.finish_subgraph()


_CONTROL_FLOW: Final[dict[int, Callable[[], TestModel]]] = {
    OperationType.IF: _build_choice,
    OperationType.WHILE: lambda: counting_loop(1),
}
"""Operations on subgraphs: no model can be derived from their declarations."""
