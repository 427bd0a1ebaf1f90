"""Search for the first operation of a network that the driver computes wrongly itself, for ``nnvet locate``.

:func:`locate` runs the network on the driver once more, with every intermediate value as an output. Then each operation
is judged alone: on the driver's own values as inputs, by its own bound. So an operation behind a wrong one is right if
it computes what it received, however far its results are from the ideal ones. A failing test is made smaller without
regard to operations by :mod:`nnvet.conformance.engine.reducing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.engine.retesting import Retester, identity_of, manner_of
from nnvet.conformance.kit.bounded import with_outputs
from nnvet.conformance.kit.executing import arguments_for, basic_config, open_execution, run_test
from nnvet.conformance.kit.outcome import CaseFailed, Outcome
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.reducer.evaluation import NotReducibleError, part_of
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import Array, TestModel, operation_name
from nnvet.hal.enums import ErrorStatus, OperandLifeTime
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import float_format, fully_known, type_info, type_name
from nnvet.oracle.bounds.compare import compare_contract, compare_estimate, error_in_bounds
from nnvet.oracle.bounds.precision import Estimate

MANNER: Final = "RandomModels/Bounds/located"
"""Id of a case whose check runs and judges the parts of a network, by error bounds."""
_AMPLIFYING: Final = 4.0
"""An operation amplifies errors if the relative error of its results is this many times the error of its inputs."""
_NOISE: Final = 1e-6
"""Smaller relative errors do not matter."""


class NetworkLayer(NamedTuple):
    """An operation of a network. ``position`` is its index, ``type`` the type of its first output.

    ``own`` is its largest error in units of its own bound; None if that cannot be judged. ``off`` is the largest
    distance of its results from the ideal ones, relative to the largest ideal value; ``noise`` is the step of the
    quantisation or of the floating-point type in the same measure. ``fault`` says what is wrong; ``amplifies``: the
    operation is right, but makes the error of its inputs larger. ``milliseconds`` is its time alone, if measured.
    """

    position: int
    operation: str
    type: str
    own: float | None
    off: float
    noise: float
    fault: str = ""
    amplifies: bool = False
    milliseconds: float | None = None


class Located(NamedTuple):
    """The result of a search. ``wrong`` has the faults of the network's outputs by their numbers.

    Outputs are judged by the bounds of the whole network.

    ``differs``: the outputs change when the driver also returns intermediate values, so the fault may lie in the
    compilation of the whole network alone. ``values`` are the driver's, by operand.
    """

    layers: tuple[NetworkLayer, ...]
    wrong: Mapping[int, str]
    differs: bool
    test: TestModel
    values: Mapping[int, Array]

    @property
    def first(self) -> NetworkLayer | None:
        """The first operation that is wrong itself."""
        return next((layer for layer in self.layers if layer.fault), None)


def expose_values(test: TestModel) -> TestModel:
    """Return the network with every intermediate value as an additional output.

    :raises ValueError: the dimensions of a value are not known.
    """
    main = test.main
    between = [
        index for operation in main.operations for index in operation.outputs if index not in main.output_indexes
    ]
    changed = {}
    for index in between:
        operand = main.operands[index]
        if not fully_known(operand.dimensions):
            raise ValueError(f"the dimensions of operand {index} are not known before the network runs")
        changed[index] = replace(operand, lifetime=OperandLifeTime.SUBGRAPH_OUTPUT)
    larger = replace(with_operands(main, changed), output_indexes=(*main.output_indexes, *between))
    return with_outputs(replace(test, main=larger))


def run(subject: Subject, test: TestModel) -> list[Array]:
    """Return a driver's results for a test with inputs, in the shapes of the outputs.

    :raises CaseFailed: the driver does not support the model, or fails to prepare it.
    :raises HalError: the execution fails.
    """
    test = with_outputs(test)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
        (answer,) = run_test(prepared, test, basic_config(subject), subject.device, subject.timeout_s, times=1)
    if answer.status is not ErrorStatus.NONE:
        raise HalError(answer.status, answer.message, answer.rule)
    return [
        result.reshape(operand.dimensions) for result, operand in zip(answer.outputs, test.main.outputs, strict=True)
    ]


@np.errstate(all="ignore")
def locate(subject: Subject, test: TestModel) -> Located:
    """Run a network on a driver, and judge its outputs and each of its operations.

    :raises CaseFailed: the driver does not support it, or fails to prepare it.
    :raises HalError: an execution fails.
    :raises ValueError: the dimensions of a value are not known.
    """
    whole, taps = run(subject, test), expose_values(test)
    results = run(subject, taps)
    ideal = dict(zip(taps.main.output_indexes, estimates(taps), strict=True))
    values = dict(zip(taps.main.output_indexes, results, strict=True))
    wide = estimates(test, contract=True)
    wrong = {
        place: str(fault)
        for place, (index, got, allowed) in enumerate(zip(test.main.output_indexes, whole, wide, strict=True))
        if compare_estimate(got, ideal[index]) and (fault := compare_contract(got, ideal[index], allowed))
    }
    differs = any(
        found.tobytes() != values[i].tobytes() for i, found in zip(test.main.output_indexes, whole, strict=True)
    )
    return Located(tuple(_judge_layers(taps, values, ideal)), wrong, differs, test, values)


def _judge_layers(
    test: TestModel, values: Mapping[int, Array], ideal: Mapping[int, Estimate]
) -> Iterator[NetworkLayer]:
    """Yield the operations in order, each with its own error and that of its results."""
    off: dict[int, float] = {}
    for position, operation in enumerate(test.main.operations):
        own, fault = _judge_alone(test, position, values)
        found = {index: _relative_distance(values[index], ideal[index]) for index in operation.outputs}
        off.update(found)
        before = max((off.get(index, 0.0) for index in operation.inputs), default=0.0)
        here = max(found.values())
        first = operation.outputs[0]
        kind = test.main.operands[first].type
        amplifies = not fault and here > _AMPLIFYING * max(before, _NOISE) and before > 0
        noise = _step_of(kind, ideal[first])
        name = operation_name(operation.type)
        yield NetworkLayer(position, name, type_name(kind), own, here, noise, fault, amplifies)


def _judge_alone(test: TestModel, position: int, values: Mapping[int, Array]) -> tuple[float | None, str]:
    """Return an operation's own error in units of its bound, and its fault if it breaks the contract."""
    try:
        alone, indexes = part_of(test, [position], values)
    except NotReducibleError:
        return None, ""
    results = [values[indexes[index]] for index in alone.main.output_indexes]
    tight = estimates(alone)
    own = max(error_in_bounds(got, bound) for got, bound in zip(results, tight, strict=True))
    if all(compare_estimate(got, bound) is None for got, bound in zip(results, tight, strict=True)):
        return own, ""
    # The contract's bounds take as long to compute as the tight ones, so they wait until a tight one is crossed.
    wide = estimates(alone, contract=True)
    faults = (compare_contract(*compared) for compared in zip(results, tight, wide, strict=True))
    return own, next((str(fault) for fault in faults if fault is not None), "")


