"""Models with which stress tests put load on a driver, and units of work on them, each of which is judged.

Tests and clients get a :class:`StressLoad` from :func:`find_supported_loads` or :func:`load_of`, prepare it with
:func:`prepare_load`, and execute it with :func:`infer`. Outputs are compared with the error bounds of the oracle. Right
outputs are remembered bit by bit, since most drivers compute the same every time: comparing bits is cheap, and only
outputs that differ are judged by the bounds again.

:class:`ClientSubject` is a client's view of the driver. It is a subject of the engine, so the engine prepares and
judges a client's work as in any other case; the subject of such cases is
:class:`nnvet.conformance.engine.driver.DriverUnderTest`.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import Any, Final

import numpy as np

from nnvet.adapters.calls import prepare
from nnvet.adapters.driver import Driver
from nnvet.conformance.engine.driver import client_of, connection_to
from nnvet.conformance.engine.probing import probe_claims
from nnvet.conformance.kit.bounded import with_outputs
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Answer, Executor, TestConfig, basic_config, run_test
from nnvet.conformance.kit.judging import Array, check_bounds, judge
from nnvet.conformance.kit.outcome import PASSED, CaseFailed, Outcome, unsupported
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import TestModel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, OperandType, OperationType, PrepareModelConfig
from nnvet.oracle.bounds.precision import Estimate
from nnvet.reports.events import Verdict

TRIED: Final = 40
"""Number of random models of all operations that are tried; if all are unsupported, as many of claimed operations."""
_SIDE: Final = 96
"""Rows and columns of the matrices: 36 KiB of floats."""


class LoadFailed(CaseFailed):
    """A model was executed wrongly; ``test`` is that model with its inputs."""

    def __init__(self, outcome: Outcome, test: TestModel) -> None:
        """Keep the outcome and the model."""
        super().__init__(outcome)
        self.test = test


@dataclass
class StressLoad:
    """A model that is executed again and again. ``known`` are outputs that were judged right."""

    test: TestModel
    bounds: Sequence[Estimate]
    known: set[tuple[bytes, ...]] = field(default_factory=set)

    def check(self, answer: Answer, config: TestConfig) -> None:
        """Check one answer.

        :raises LoadFailed: status, shapes, timing or values are wrong.
        """
        found = tuple(output.tobytes() for output in answer.outputs)
        if found and found in self.known:
            return
        outcome = judge(self.test, config, answer, criteria=self._compare)
        if outcome is not PASSED:
            raise LoadFailed(outcome, self.test)
        self.known.add(found)

    def _compare(self, test: TestModel, results: Sequence[Array]) -> None:
        """Compare outputs with their error bounds."""
        check_bounds(test, results, self.bounds)


def load_of(test: TestModel) -> StressLoad:
    """Return a load that executes a test's model; the test's own expected outputs are ignored."""
    return StressLoad(with_outputs(test), estimates(test))


def infer(subject: Subject, prepared: PreparedModel, load: StressLoad, config: TestConfig | None = None) -> None:
    """Execute the load once, or twice for a reusable execution, and judge the outputs.

    :raises CaseFailed: the driver is wrong.
    """
    config = config or basic_config(subject)
    for answer in run_test(prepared, load.test, config, subject.device, subject.timeout_s):
        load.check(answer, config)


def prepare_load(subject: Subject, load: StressLoad, config: PrepareModelConfig | None = None) -> PreparedModel:
    """Prepare the load's model for this client.

    :raises CaseFailed: the driver cannot prepare it.
    """
    with built_model(load.test, subject.feature_level) as model:
        return prepare_valid(subject, model, config)


def executors(subject: Subject) -> list[TestConfig]:
    """Return a configuration for each of the HAL's methods of execution that the driver's level has."""
    return [TestConfig(executor) for executor in Executor if EXECUTOR_LEVELS[executor] <= subject.feature_level]


def model_at(seed: str, number: int, options: GraphOptions) -> TestModel:
    """Return the random model with a number; each process that knows the seed gets the same one."""
    name = f"stress/{seed}/{number}"
    return random_model(SeededChooser(name), options, name)


def random_tests(
    subject: Subject, seed: str, wanted: GraphOptions, end: float, is_idle: Callable[[], bool]
) -> Iterator[TestModel]:
    """Yield random models until ``end`` on the monotonic clock, and longer while ``is_idle()``: none was supported yet.

    A driver with few operations hardly ever supports models of arbitrary operations. After :data:`TRIED` unsupported
    models, as many are made of the operations that the driver claims; none if it claims nothing.
    """
    choices, number = [wanted], 0
    while choices and (time.monotonic() < end or (is_idle() and number < 2 * TRIED)):
        yield model_at(seed, number, choices[number % len(choices)])
        number += 1
        if number == TRIED and is_idle():
            choices = ask_claimed_options(subject, wanted)


def find_supported_loads(subject: Subject, seed: str, count: int) -> list[StressLoad]:
    """Return loads that the driver supports: :func:`matrix` first, then random models of 5 to 10 operations.

    For a driver with few operations they are :func:`addition` and random models of the operations that it claims.

    :raises CaseFailed: UNSUPPORTED, if it supports none; or it refuses a model all of whose operations it supports.
    """
    options = GraphOptions(operations=(5, 10), level=subject.feature_level)
    found = _choose_loads(subject, seed, count, matrix(), [options])
    found = found or _choose_loads(subject, seed, count, addition(), ask_claimed_options(subject, options))
    if not found:
        raise unsupported(
            "no model of the operations that the driver claims is supported, nor are FULLY_CONNECTED and ADD"
        )
    return found


def _choose_loads(
    subject: Subject, seed: str, count: int, first: TestModel, choices: Sequence[GraphOptions]
) -> list[StressLoad]:
    """Return up to ``count`` supported loads: ``first``, then random models by each of the options in turn."""
    models = (model_at(seed, number, choices[number % len(choices)]) for number in range(1, TRIED) if choices)
    supported_ones = (load_of(test) for test in chain((first,), models) if is_supported(subject, test))
    return list(islice(supported_ones, count))


def ask_claimed_options(subject: Subject, wanted: GraphOptions) -> list[GraphOptions]:
    """Return options for models of the operations that a driver claims; none, if it claims nothing."""
    return probe_claims(subject, wanted).options(wanted)


def steady_test(subject: Subject, *, is_shared: bool = False) -> TestModel:
    """Return the model of tests that need only one: :func:`matrix` or, for a driver that lacks it, :func:`addition`.

    :raises CaseFailed: UNSUPPORTED, if it lacks both; or it refuses a model all of whose operations it supports.
    """
    for make in (matrix, addition):
        if is_supported(subject, test := make(is_shared=is_shared)):
            return test
    raise unsupported("the driver supports neither FULLY_CONNECTED nor ADD of 32-bit floats")


def is_supported(subject: Subject, test: TestModel) -> bool:
    """Return True if the driver supports and can prepare a whole test; raises like :func:`prepare_supported`."""
    return prepare_supported(subject, test) is not None


def prepare_supported(subject: Subject, test: TestModel) -> PreparedModel | None:
    """Return the model of a test, prepared; None if the driver does not support all of its operations.

    :raises CaseFailed: it supports all, but cannot prepare it; ERROR if the model is invalid.
    """
    try:
        with built_model(test, subject.feature_level) as model:
            return prepare_valid(subject, model)
    except CaseFailed as failed:
        if failed.outcome.verdict is Verdict.UNSUPPORTED:
            return None
        raise


@cache
def matrix(*, is_shared: bool = False) -> TestModel:
    """Return FULLY_CONNECTED of 96 x 96 with RELU: some work, and 36 KiB of constants, in a pool if ``is_shared``."""
    numbers = np.random.default_rng(0)
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    values = numbers.uniform(-1, 1, (_SIDE, _SIDE)).astype(np.float32)
    inputs = graph.input(kind, (4, _SIDE), values[:4])
    constant = graph.shared if is_shared else graph.constant
    weights, bias = constant(kind, (_SIDE, _SIDE), values), constant(kind, (_SIDE,), values[0])
    output = graph.output(kind, (4, _SIDE), np.zeros((4, _SIDE)))
    activation = graph.scalar(OperandType.INT32, 1)
    graph.operation(OperationType.FULLY_CONNECTED, (inputs, weights, bias, activation), output)
    return graph.finish("matrix")


@cache
def addition(*, is_shared: bool = False) -> TestModel:
    """Return ADD of 96 x 96 inputs and constants with RELU; the constants are in a pool if ``is_shared``."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    values = np.random.default_rng(0).uniform(-1, 1, (2, _SIDE, _SIDE)).astype(np.float32)
    inputs = graph.input(kind, (_SIDE, _SIDE), values[0])
    constants = (graph.shared if is_shared else graph.constant)(kind, (_SIDE, _SIDE), values[1])
    output = graph.output(kind, (_SIDE, _SIDE), np.zeros((_SIDE, _SIDE)))
    graph.operation(OperationType.ADD, (inputs, constants, graph.scalar(OperandType.INT32, 1)), output)
    return graph.finish("addition")


