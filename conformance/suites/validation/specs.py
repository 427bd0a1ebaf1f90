"""Suite ``ValidationTest``: for each spec, broken copies of its model and of its request, by every executor.

``Test`` has VTS's mutations, ``FurtherMutations`` those that it lacks; :mod:`nnvet.generators.mutations` makes them,
and :mod:`nnvet.conformance.kit.invalid_requests` tries them. Broken copies of small models are in ``models.py`` and
``requests.py`` beside this module. Source: docs/contract/vts-tests.md 2, 3 and 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from nnvet.conformance.kit import invalid_requests, preparing
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Executor, TestConfig, basic_config, execute
from nnvet.conformance.kit.judging import check_answer, precision_rules
from nnvet.conformance.kit.outcome import Outcome, fail, passed
from nnvet.conformance.kit.siblings import blame_acceptance, require_execution, require_sibling
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.editing import Mutant, Mutation
from nnvet.generators.mutations.operations import FURTHER_MUTATIONS, VTS_MUTATIONS, mutants_of, refused_at, sample
from nnvet.generators.mutations.requests import FURTHER_REQUEST_MUTATIONS, VTS_REQUEST_MUTATIONS, RequestMutation
from nnvet.generators.specs import SpecCase
from nnvet.graphs.model import TestModel, is_infinite_loop_timeout_test
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.levels import LAST_HIDL_LEVEL
from nnvet.hal.types import Model, Timing

_SUITE = "ValidationTest"
_MOST_FURTHER = 24
"""Size of the sample of further mutations for each model; VTS's own mutations are all sent."""
_ONE_IN = 1024
"""One of this many spec cases is in the usual run, because a case takes as long as two hundred others."""
_LOOP_TIMEOUT_NS = 1_000_000
"""Timeout of an endless loop, 1 ms as in VTS."""
_RULES = (
    *invalid_requests.STRUCTURE,
    *invalid_requests.REFUSED_MODELS,
    *invalid_requests.REFUSED,
    "execution/expected_failure",
)
"""Rules of refusing wrong models and requests."""


def is_validated(test: TestModel) -> bool:
    """Return True if VTS validates a test; it leaves out those that differ from another one only in lifetimes."""
    return not test.traits.is_lifetime_variant


def is_in_sample(spec: SpecCase) -> bool:
    """Return True if the usual run has the cases over a spec's case, which depends only on its name."""
    return crc32(spec.name.encode()) % _ONE_IN == 0


@check(
    _SUITE,
    "Test",
    rules=(*_RULES, "prepare/preference", "prepare/priority", "prepare/deadline", "execution/fence", "burst/tokens"),
    over=is_validated,
    usual=is_in_sample,
)
def validation_test(subject: Subject, spec: SpecCase) -> Outcome:
    """VTS's mutated models and requests are refused."""
    return _validate(subject, spec.build(), VTS_MUTATIONS, VTS_REQUEST_MUTATIONS)


@check(_SUITE, "FurtherMutations", rules=_RULES, over=is_validated, usual=is_in_sample)
def further_mutations(subject: Subject, spec: SpecCase) -> Outcome:
    """Mutations that VTS states not to cover are refused, too."""
    return _validate(subject, spec.build(), FURTHER_MUTATIONS, FURTHER_REQUEST_MUTATIONS, _MOST_FURTHER)


def _validate(
    subject: Subject,
    test: TestModel,
    mutations: Mapping[str, Mutation],
    requests: Mapping[str, RequestMutation],
    limit: int | None = None,
) -> Outcome:
    """Check that mutated models and requests of a test are refused, and that the driver still works afterwards.

    ``limit`` is the size of the sample of each; None: all are tried.
    """
    with preparing.built_model(test, subject.feature_level) as model:
        if test.expect_failure and _is_refused(subject, model):
            require_sibling(subject, test)
            return passed(mutants=0, note="the model itself must be refused, and is")
        preparing.ask_supported(subject, model, may_be_invalid=test.expect_failure)
        mutants = _make_mutants(subject, mutations, model)
        chosen = sample(mutants, limit, test.name)
        invalid_requests.try_mutants(subject, chosen)
        if mutations is VTS_MUTATIONS:
            invalid_requests.try_configs(subject, model)
        prepared = preparing.prepare_valid(subject, model, may_be_invalid=test.expect_failure)
        if test.expect_failure:
            _execute_failure(subject, test, prepared)
        else:
            _try_requests(subject, test, model, prepared, requests, limit)
    return passed(mutants=len(chosen), of=sum(map(len, mutants.values())))


def _make_mutants(subject: Subject, mutations: Mapping[str, Mutation], model: Model) -> dict[str, list[Mutant]]:
    """Return the mutants that the driver must refuse at its own level, by mutation."""
    mutants = mutants_of(mutations, model, subject.feature_level)
    own = subject.device.get_feature_level()
    return mutants if own <= subject.feature_level else refused_at(own, mutants)


def _is_refused(subject: Subject, model: Model) -> bool:
    """Return True if the driver says of a model that it is invalid, or that an operation is not supported."""
    try:
        return not all(subject.device.get_supported_operations(model))
    except HalError as error:
        return error.status is ErrorStatus.INVALID_ARGUMENT


def _try_requests(
    subject: Subject,
    test: TestModel,
    model: Model,
    prepared: PreparedModel,
    mutations: Mapping[str, RequestMutation],
    limit: int | None,
) -> None:
    """Check that mutated requests are refused, and that the valid one is executed before and after them."""
    config = basic_config(subject)
    with preparing.open_request(test) as packed:
        request = packed.request
        mutants = {name: list(mutate(request, model, subject.feature_level)) for name, mutate in mutations.items()}
        invalid_requests.check_every_executor(subject, prepared, test, request)
        invalid_requests.try_requests(subject, prepared, sample(mutants, limit, test.name))
        if mutations is VTS_REQUEST_MUTATIONS:
            if subject.feature_level >= EXECUTOR_LEVELS[Executor.FENCED]:
                invalid_requests.try_bad_fence(prepared, request)
            if subject.feature_level > LAST_HIDL_LEVEL:
                invalid_requests.try_burst_tokens(prepared, request)
        # The refused requests must not have harmed the model.
        for answer in execute(prepared, request, config, subject.timeout_s):
            if check_answer(answer, test, config):
                precision_rules(test, packed.output_arrays(test.main.outputs))


def _execute_failure(subject: Subject, test: TestModel, prepared: PreparedModel) -> None:
    """Check that an execution that must fail does so, without shapes and times."""
    timeout_ns = _LOOP_TIMEOUT_NS if is_infinite_loop_timeout_test(test) else NO_DEADLINE
    config = TestConfig(Executor.SYNC, loop_timeout_ns=timeout_ns)
    with preparing.open_request(test) as packed:
        answer = execute(prepared, packed.request, config, subject.timeout_s)[0]
    if answer.status is ErrorStatus.NONE:
        raise blame_acceptance(test, "the execution must fail, but it succeeds")
    if answer.output_shapes or answer.timing != Timing():
        raise fail("execution/output.shapes", f"shapes or timing are reported with {answer.status.name}")
    require_execution(subject, config)
