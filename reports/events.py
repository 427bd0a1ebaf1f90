"""The events of a run, each a JSON object in a line of the log; ``event_log.schema.json`` has the schema.

``log.py`` reads and writes logs with :func:`decode` and :func:`encode`; ``conditions.py`` has parts of a measurement.
A log has ``run_started``, for a campaign ``model_space``, then for every case ``case_started`` and ``case_finished``
(only the latter if it is NOT_RUN), ``reduction`` for failures that were reduced, ``measurement`` for benchmarks,
``fuzzing_finished`` for fuzzing, and at the end ``run_finished``, without which it is incomplete. Times are seconds.
"""

import math
import re
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec.structs import force_setattr

from nnvet.reports.conditions import Breach, ColdStart, Conditions, Histogram, ScenarioRun, Sustained
from nnvet.reports.values import Real, has_float, json_safe, normalise, spelt_fields

LOG_VERSION: Final = 1
"""Version of the log's format, raised when older versions of nnvet could not read new logs."""
MOST_WAITED: Final = 0.05
"""Largest share of its time that a benchmark may wait for a processor; beyond it, the latencies mean little."""

OUR_BACKEND: Final = "nnvet:"
"""Prefix of a measurement's ``backend`` if a driver ran the model; all other backends are baselines."""


class Verdict(StrEnum):
    """Verdicts on a case. Only PASS counts as a pass."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    HANG = "HANG"
    CRASH = "CRASH"
    ERROR = "ERROR"
    NOT_RUN = "NOT_RUN"
    UNSUPPORTED = "UNSUPPORTED"
    WAIVED = "WAIVED"


MEANINGS: Final = {
    Verdict.PASS: "the driver kept the contract",
    Verdict.FAIL: "the driver broke a rule",
    Verdict.HANG: "the driver did not answer in time",
    Verdict.CRASH: "the driver's process died",
    Verdict.ERROR: "the suite itself failed; says nothing of the driver",
    Verdict.NOT_RUN: "selected, but not run",
    Verdict.UNSUPPORTED: "the driver does not offer what the case needs",
    Verdict.WAIVED: "failed, and a waiver excuses it",
}

OR_CPU: Final = " or CPU kernels"
"""Suffix of ``computed_by`` for a driver that gives operations to CPU kernels if its accelerator does not take them."""

DRIVER_FAULTS: Final = (Verdict.FAIL, Verdict.HANG, Verdict.CRASH)
"""Verdicts that blame the driver; the case counts as failed."""


class Command(StrEnum):
    """Commands that write a log; shards, resumed runs and compared runs have the same command."""

    RUN = "run"
    BENCHMARK = "bench"
    RANDOM = "random"
    STRESS = "stress"
    FUZZ = "fuzz"


class Performance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Execution time and power relative to the reference CPU, as the driver states them; lower is better."""

    exec_time: Real
    power_usage: Real

    def __post_init__(self) -> None:
        """Restore numbers that JSON cannot express, such as infinity."""
        _make_real(self, "exec_time", "power_usage")