def _scale(ideal: Estimate) -> float:
    """Return the largest magnitude of the ideal values; for codes, the largest distance from the zero point."""
    finite = np.abs(ideal.value[np.isfinite(ideal.value)].astype(np.float64) - (ideal.zero_point or 0))
    return float(finite.max(initial=0.0)) or 1.0


def _relative_distance(got: Array, ideal: Estimate) -> float:
    """Return the largest distance of a result from the ideal one, relative to the largest ideal value."""
    apart = np.abs(got.reshape(ideal.value.shape).astype(np.float64) - ideal.value)
    return float(np.nan_to_num(apart, nan=0.0, posinf=0.0).max(initial=0.0)) / _scale(ideal)


def _step_of(kind: int, ideal: Estimate) -> float:
    """Return half a step of the type or quantisation, relative to the largest ideal value."""
    info = type_info(kind)
    return 2.0 ** -float_format(info.dtype).bits if info.is_float else 0.5 / _scale(ideal)


def measure_times(subject: Subject, located: Located, runs: int) -> Located:
    """Return the result with the median time of ``runs`` executions of each operation alone, the wire included.

    A driver that fuses operations takes less time for the network than for all of them alone. The time stays unknown
    where an operation cannot be cut out, or the driver does not run it alone.

    :raises DriverGone: the driver's process dies.
    """
    layers = []
    for layer in located.layers:
        try:
            part, _ = part_of(located.test, [layer.position], located.values)
            milliseconds: float | None = median(_durations_ms(subject, with_outputs(part), runs))
        except (NotReducibleError, CaseFailed, HalError):
            milliseconds = None
        layers.append(layer._replace(milliseconds=milliseconds))
    return located._replace(layers=tuple(layers))


def _durations_ms(subject: Subject, test: TestModel, runs: int) -> list[float]:
    """Return the durations of ``runs`` executions in milliseconds.

    :raises CaseFailed, HalError: the driver does not support or execute the test.
    """
    found, config = [], basic_config(subject)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
        with (
            arguments_for(test, config, subject.device, prepared) as arguments,
            open_execution(prepared, arguments.request, config, subject.timeout_s) as execution,
        ):
            # The first execution may allocate and load what later ones reuse.
            for _ in range(runs + 1):
                start = perf_counter()
                answer = execution()
                found.append((perf_counter() - start) * 1000)
                if answer.status is not ErrorStatus.NONE:
                    raise HalError(answer.status, answer.message, answer.rule)
    return found[1:]


def find_smallest_part(subject: DriverUnderTest, located: Located) -> tuple[TestModel, Outcome] | None:
    """Return the smallest run of operations up to the wrong one that fails alone on the driver, and its outcome.

    Inputs are the driver's own values. None if only the whole network fails.

    :raises DriverLostError: the driver dies and does not start again.
    """
    first = located.first
    if first is None:
        return None
    retester = Retester(subject, manner_of(MANNER, subject.feature_level))
    for count in _list_counts(first.position + 1):
        positions = range(first.position + 1 - count, first.position + 1)
        try:
            part, _ = part_of(located.test, positions, located.values)
        except NotReducibleError:
            continue
        outcome = retester.outcome(with_outputs(part))
        if identity_of(outcome) is not None:
            return with_outputs(part), outcome
    return None


def _list_counts(most: int) -> Sequence[int]:
    """Return 1, 2, 4 and so on, and ``most``."""
    return sorted({most, *(2**power for power in range(most.bit_length()) if 2**power < most)})
