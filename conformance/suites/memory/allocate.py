"""Suite ``MemoryDomainAllocateTest``: allocations of device memory with bad arguments.

A function with ``@_refuse`` yields wrong allocations, and becomes a check that all of them are refused. In VTS every
driver may answer GENERAL_FAILURE. Here only a driver without device memory may, and it is UNSUPPORTED. Neighbours:
``copy.py`` and ``execution.py`` use valid device memory. Source: docs/contract/vts-tests.md 6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from nnvet.adapters.calls import session_of
from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.device_memory import allocate
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.memory import domain
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import BufferDesc, BufferRole, OperandType
from nnvet.transport.wire.proxies import PROXIES, Proxy

COVERS = {"InvalidFrequency": ("InvalidProbability",)}
"""Names of tests in VTS that checks cover under another name: HAL 1.3 calls the probability a frequency."""

_SUITE = "MemoryDomainAllocateTest"
"""Name of the suite, as in VTS."""
_UNKNOWN_OBJECT = 2**40
"""An id far above those that a session gives to objects."""
_PROBABILITIES = (10.0, 0.0, -0.5, float("nan"))
"""Invalid probabilities of a role; valid ones are greater than 0 and at most 1."""
_BATCHES = (1, 4)
"""Batches that contradict each other."""
_PER_CHANNEL = {"TENSOR_QUANT8_SYMM_PER_CHANNEL": None}
"""The only type with a list of scales, as the argument of a case."""
_ROUNDS = 3
"""Allocations of each kind of role, all of which exist at the same time."""
_OTHER_TYPES = {
    OperandType.TENSOR_FLOAT32: OperandType.TENSOR_FLOAT16,
    OperandType.TENSOR_FLOAT16: OperandType.TENSOR_FLOAT32,
    OperandType.TENSOR_QUANT8_ASYMM: OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED: OperandType.TENSOR_QUANT8_ASYMM,
}
"""For each type another one, with which its role conflicts."""


class AllocationCase(NamedTuple):
    """Wrong arguments of an allocation, with a description of the error."""

    what: str
    models: Sequence[PreparedModel | None]
    inputs: Sequence[BufferRole] = ()
    outputs: Sequence[BufferRole] = ()
    dimensions: Sequence[int] = ()


Attempts = Callable[[Subject, OperandType], Iterator[AllocationCase]]
"""Function that yields the wrong allocations of a check."""


def _list_quantized() -> dict[str, OperandType]:
    """Return the quantised types, by the arguments of the cases."""
    return {name: kind for name, kind in domain.by_type().items() if type_info(kind).is_quantized}


def _refuse(
    name: str, rule: str, parameters: Callable[[], Mapping[str, OperandType]] = domain.by_type
) -> Callable[[Attempts], Attempts]:
    """Register a check of several allocations, all of which have to be refused because of ``rule``."""

    def register(attempts: Attempts) -> Attempts:
        @check(_SUITE, name, rules=(rule, "allocate/answer"), level=domain.LEVEL, parameters=parameters)
        def body(subject: Subject, operand_type: OperandType) -> None:
            prepared = domain.prepare_convolution(subject, operand_type)
            offers = allocate(subject.device, (prepared,), domain.ROLE) is not None
            for attempt in attempts(subject, operand_type):
                _try(subject, attempt, rule, offers=offers)
            # The refused allocations must not have harmed the driver.
            if (allocate(subject.device, (prepared,), domain.ROLE) is not None) != offers:
                raise fail("allocate/answer", "after bad allocations a good one does not end as before")
            _require_offer(offers=offers)

        return attempts

    return register


def _require_offer(*, offers: bool) -> None:
    """Check that the driver accepts a valid allocation, without which refusals do not count."""
    if not offers:
        raise unsupported("the driver has no device memory for valid roles either", "allocate/supported")


def _try(subject: Subject, attempt: AllocationCase, rule: str, *, offers: bool) -> None:
    """Check that an allocation is refused with INVALID_ARGUMENT; without device memory also with GENERAL_FAILURE."""
    desc = BufferDesc(tuple(attempt.dimensions))
    try:
        subject.device.allocate(desc, attempt.models, attempt.inputs, attempt.outputs)  # type: ignore[arg-type]
    except HalError as error:
        if error.status is ErrorStatus.INVALID_ARGUMENT or (error.status is ErrorStatus.GENERAL_FAILURE and not offers):
            return
        reason = f"{attempt.what}: {error}, expected INVALID_ARGUMENT"
        raise fail(rule, reason, status=error.status.name, driver_rule=error.rule) from error
    raise fail(rule, f"{attempt.what}: device memory is allocated")


def _in_and_out(what: str, models: Sequence[PreparedModel | None], *roles: BufferRole) -> Iterator[AllocationCase]:
    """Yield the same roles as inputs and as outputs."""
    yield AllocationCase(f"{what}, input", models, roles)
    yield AllocationCase(f"{what}, output", models, (), roles)


def _pair_models(what: str, first: PreparedModel, second: PreparedModel) -> Iterator[AllocationCase]:
    """Yield one role for each of two models, in all combinations of inputs and outputs."""
    models, one, other = (first, second), BufferRole(0, 0), BufferRole(1, 0)
    yield AllocationCase(f"{what}, two inputs", models, (one, other))
    yield AllocationCase(f"{what}, input and output", models, (one,), (other,))
    yield AllocationCase(f"{what}, two outputs", models, (), (one, other))


@_refuse("EmptyRole", "allocate/roles")
def empty_role(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """An allocation without models, or without roles, is refused."""
    yield AllocationCase("no models and no roles", ())
    yield AllocationCase("no roles", (domain.prepare_convolution(subject, operand_type),))


@_refuse("NullptrPreparedModel", "allocate/model")
def nullptr_prepared_model(_: Subject, __: OperandType) -> Iterator[AllocationCase]:
    """An allocation with null in place of a prepared model is refused."""
    yield from _in_and_out("no prepared model", (None,), *domain.ROLE)


@_refuse("InvalidPreparedModel", "allocate/model")
def invalid_prepared_model(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """An allocation with an object that is no prepared model is refused: an unknown one, and device memory."""
    session = session_of(subject.device)
    if session is None:
        raise unsupported("no foreign object can be named without a connection to the driver")
    numbers = {"unknown object": _UNKNOWN_OBJECT}
    allocated = allocate(subject.device, (domain.prepare_convolution(subject, operand_type),), domain.ROLE)
    if allocated is not None and isinstance(allocated[0], Proxy):
        numbers["device memory"] = allocated[0].id
    for what, number in numbers.items():
        stranger = PROXIES[PreparedModel](session, number)
        yield from _in_and_out(what, (stranger,), *domain.ROLE)  # type: ignore[arg-type]


@_refuse("InvalidModelIndex", "allocate/model_index")
def invalid_model_index(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A role with a model after the last one, or before the first, is refused."""
    for index in (1, -1):
        yield from _in_and_out(
            f"model {index} of 1", (domain.prepare_convolution(subject, operand_type),), BufferRole(index, 0)
        )


