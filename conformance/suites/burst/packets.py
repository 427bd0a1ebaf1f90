"""Suite ``ValidateBurst``: request packets that are wrong in every way, and results that do not fit their queue.

A check opens a burst with :func:`open_run`, sends the wrong packets of :mod:`nnvet.generators.mutations.requests`, and
then a valid one. VTS has these tests in ValidationTest. ``Test`` does the same as VTS for each spec; the checks with
names in CamelCase are additions of this project. :mod:`nnvet.conformance.suites.burst.abuse` has further additions.

Source: docs/contract/vts-tests.md 4.1; docs/contract/hal.md 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import OutputType
from nnvet.conformance.kit.handmade import prepare_test
from nnvet.conformance.kit.outcome import Outcome, passed
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.burst.raw import BurstRun, burst_run, check_error
from nnvet.conformance.suites.validation.specs import is_validated
from nnvet.generators.mutations import requests
from nnvet.generators.specs import SpecCase
from nnvet.graphs.builder import GraphBuilder, sum_of_two
from nnvet.graphs.editor import with_unknown_output_dimensions
from nnvet.graphs.model import TestModel
from nnvet.hal.types import FeatureLevel, OperandType, OperationType
from nnvet.transport.burst.packets import DATUM_BYTES
from nnvet.transport.wire.proxies import QUEUE_DATUMS

SUITE: Final = "ValidateBurst"
LEVEL: Final = 3
"""First feature level (HAL 1.2) with bursts."""
RULES: Final = ("burst/packet", "burst/result", "burst/recovery")
"""Rules that a wrong packet may find broken: its refusal, the form of the result, and the burst afterwards."""
_WHOLE: Final = OperandType.TENSOR_INT32
"""Type of whole numbers."""
_FLOATS: Final = OperandType.TENSOR_FLOAT32
"""Type of real numbers."""


class _Form(NamedTuple):
    """A model, with flags: outputs of unknown dimensions, and a request that states the dimensions of arguments."""

    build: Callable[[], TestModel]
    is_unknown: bool = False
    with_dimensions: bool = False


def _build_sum() -> TestModel:
    """Return the sum of two vectors."""
    return sum_of_two("sum", [1, 2], [30, 40], [31, 42])


def _build_quantised_sum() -> TestModel:
    """Return the sum in 8-bit codes, for drivers without floats."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_QUANT8_ASYMM
    first, second = (graph.input(kind, (2,), values, scale=1.0) for values in ([1, 2], [30, 40]))
    activation = graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (first, second, activation), graph.output(kind, (2,), [31, 42], scale=1.0))
    return graph.finish("quantised_sum")


def _build_split() -> TestModel:
    """Return a SPLIT into four columns, whose result packet is longer than VTS's small queue."""
    graph = GraphBuilder()
    matrix = graph.input(_FLOATS, (2, 4), [[1, 2, 3, 4], [5, 6, 7, 8]])
    axis, count = graph.scalar(OperandType.INT32, 1), graph.scalar(OperandType.INT32, 4)
    columns = [graph.output(_FLOATS, (2, 1), [first, first + 4]) for first in (1, 2, 3, 4)]
    graph.operation(OperationType.SPLIT, (matrix, axis, count), *columns)
    return graph.finish("split", FeatureLevel.FL3)


def _build_transposition() -> TestModel:
    """Return a TRANSPOSE of a matrix, with the permutation omitted."""
    graph = GraphBuilder()
    matrix = graph.input(_FLOATS, (2, 3), [[1, 2, 3], [4, 5, 6]])
    permutation = graph.input(_WHOLE, (2,), None)
    turned = graph.output(_FLOATS, (3, 2), [[1, 4], [2, 5], [3, 6]])
    graph.operation(OperationType.TRANSPOSE, (matrix, permutation), turned)
    return graph.finish("transposition", FeatureLevel.FL2)


_FORMS: Final = {
    "sum": _Form(_build_sum),
    "quantised_sum": _Form(_build_quantised_sum),
    "dimensions_in_request": _Form(_build_sum, with_dimensions=True),
    "unknown_outputs": _Form(_build_split, is_unknown=True),
    "omitted_input": _Form(_build_transposition),
}
"""Models whose packets have different parts: a sum, omitted inputs, given dimensions, and many or unknown outputs."""


