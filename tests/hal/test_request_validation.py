"""Every rule of a request, broken once. Expectations are read off docs/contract/hal.md 8."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.hal.errors import HalError
from nnvet.hal.levels import request_level
from nnvet.hal.memory import close, create_ashmem
from nnvet.hal.rules import all_rules
from nnvet.hal.types import (
    Ashmem,
    BufferToken,
    DataLocation,
    ErrorStatus,
    FeatureLevel,
    Handle,
    HardwareBuffer,
    Model,
    Request,
    RequestArgument,
)
from nnvet.hal.validation import validate_request

Break = Callable[[Request], Request]


@pytest.fixture
def pool() -> Iterator[Ashmem]:
    """Shared memory for one input and one output of 16 bytes."""
    memory = create_ashmem(32)
    yield memory
    close(memory)


def request_for(pool: Ashmem) -> Request:
    """A valid request: input in the first half of the pool, output in the second."""
    return Request(
        (RequestArgument(location=DataLocation(0, 0, 16)),),
        (RequestArgument(location=DataLocation(0, 16, 16)),),
        (pool,),
    )


def argument(kind: str, **changes: Any) -> Break:
    """Change fields of the only input or output."""
    return lambda request: replace(request, **{kind: (replace(getattr(request, kind)[0], **changes),)})


def whole(**changes: Any) -> Break:
    """Change fields of the request."""
    return lambda request: replace(request, **changes)


BROKEN: list[tuple[str, Break]] = [
    ("request/inputs.count", whole(inputs=())),
    ("request/outputs.count", whole(outputs=())),
    ("request/no_value", argument("inputs", has_no_value=True)),
    ("request/pool.index", argument("inputs", location=DataLocation(1, 0, 16))),
    ("request/pool.bounds", argument("inputs", location=DataLocation(0, 17, 16))),
    ("request/pool.bounds", argument("outputs", location=DataLocation(0, 16, 16, padding=1))),
    ("request/pool.bounds", argument("inputs", location=DataLocation(0, -1, 16))),
    ("request/pool.valid", whole(pools=(Ashmem(Handle(-1), 32),))),
    ("request/pool.token", whole(pools=(BufferToken(0),))),
    ("request/length.zero", argument("inputs", location=DataLocation())),
    ("request/length", argument("inputs", location=DataLocation(0, 0, 12))),
    ("request/dimensions.rank", argument("inputs", dimensions=(4,))),
    ("request/dimensions.value", argument("inputs", dimensions=(2, 3))),
    ("request/dimensions.value", argument("outputs", dimensions=(2, 0))),
    ("request/dimensions.input", argument("inputs", dimensions=(2, 0))),
    ("request/dimensions.overflow", argument("inputs", dimensions=(2, 2**40))),
]


@pytest.mark.parametrize(("rule", "break_it"), BROKEN, ids=[f"{n}-{rule}" for n, (rule, _) in enumerate(BROKEN)])
def test_broken_rule_is_named(add_model: Model, pool: Ashmem, rule: str, break_it: Break) -> None:
    """A request that breaks one rule is refused with INVALID_ARGUMENT and the id of that rule."""
    validate_request(request_for(pool), add_model)
    with pytest.raises(HalError) as caught:
        validate_request(break_it(request_for(pool)), add_model)
    assert caught.value.status == ErrorStatus.INVALID_ARGUMENT
    assert caught.value.rule == rule


def test_unspecified_outputs_only_where_allowed(add_model: Model, pool: Ashmem) -> None:
    """Outputs of unknown size are legal unless the executor forbids them."""
    operands = (*add_model.main.operands[:3], replace(add_model.main.operands[3], dimensions=(0, 2)))
    model = replace(add_model, main=replace(add_model.main, operands=operands))
    request = request_for(pool)
    validate_request(request, model)
    assert request_level(request, model) == FeatureLevel.FL3
    with pytest.raises(HalError) as caught:
        validate_request(request, model, unspecified_outputs=False)
    assert caught.value.rule == "request/dimensions.output"


def test_request_level(add_model: Model, pool: Ashmem) -> None:
    """Kinds of memory and padding raise the level that a request needs."""
    request = request_for(pool)
    token = replace(request, pools=(*request.pools, BufferToken(1)))
    blob = replace(request, pools=(*request.pools, HardwareBuffer(Handle(0), 8)))
    padded = argument("inputs", location=DataLocation(0, 0, 16, padding=8))(request)
    assert [request_level(r, add_model) for r in (request, blob, token, padded)] == [1, 3, 4, 5]


def test_every_request_rule_is_broken_here() -> None:
    """No rule of requests in the table of rules is left without a test."""
    wanted = {rule for rule in all_rules() if rule.startswith("request/")} - {"request/dimensions.output"}
    assert wanted == {rule for rule, _ in BROKEN}