@_refuse("InvalidIOIndex", "allocate/io_index")
def invalid_io_index(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A role with an input or output after the last one, or before the first, is refused."""
    for index in (1, -1):
        yield from _in_and_out(
            f"index {index} of 1", (domain.prepare_convolution(subject, operand_type),), BufferRole(0, index)
        )


@_refuse("InvalidProbability", "allocate/probability")
def invalid_probability(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A probability outside of 0 to 1, or 0 itself, is refused."""
    for value in _PROBABILITIES:
        yield from _in_and_out(
            f"probability {value}", (domain.prepare_convolution(subject, operand_type),), BufferRole(0, 0, value)
        )


@_refuse("SameRoleSpecifiedTwice", "allocate/role.unique")
def same_role_specified_twice(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A repeated role is refused, by the same index, and by that of the same model listed again."""
    prepared = domain.prepare_convolution(subject, operand_type)
    yield from _in_and_out("a role twice", (prepared,), *domain.ROLE, *domain.ROLE)
    yield from _in_and_out("a model and its role twice", (prepared, prepared), BufferRole(0, 0), BufferRole(1, 0))


@_refuse("ConflictOperandType", "allocate/type")
def conflict_operand_type(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Roles of two different types are refused."""
    models = [domain.prepare_convolution(subject, kind) for kind in (operand_type, _OTHER_TYPES[operand_type])]
    yield from _pair_models("two types", *models)


@_refuse("ConflictScale", "allocate/quantization", _list_quantized)
def conflict_scale(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Roles of two different scales are refused."""
    other = domain.prepare_convolution(subject, operand_type, scale=1.0)
    yield from _pair_models("two scales", domain.prepare_convolution(subject, operand_type), other)


@_refuse("ConflictZeroPoint", "allocate/quantization", _list_quantized)
def conflict_zero_point(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Roles of two different zero points are refused."""
    other = domain.prepare_convolution(subject, operand_type, zero_point=10)
    yield from _pair_models("two zero points", domain.prepare_convolution(subject, operand_type), other)


@_refuse("ConflictRankBetweenRoles", "allocate/dimensions")
def conflict_rank_between_roles(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Roles of ranks 4 and 3 are refused."""
    yield from _pair_models(
        "two ranks", *(domain.prepare_sum(subject, operand_type, shape) for shape in (domain.SHAPE, domain.SHAPE[1:]))
    )


@_refuse("ConflictDimensionsBetweenRoles", "allocate/dimensions")
def conflict_dimensions_between_roles(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Roles of batches of 1 and 4 are refused."""
    shapes = [(batch, *domain.SHAPE[1:]) for batch in _BATCHES]
    yield from _pair_models(
        "two shapes", *(domain.prepare_convolution(subject, operand_type, dimensions=shape) for shape in shapes)
    )


@_refuse("ConflictRankBetweenRoleAndDesc", "allocate/dimensions")
def conflict_rank_between_role_and_desc(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A description of rank 3 is refused for roles of rank 4."""
    for attempt in _in_and_out(
        "another rank is wanted", (domain.prepare_convolution(subject, operand_type),), *domain.ROLE
    ):
        yield attempt._replace(dimensions=domain.SHAPE[1:])


@_refuse("ConflictDimensionsBetweenRoleAndDesc", "allocate/dimensions")
def conflict_dimensions_between_role_and_desc(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """A description of another batch than that of the roles is refused, and one of an impossible batch."""
    for batch in (4, -1, 2**32):
        for attempt in _in_and_out(
            f"batch {batch} is wanted", (domain.prepare_convolution(subject, operand_type),), *domain.ROLE
        ):
            yield attempt._replace(dimensions=(batch, *domain.SHAPE[1:]))


@_refuse("ConflictRankWithScalarRole", "allocate/dimensions.scalar")
def conflict_rank_with_scalar_role(subject: Subject, operand_type: OperandType) -> Iterator[AllocationCase]:
    """Dimensions for a scalar are refused."""
    yield AllocationCase(
        "a scalar with dimensions", (domain.prepare_sum(subject, operand_type),), (BufferRole(0, 2),), dimensions=(1,)
    )


@check(
    _SUITE, "ConflictExtraParams", rules=("allocate/quantization",), level=domain.LEVEL, parameters=lambda: _PER_CHANNEL
)
def conflict_extra_params(subject: Subject, _: None) -> None:
    """Roles of two different lists of scales are refused; in CTS, but not in VTS."""
    models = [domain.prepare_own(subject, domain.dequantization(scales)) for scales in ((0.5, 0.5), (0.5, 0.25))]
    offers = allocate(subject.device, models[:1], domain.ROLE) is not None
    attempt = AllocationCase("two lists of scales", models, (BufferRole(0, 0), BufferRole(1, 0)))
    _try(subject, attempt, "allocate/quantization", offers=offers)
    _require_offer(offers=offers)


@check(_SUITE, "UniqueTokens", rules=("allocate/answer",), level=domain.LEVEL, parameters=domain.by_type)
def unique_tokens(subject: Subject, operand_type: OperandType) -> None:
    """Buffers that exist at the same time have different tokens; not in VTS."""
    prepared = domain.prepare_convolution(subject, operand_type)
    buffers = [
        domain.allocate_memory(subject, (prepared,), *roles)
        for roles in ((domain.ROLE, ()), ((), domain.ROLE), (domain.ROLE, domain.ROLE)) * _ROUNDS
    ]
    tokens = [token for _, token in buffers]
    if len(set(tokens)) != len(tokens):
        raise fail("allocate/answer", f"live buffers have the tokens {tokens}")
