"""The harness ``request``: requests of any kind on prepared models of a fixed set.

An input is a model's number and a request in msgpack, with indexes, locations, dimensions and sizes of pools; the
harness creates the memory. :mod:`nnvet.hal.validation` decides whether a request is valid.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Final

import msgspec
from msgspec.structs import replace

from nnvet.adapters.calls import prepare
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.extremes import DIMENSIONS, ENDS, INTEGERS, VAST
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.model.harness import check_shapes
from nnvet.fuzz.target import FuzzedDriver, open_fuzzed
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import with_open_dimensions
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.builder import counting_loop, sum_of_two
from nnvet.graphs.hal_model import build_model, create_pool, pack_request
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import close
from nnvet.hal.operand_types import combine
from nnvet.hal.types import BufferToken, DataLocation, ExecutionConfig, Model, Request, RequestArgument
from nnvet.hal.validation import validate_request

_LARGEST_POOL: Final = 1 << 16
"""Largest size of a pool in bytes; inputs with larger pools are ignored, like those with more than four."""
_MOST_POOLS: Final = 4
_MODELS: Final = 12
"""Number of random models in the set, beside a sum and a loop."""
_MAX_LEN: Final = 2048
"""Largest size of an input in bytes."""
_REFUSALS: Final = (ErrorStatus.INVALID_ARGUMENT,)
"""Statuses by which a driver says that the request is wrong."""
_CONFIG: Final = ExecutionConfig(loop_timeout_duration_ns=20_000_000)
"""Loops end after 20 ms, so that an endless one does not count as a hang."""


class FuzzedRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request on model number ``model`` of the set. ``pools`` are sizes, negative ones tokens of device memory."""

    model: int
    inputs: tuple[RequestArgument, ...]
    outputs: tuple[RequestArgument, ...]
    pools: tuple[int, ...] = ()


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(FuzzedRequest)


@cache
def subjects() -> tuple[tuple[TestModel, Model], ...]:
    """Return the models of the set; the last ones have unknown dimensions, which a request states."""
    options = GraphOptions(operations=(1, 2), dimensions=(1, 4))
    tests = [sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]), counting_loop(2)]
    tests += [random_model(SeededChooser(f"fuzz/request/{number}"), options) for number in range(_MODELS)]
    known = [with_golden_results(test) for test in tests]
    declared = [(test, build_model(test)) for test in known]
    opened = (with_open_dimensions(SeededChooser(f"fuzz/request/{test.name}/open"), test) for test in known)
    return (*declared, *((test, build_model(model)) for test, model in zip(known, opened, strict=True)))


class RequestInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Send all calls to ``driver``; models are prepared when they are first needed."""
        self._driver = driver
        self._prepared: dict[int, PreparedModel | HalError] = {}
        self._device = driver.device

    def __call__(self, data: bytes) -> None:
        """Execute a request.

        :raises FuzzFinding: see :class:`nnvet.fuzz.findings.FindingKind`.
        """
        fuzzed = _decode(data)
        if fuzzed is None:
            return
        test, model = subjects()[fuzzed.model]
        prepared = self._prepared_model(fuzzed.model, model)
        if isinstance(prepared, HalError):
            return
        with _request(fuzzed) as request:
            broken = _broken_rule(request, model)
            result = self._driver.ask(lambda: prepared.execute_synchronously(request, _CONFIG, NO_DEADLINE))
            if not isinstance(result, HalError):
                if broken is not None:
                    message = f"an invalid request is executed: {broken.message}"
                    raise FuzzFinding(FindingKind.ACCEPTED, broken.rule, message)
                check_shapes(result, model)
            elif broken is None and _is_refusal(result) and _must_be_executed(request, test):
                message = f"a valid request is refused: {result}"
                raise FuzzFinding(FindingKind.REFUSED, "execution/status", message, place=result.rule)

    def _prepared_model(self, number: int, model: Model) -> PreparedModel | HalError:
        if self._device is not self._driver.device:
            # The driver has died since the model was prepared, and with it the prepared model.
            self._device = self._driver.device
            self._prepared.clear()
        if number not in self._prepared:
            timeout_s = self._driver.timeout_s
            self._prepared[number] = self._driver.ask(lambda: prepare(self._driver.device, model, timeout_s=timeout_s))
        return self._prepared[number]


def _decode(data: bytes) -> FuzzedRequest | None:
    try:
        fuzzed = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    fits = 0 <= fuzzed.model < len(subjects()) and len(fuzzed.pools) <= _MOST_POOLS
    return fuzzed if fits and all(size <= _LARGEST_POOL for size in fuzzed.pools) else None


@contextmanager
def _request(fuzzed: FuzzedRequest) -> Iterator[Request]:
    with ExitStack() as stack:
        pools: list[object] = []
        for size in fuzzed.pools:
            if size < 0:
                pools.append(BufferToken(-size))
                continue
            pool = create_pool(size, ())
            stack.callback(close, pool)
            pools.append(pool)
        yield Request(fuzzed.inputs, fuzzed.outputs, tuple(pools))  # type: ignore[arg-type]


def _is_refusal(error: HalError) -> bool:
    """Return True if the driver itself says that a request is wrong, and not an adapter that cannot express it."""
    return error.status in _REFUSALS and error.rule != INEXPRESSIBLE


def _must_be_executed(request: Request, test: TestModel) -> bool:
    """Return True if no operation can have a reason to refuse a valid request.

    An operation can have a reason if an input has no value, if an input or output has other dimensions than those of
    the usual request, or if a token names device memory, because nobody has allocated it.
    """
    if any(isinstance(pool, BufferToken) for pool in request.pools):
        return False
    inputs = zip(request.inputs, test.main.inputs, strict=True)
    outputs = zip(request.outputs, test.main.outputs, strict=True)
    return all(
        not argument.has_no_value and argument.dimensions in ((), operand.dimensions) for argument, operand in inputs
    ) and all(combine(operand.dimensions, argument.dimensions) is not None for argument, operand in outputs)


def _broken_rule(request: Request, model: Model) -> HalError | None:
    try:
        validate_request(request, model)
    except HalError as error:
        return error
    return None


Step = Callable[[random.Random, FuzzedRequest], FuzzedRequest]


def _change_argument(draw: random.Random, fuzzed: FuzzedRequest) -> FuzzedRequest:
    """Change one argument: its location, its dimensions, or whether it has a value."""
    field = draw.choice(("inputs", "outputs"))
    arguments = list(getattr(fuzzed, field))
    if not arguments:
        return fuzzed
    position = draw.randrange(len(arguments))
    arguments[position] = draw.choice(_CHANGES)(draw, arguments[position], fuzzed.pools)
    return replace(fuzzed, **{field: tuple(arguments)})


Pools = tuple[int, ...]


def _change_location(draw: random.Random, argument: RequestArgument, pools: Pools) -> RequestArgument:
    """Change a part of the location a little or to an extreme number, or choose another pool."""
    place = argument.location
    part = draw.choice(DataLocation.__struct_fields__)
    near = getattr(place, part) + draw.choice((-4, -1, 1, 4, 64))
    return replace(argument, location=replace(place, **{part: draw.choice((near, near, len(pools), *INTEGERS))}))


def _move_end(draw: random.Random, argument: RequestArgument, pools: Pools) -> RequestArgument:
    """Move the end of the location to the end of the pool, or to where numbers wrap, by offset, length or padding."""
    place = argument.location
    part = draw.choice(("offset", "length", "padding"))
    size = pools[place.pool_index] if 0 <= place.pool_index < len(pools) else 0
    end = draw.choice((size, *ENDS)) + draw.choice((-4, -1, 0, 0, 0, 1, 4, size))
    others = place.offset + place.length + place.padding - getattr(place, part)
    return replace(argument, location=replace(place, **{part: end - others}))


def _change_dimensions(draw: random.Random, argument: RequestArgument, _: Pools) -> RequestArgument:
    dimensions = list(argument.dimensions) or [draw.choice(DIMENSIONS) for _ in range(draw.randrange(5))]
    if dimensions:
        dimensions[draw.randrange(len(dimensions))] = draw.choice((*DIMENSIONS, -1, 2**32))
    return replace(argument, dimensions=tuple(dimensions))


def _make_vast(draw: random.Random, argument: RequestArgument, _: Pools) -> RequestArgument:
    """Give the argument dimensions whose product wraps around; if it has dimensions, their number stays."""
    dimensions = [*draw.choice(VAST), *argument.dimensions][: max(len(argument.dimensions), 2)]
    draw.shuffle(dimensions)
    return replace(argument, dimensions=tuple(dimensions))


def _change_presence(draw: random.Random, argument: RequestArgument, _: Pools) -> RequestArgument:
    """Change whether the argument has a value, or any bytes."""
    if draw.randrange(2):
        return replace(argument, location=replace(argument.location, length=0))
    return replace(argument, has_no_value=not argument.has_no_value)


_CHANGES: Final = (
    _change_location,
    _change_location,
    _move_end,
    _move_end,
    _change_dimensions,
    _make_vast,
    _change_presence,
)
"""Changes of a single argument; those that are listed twice are drawn twice as often."""


def _change_lists(draw: random.Random, fuzzed: FuzzedRequest) -> FuzzedRequest:
    """Add or remove an argument, or exchange two."""
    field = draw.choice(("inputs", "outputs"))
    arguments = list(getattr(fuzzed, field))
    if arguments and draw.random() < 0.5:  # noqa: PLR2004 - as often as not
        arguments.pop(draw.randrange(len(arguments)))
    else:
        arguments.append(draw.choice(arguments or [RequestArgument()]))
    draw.shuffle(arguments)
    return replace(fuzzed, **{field: tuple(arguments)})


def _change_pools(draw: random.Random, fuzzed: FuzzedRequest) -> FuzzedRequest:
    """Change the size of a pool, add or remove one, or make it device memory."""
    pools = list(fuzzed.pools)
    if pools and draw.random() < 0.3:  # noqa: PLR2004 - seldom
        pools.pop(draw.randrange(len(pools)))
    elif pools and draw.random() < 0.7:  # noqa: PLR2004 - mostly
        pools[draw.randrange(len(pools))] = draw.choice((1, 3, 4, 64, 4096, -1, -5))
    else:
        pools.append(draw.choice((4, 64, 4096)))
    return replace(fuzzed, pools=tuple(pools[:_MOST_POOLS]))


def _change_model(draw: random.Random, fuzzed: FuzzedRequest) -> FuzzedRequest:
    """Send the same request to another model."""
    return replace(fuzzed, model=draw.randrange(len(subjects())))


_STEPS: Final[tuple[Step, ...]] = (
    _change_argument,
    _change_argument,
    _change_argument,
    _change_argument,
    _change_lists,
    _change_pools,
    _change_model,
)
"""Changes of a request; those that are listed several times are drawn more often."""
_RAW: Final = 0.05
"""Share of inputs that are changed as bytes, whatever they mean."""


def mutate_request(data: bytes, max_size: int, seed: int) -> bytes | None:
    """Make a few changes of a request; see :data:`nnvet.fuzz.harness.Mutator`."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    fuzzed = _decode(data)
    if fuzzed is None or draw.random() < _RAW:
        return None
    for _ in range(draw.choice((1, 1, 2, 4))):
        fuzzed = draw.choice(_STEPS)(draw, fuzzed)
    try:
        new = _encoder.encode(fuzzed)
    except OverflowError:
        return None
    return new if len(new) <= max_size else None


@contextmanager
def open_requests(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.fuzz.target.open_fuzzed`."""
    with open_fuzzed(target) as driver:
        run = RequestInput(driver)
        for seed in _seeds():
            run(seed.data)
        yield run


def _seeds() -> Iterator[Seed]:
    """Return a usual request for each model, and requests that state dimensions."""
    for number, (test, _) in enumerate(subjects()):
        for has_dimensions in (False, True):
            packed = pack_request(test, input_dimensions=has_dimensions)
            sizes = tuple(getattr(pool, "size", 1) for pool in packed.request.pools)
            fuzzed = FuzzedRequest(number, packed.request.inputs, packed.request.outputs, sizes)
            packed.close()
            yield Seed(f"model-{number}{'-dimensions' * has_dimensions}", _encoder.encode(fuzzed))


REQUEST: Final = Harness(
    name="request",
    summary="requests of any kind on prepared models: locations, dimensions, pools, arguments",
    opens=open_requests,
    seeds=_seeds,
    instrumented=("nnvet.hal.validation", "nnvet.hal.operations"),
    mutator=mutate_request,
    max_len=_MAX_LEN,
)