@contextmanager
def open_run(subject: Subject, form: _Form = _FORMS["sum"]) -> Iterator[BurstRun]:
    """Open a prepared model of a form with its request.

    :raises CaseFailed: the driver does not support it.
    """
    test = form.build()
    prepared = prepare_test(subject, with_unknown_output_dimensions(test) if form.is_unknown else test)
    output = OutputType.UNSPECIFIED if form.is_unknown else OutputType.FULLY_SPECIFIED
    with burst_run(subject, prepared, test, output, with_dimensions=form.with_dimensions) as run:
        yield run


def _list_mutants(run: BurstRun, mutate: requests.PacketMutation) -> list[requests.PacketMutant]:
    """Return the wrong packets that a mutation makes of the run's valid packet."""
    return list(mutate(requests.datums_of(run.packet(measure=True))))


def _register_mutation(name: str, mutate: requests.PacketMutation) -> None:
    """Register the check that sends all packets of one mutation."""

    @check(SUITE, name, rules=RULES, level=LEVEL, parameters=lambda: _FORMS)
    def send_all(subject: Subject, form: _Form) -> Outcome:
        """Every wrong packet is answered with an error, and the burst goes on."""
        with open_run(subject, form) as run, run.open() as burst:
            run.check_valid(burst)
            mutants = ((name, mutant) for mutant in _list_mutants(run, mutate))
            return passed(packets=run.check_refused(burst, mutants, f"after {name}"))


for _name, _mutate in {**requests.VTS_PACKET_MUTATIONS, "AbsurdNumbers": requests.absurd_numbers}.items():
    _register_mutation(_name, _mutate)


@check(SUITE, "validateBurstFmqLength", rules=("burst/length",), level=LEVEL, parameters=lambda: _FORMS)
def fmq_length(subject: Subject, form: _Form) -> Outcome:
    """Requests and results that just fit pass through their queues; a longer result is replaced by an error."""
    with open_run(subject, form) as run:
        return passed(statuses={length: status.name for length, status in run.check_lengths().items()})


@check(SUITE, "validateBurstSanitized", rules=("burst/sanitized",), level=LEVEL, parameters=lambda: _FORMS)
def sanitized(subject: Subject, form: _Form) -> None:
    """The bytes of a result without a meaning are 0."""
    with open_run(subject, form) as run:
        run.check_sanitized()


def _is_taken(test: TestModel) -> bool:
    """Return True for specs of which VTS validates the requests, and that must not fail."""
    return is_validated(test) and not test.expect_failure


@check(SUITE, "Test", rules=(*RULES, "burst/length", "burst/sanitized"), level=LEVEL, over=_is_taken)
def every_spec(subject: Subject, spec: SpecCase) -> Outcome:
    """Wrong packets are refused, results keep to their queue, and unused bytes are 0: VTS's three checks for a spec."""
    test = spec.build()
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with burst_run(subject, prepared, test) as run:
        with run.open() as burst:
            run.check_valid(burst)
            mutants = (
                (name, mutant)
                for name, mutate in requests.VTS_PACKET_MUTATIONS.items()
                for mutant in _list_mutants(run, mutate)
            )
            count = run.check_refused(burst, mutants, "after wrong packets")
        run.check_lengths()
        run.check_sanitized()
    return passed(packets=count)


_STRANGE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "two_at_once": lambda packet: packet * 2,
    "zeros": lambda _: bytes(DATUM_BYTES),
    "unknown_datums": lambda packet: b"\xff" * len(packet),
    "full_queue": lambda packet: packet + bytes(DATUM_BYTES) * (QUEUE_DATUMS - len(packet) // DATUM_BYTES),
}
"""Packets with a wrong structure. A HIDL service sends the one of zeros to itself at the end of a burst."""


@check(SUITE, "StrangePacket", rules=RULES, level=LEVEL, parameters=lambda: _STRANGE)
def strange_packet(subject: Subject, change: Callable[[bytes], bytes]) -> None:
    """A packet with a strange part gets one answer, an error, and the burst goes on."""
    with open_run(subject) as run, run.open() as burst:
        what = "what is no packet"
        check_error(burst.execute(change(run.packet()), what), what)
        run.check_valid(burst, f"after {what}")