class DriverFacts(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Facts about the driver under test; ``capabilities`` is keyed by operand type and purpose."""

    selector: str
    name: str = ""
    version: str = ""
    type: str = ""
    feature_level: int | None = None
    extensions: tuple[str, ...] = ()
    capabilities: dict[str, Performance] = {}


class Machine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The machine of a run; ``memory_bytes`` is its physical memory.

    ``governor`` controls the clock of the processor; empty if the kernel does not say. ``load`` is the mean number of
    running processes in the minute before.
    """

    cpu: str = ""
    cores: int = 0
    memory_bytes: int = 0
    kernel: str = ""
    python: str = ""
    numpy: str = ""
    governor: str = ""
    load: Real | None = None


class RunStarted(
    msgspec.Struct, frozen=True, tag_field="event", tag="run_started", omit_defaults=True, forbid_unknown_fields=True
):
    """The first line. ``time`` is ISO 8601 in UTC, ``planned`` the number of selected cases if known.

    ``level`` is the feature level of the run, ``shard`` is ``"I/N"``, and ``selection`` has globs of case ids.
    ``options`` are those of the ``command`` that decide how a single case runs, besides driver and level.
    """

    suite_version: str
    driver: DriverFacts
    time: str
    machine: Machine = Machine()
    level: int | None = None
    seed: int | None = None
    shard: str = "1/1"
    selection: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    planned: int | None = None
    log_version: int = LOG_VERSION
    command: Command = Command.RUN


ATTRIBUTES: Final = "attributes"  # label with the attributes of a case's operation: texts by name
SOURCE: Final = "source"  # label of a case that did not pass: ``FILE:LINE`` of its spec
OF_THE_DRIVER: Final = "driver/"
"""Prefix of findings about the driver itself, when it starts or describes itself."""
OF_A_SPEC: Final = "load/"
"""Prefix of the entry for a spec file that is wrong as a whole; its path follows."""
NO_CASES: Final = (OF_THE_DRIVER, OF_A_SPEC)
"""Prefixes of entries in a log that are not cases."""
OF_A_MODEL: Final = "bench"
"""The suite of the cases that are verdicts on measurements, one for each model and driver."""


class CaseStarted(msgspec.Struct, frozen=True, tag_field="event", tag="case_started", forbid_unknown_fields=True):
    """The beginning of a case; if it is the last event of a log, the run died in that case."""

    case: str


class Numbers(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Numbers about the values of a PASS. ``digest`` covers shapes and bits of all outputs, in hexadecimal.

    ``tolerance_used`` is the largest error of an element as a share of NNAPI's tolerance; in a graph of operations, the
    tolerance of each operation is propagated to the outputs. It is None if outputs are exact, and for graphs within
    their bounds, for which nothing is propagated. ``bound_used`` is the largest share of the error bound; None without
    bounds. ``quality`` says how a bound was crossed within the contract; empty if none was.
    """

    digest: str
    tolerance_used: float | None = None
    bound_used: float | None = None
    quality: str = ""


class CaseFinished(
    msgspec.Struct, frozen=True, tag_field="event", tag="case_finished", omit_defaults=True, forbid_unknown_fields=True
):
    """The end of a case. ``evidence`` is free; :mod:`nnvet.reports.evidence` lists the keys that reports know.

    ``labels`` are free too; reports know ``operations`` and ``operand_types`` (a text or a list of texts), ``suite``,
    ``level``, ``check``, and ``attributes`` of a case with a single operation (:mod:`nnvet.reports.contrast`).
    ``fingerprint`` is made by :mod:`nnvet.reports.fingerprint`; a PASS has none. ``numbers`` belong to a PASS whose
    outputs were judged. ``computed_by`` names the processor that computed the models, if a driver that represents an
    accelerator reports it. ``process`` is the suite's process that ran the case, 0 if unknown; ``began_s`` counts from
    the begin of the log.
    """

    case: str
    verdict: Verdict
    rule: str = ""
    reason: str = ""
    evidence: dict[str, Any] = {}
    duration_s: float = 0.0
    labels: dict[str, Any] = {}
    fingerprint: str = ""
    numbers: Numbers | None = None
    computed_by: str = ""
    process: int = 0
    began_s: float = 0.0

    def __post_init__(self) -> None:
        """Convert to plain values, so that a log that is read equals the one that was written."""
        for name in ("evidence", "labels"):
            if value := getattr(self, name):
                force_setattr(self, name, normalise(value))

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of the operations that the case exercises."""
        return self._texts("operations")

    @property
    def operand_types(self) -> tuple[str, ...]:
        """The names of the operand types that the case is about."""
        return self._texts("operand_types")

    @property
    def suite(self) -> str:
        """The suite of the case; without a label, its id up to the first separator."""
        return str(self.labels.get("suite") or self.case.replace("::", "/").split("/", 1)[0])

    def _texts(self, label: str) -> tuple[str, ...]:
        value = self.labels.get(label) or ()
        return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


class Latency(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statistics of latencies, see :func:`nnvet.reports.figures.summarise`; older logs lack ``p10_s``."""

    iterations: int
    total_s: float
    mean_s: float
    std_dev_s: float
    min_s: float
    max_s: float
    p50_s: float
    p90_s: float
    p99_s: float
    histogram: Histogram
    p10_s: float | None = None


class Limit(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Bounds of an accuracy figure, inclusive."""

    at_least: Real | None = None
    at_most: Real | None = None

    def __post_init__(self) -> None:
        """Restore numbers that JSON cannot express, such as infinity."""
        _make_real(self, "at_least", "at_most")

    def holds(self, value: float) -> bool:
        """Return True if ``value`` is within the bounds; NaN never is."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


class SpeedRatio(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Latency divided by the baseline's: the median of ``rounds`` in which both took turns.

    ``low`` and ``high`` are the ends of its 95 % confidence interval.
    """

    value: float
    low: float
    high: float
    rounds: int


class Comparison(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A figure of a driver compared with the baseline's, on the same examples of the same run.

    ``difference`` is ``value - baseline``; ``low`` and ``high`` are the ends of its 95 % confidence interval.
    ``margin`` is the worst difference that is allowed, negative if larger figures are better. ``p_value`` is that of
    "no loss beyond the margin", None without a test. ``examples`` is the number of compared pairs.
    """

    metric: str
    value: Real
    baseline: Real
    difference: Real
    low: Real
    high: Real
    p_value: Real | None
    margin: Real
    examples: int

    def __post_init__(self) -> None:
        """Restore numbers that JSON cannot express, such as infinity."""
        _make_real(self, "value", "baseline", "difference", "low", "high", "p_value", "margin")


class Measurement(
    msgspec.Struct, frozen=True, tag_field="event", tag="measurement", omit_defaults=True, forbid_unknown_fields=True
):
    """A model benchmarked on a backend (``nnvet:SELECTOR``, or a baseline such as ``LiteRT``).

    ``compilation`` is keyed by ``compile_without_cache``, ``save_to_cache`` and ``prepare_from_cache``. ``accuracy``
    has the evaluator's figures, ``limits`` bounds for some of them, and ``comparisons`` compare them with the
    baseline's. ``error`` says why there is no latency. ``first_inference_s`` is the first inference after a
    compilation, ``harness_overhead_s`` the client's share of an inference. ``family`` is the kind of network in words;
    ``toy`` networks have random weights, ``unsupported`` ones are refused by the driver. ``energy_j`` is the energy of
    an inference, for the whole processor. ``waited`` is the share of time in which the benchmark was ready to run and
    had no processor. ``worker`` and ``machine`` tell where a cluster measured it; without them, where the run was.
    ``breaches`` are broken run rules, for the figures that they make invalid; ``conditions`` are what they judge.
    """

    model: str
    backend: str
    latency: Latency | None = None
    compilation: dict[str, Latency] = {}
    compilation_cache_size_bytes: int = 0
    test_set_size: int = 0
    mean_square_error: Real | None = None
    max_single_error: Real | None = None
    accuracy: dict[str, Real] = {}
    limits: dict[str, Limit] = {}
    validation_errors: tuple[str, ...] = ()
    error: str = ""
    comparisons: tuple[Comparison, ...] = ()
    first_inference_s: Real | None = None
    harness_overhead_s: Real | None = None
    family: str = ""
    toy: bool = False
    latency_ratio: SpeedRatio | None = None
    energy_j: Real | None = None
    unsupported: bool = False
    waited: Real | None = None
    worker: str = ""
    machine: Machine | None = None
    conditions: Conditions | None = None
    breaches: tuple[Breach, ...] = ()
    cold: ColdStart | None = None
    sustained: Sustained | None = None
    scenarios: tuple[ScenarioRun, ...] = ()

    def __post_init__(self) -> None:
        """Restore numbers that JSON cannot express, such as infinity."""
        _make_real(self, "mean_square_error", "max_single_error", "first_inference_s", "harness_overhead_s", "energy_j")
        _make_real(self, "waited")
        force_setattr(self, "accuracy", {key: float(value) for key, value in self.accuracy.items()})

    @property
    def is_baseline(self) -> bool:
        """True if this is a baseline of comparisons, not a driver."""
        return not self.backend.startswith(OUR_BACKEND)

    @property
    def is_under_load(self) -> bool:
        """True if other work took so much of the processors that the latencies mean little."""
        return self.waited is not None and self.waited > MOST_WAITED


class ModelSpace(
    msgspec.Struct, frozen=True, tag_field="event", tag="model_space", omit_defaults=True, forbid_unknown_fields=True
):
    """Possible contents of a campaign's random models; a report shows how much of it occurred.

    ``kinds`` are ranks of the first tensor of an operation's primary type, by operation and type; ``lacking`` are the
    types of an operation that the driver does not support. ``items`` are the alternatives in an operation's
    declaration: the numbers in the evidence's ``covers`` are indexes into them. ``never`` says why an alternative is
    never made. ``feeds`` and ``reads`` are types of an operation's outputs, and of inputs that may be outputs of
    others.
    """

    kinds: dict[str, dict[str, tuple[int, ...]]]
    lacking: dict[str, tuple[str, ...]] = {}
    items: dict[str, tuple[str, ...]] = {}
    never: dict[str, str] = {}
    feeds: dict[str, tuple[str, ...]] = {}
    reads: dict[str, tuple[str, ...]] = {}


class ReducedOperation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation of a small graph. An input has a description and the operation that makes it (-1: none)."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]


class LoggedReduction(
    msgspec.Struct, frozen=True, tag_field="event", tag="reduction", omit_defaults=True, forbid_unknown_fields=True
):
    """Failures that reduce to the same small graph. ``fingerprint`` is that of verdict, rule and shape of the graph.

    ``cases`` were reduced, in ``executions``, the first one from ``operations``; ``folded`` further failures are alike
    and were not reduced. ``graph`` is the result; ``folder`` has its files, relative to the log. ``replay`` a command.
    """

    fingerprint: str
    verdict: Verdict
    rule: str
    reason: str
    cases: tuple[str, ...]
    operations: int
    executions: int
    graph: tuple[ReducedOperation, ...]
    folder: str
    replay: str
    folded: int = 0


class FuzzingFinished(
    msgspec.Struct,
    frozen=True,
    tag_field="event",
    tag="fuzzing_finished",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """The result of a harness fuzzed for ``seconds``, summed over processes; ``corpus`` and ``findings`` are counts.

    ``curve`` has pairs of seconds and coverage (reached counters), one each time coverage grew. ``native_edges`` of the
    driver's native code are counted; once reached, they are part of the curve.
    """

    harness: str
    executions: int
    seconds: float
    corpus: int = 0
    findings: int = 0
    curve: tuple[tuple[float, int], ...] = ()
    native_edges: int = 0


class ProfileResult(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A profile compared with a run, which conforms to it if nothing is ``missing``.

    Of the profile's ``operations``, ``done`` passed in each of its types. ``cases`` is the number of its cases that
    passed, counted only if the run conforms.
    """

    profile: str
    operations: int = 0
    done: int = 0
    cases: int = 0
    missing: tuple[str, ...] = ()

    @property
    def is_held(self) -> bool:
        """True if the run conforms to the profile."""
        return not self.missing


class RunFinished(
    msgspec.Struct, frozen=True, tag_field="event", tag="run_finished", omit_defaults=True, forbid_unknown_fields=True
):
    """The last line. ``problems`` are faults of the run as a whole, such as expired waivers.

    ``cut_short``: the run was stopped before its last case, or shards are missing. ``profiles`` are all profiles,
    ``wanted`` those to which the run had to conform. ``waivers`` are SHA-256 digests of files of waivers.
    """

    counts: dict[Verdict, int]
    exit_code: int
    duration_s: float = 0.0
    problems: tuple[str, ...] = ()
    cut_short: bool = False
    profiles: tuple[ProfileResult, ...] = ()
    wanted: tuple[str, ...] = ()
    waivers: dict[str, str] = {}


_OfCases = CaseStarted | CaseFinished
Event = RunStarted | ModelSpace | _OfCases | LoggedReduction | Measurement | FuzzingFinished | RunFinished


def encode(event: Event) -> bytes:
    """Return an event as one line of JSON, without the end of the line."""
    if is_plain(event):
        # Lone surrogates in a text cannot be encoded directly.
        with suppress(UnicodeEncodeError):
            return _encoder.encode(event)
    return _encoder.encode(json_safe(msgspec.to_builtins(event)))


def is_plain(event: Event) -> bool:
    """Return True if an event certainly has no number that JSON lacks, as nearly all lines of a log."""
    if isinstance(event, CaseFinished):
        return not event.evidence and math.isfinite(event.duration_s) and not has_float(event.labels)
    return isinstance(event, CaseStarted)


_encoder: Final = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def decode(line: bytes) -> Event:
    """Return the event of a line; its texts are made safe for terminals, whoever has written them.

    :raises msgspec.ValidationError: the line breaks the schema.
    :raises msgspec.DecodeError: the line is not JSON.
    """
    if not _UNPRINTABLE.search(line):
        return _decoder.decode(line)
    converted: Event = msgspec.convert(spelt_fields(msgspec.json.decode(line), "reason", "evidence"), Event)
    return converted


_UNPRINTABLE: Final = re.compile(rb"\\[bfnrtu]|[\x7f\x80-\xff]")
"""Bytes that show that a line may contain a character which no terminal should get."""


def _make_real(struct: msgspec.Struct, *fields: str) -> None:
    for field in fields:
        if (value := getattr(struct, field)) is not None:
            force_setattr(struct, field, float(value))