class ClientSubject:
    """One client as a :class:`nnvet.conformance.kit.subject.Subject`; its models share nothing."""

    in_process = False

    def __init__(
        self, device: Callable[[], Device], feature_level: int, timeout_s: float, driver: Driver | None = None
    ) -> None:
        """Keep ``device``, which returns the present device, and ``driver``, if this client has started it."""
        self._device = device
        self._driver = driver
        self.feature_level = feature_level
        self.timeout_s = timeout_s
        self.shared: dict[Any, Any] = {}

    @property
    def device(self) -> Device:
        """The driver's device as this client reaches it now."""
        return self._device()

    def prepare(self, model: Model, config: PrepareModelConfig | None = None) -> PreparedModel:
        """Prepare and wait; raises HalError as the driver answers."""
        return prepare(self.device, model, config, self.timeout_s)

    @property
    def unintended(self) -> list[HalError]:
        """Return the driver's unintended errors: malformed answers and uncaught exceptions."""
        return [] if self._driver is None else self._driver.unintended.errors

    @property
    def process_id(self) -> int | None:
        """Id of the driver's process, if this client knows it."""
        return None if self._driver is None else self._driver.pid

    @property
    def reached(self) -> Driver:
        """The driver behind this client's device; raises like :meth:`another_client`."""
        return self._own_driver()

    def another_client(self) -> AbstractContextManager[Device]:
        """Return a second client in this process.

        :raises CaseFailed: UNSUPPORTED, if there can be only one.
        """
        return client_of(self._own_driver())

    def connection_of_client(self) -> socket.socket:
        """Return a connection to the driver's service; raises like :meth:`another_client`."""
        return connection_to(self._own_driver())

    def restart(self) -> None:
        """Start the driver anew."""
        driver = self._own_driver()
        self.shared.clear()
        driver.restart()

    def _own_driver(self) -> Driver:
        """Return the driver that this client has started.

        :raises CaseFailed: UNSUPPORTED, if another process has started it.
        """
        if self._driver is None:
            raise unsupported(
                "only the client that has started the driver can start it anew, or give it another client"
            )
        return self._driver
