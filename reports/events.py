"""The events of a run, one JSON object per line of the log; the schema is ``event_log.schema.json`` beside this file.

A log is ``run_started``, of a campaign ``model_space``, then for every case ``case_started`` and ``case_finished``
(NOT_RUN cases only the latter), ``reduction`` for failures that were made small, ``measurement`` where something was
benchmarked, ``fuzzing_finished`` where something was fuzzed, and ``run_finished``. A log without the last is
incomplete. Durations are in seconds.
"""

import math
import re
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec.structs import force_setattr

from nnvet.reports.values import Real, has_float, json_safe, normalise, spelt_fields

LOG_VERSION: Final = 1
"""Version of the log's format; changes when an older reader could not read the log."""
MOST_WAITED: Final = 0.05
"""Largest share of time that a benchmark may wait for a processor; beyond it, latencies mean little."""

OUR_BACKEND: Final = "nnvet:"
"""Backends of measurements begin with this when a driver ran the model; all others are baselines."""


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


class Command(StrEnum):
    """Commands that make a log; shards, resumed runs and compared runs have the same one."""

    RUN = "run"
    BENCHMARK = "bench"
    RANDOM = "random"
    STRESS = "stress"
    FUZZ = "fuzz"


class Performance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Execution time and power relative to the reference CPU, as the driver says; lower is better."""

    exec_time: Real
    power_usage: Real

    def __post_init__(self) -> None:
        """Read numbers that are not finite."""
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
    """Machine of the run; ``memory_bytes`` is the physical memory.

    ``governor`` is what decides the clock of the processor, empty where the kernel does not say; ``load`` is the mean
    number of processes that were running in the minute before.
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
    """First line. ``time`` is ISO 8601 in UTC, ``planned`` the number of selected cases where it is known.

    ``level`` is the feature level of the run, ``shard`` ``"I/N"`` and ``selection`` the globs of the case ids.
    ``options`` are those of the ``command`` that decide how one case runs, besides driver and level.
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


ATTRIBUTES: Final = "attributes"  # a label: texts by name
SOURCE: Final = "source"  # a label of a case that did not pass: its spec's FILE:LINE
OF_THE_DRIVER: Final = "driver/"
"""Prefix of findings about the driver itself, when it starts or describes itself."""
OF_A_SPEC: Final = "load/"
"""Prefix of the result of a spec file that is wrong as a whole, before its path."""
NO_CASES: Final = (OF_THE_DRIVER, OF_A_SPEC)
"""Prefixes of entries among the cases of a log that are no cases."""
OF_A_MODEL: Final = "bench"
"""The suite of the cases that are verdicts on measurements, one for each model and driver."""


class CaseStarted(msgspec.Struct, frozen=True, tag_field="event", tag="case_started", forbid_unknown_fields=True):
    """A case begins; if nothing follows, the run died in it."""

    case: str


class Numbers(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Numbers about the values of a PASS. ``digest`` is that of shapes and bits of all outputs, as hexadecimal text.

    ``tolerance_used`` is the largest error of an element as a share of what the contract allows: the NNAPI's tolerance,
    in graphs that of each operation, carried on. It is None where outputs are exact, and in graphs within their bounds,
    for which nothing is carried. ``bound_used`` is the same of the error bound, None where none was asked. ``quality``
    says how a bound was crossed within the contract; empty: none was.
    """

    digest: str
    tolerance_used: float | None = None
    bound_used: float | None = None
    quality: str = ""


class CaseFinished(
    msgspec.Struct, frozen=True, tag_field="event", tag="case_finished", omit_defaults=True, forbid_unknown_fields=True
):
    """A case ended. ``evidence`` is free; :mod:`nnvet.reports.evidence` lists the keys that reports lay out.

    ``labels`` are free too; reports know ``operations`` and ``operand_types`` (a text or a list of texts), ``suite``,
    ``level``, ``check``, and ``attributes`` of the one operation of a case (:mod:`nnvet.reports.contrast`).
    ``fingerprint`` is that of :mod:`nnvet.reports.fingerprint`; a PASS has none. ``numbers`` are those of a PASS whose
    outputs were judged, ``computed_by`` is who computed the models, as a driver says that stands for an accelerator.
    ``process`` is the number of the suite's process that ran it, 0: not known; ``began_s`` counts from the log's begin.
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
        """Keep plain values, so that what is written and what is read are equal."""
        for name in ("evidence", "labels"):
            if value := getattr(self, name):
                force_setattr(self, name, normalise(value))

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the names of the operations that the case exercises."""
        return self._texts("operations")

    @property
    def operand_types(self) -> tuple[str, ...]:
        """Return the names of the operand types that the case is about."""
        return self._texts("operand_types")

    @property
    def suite(self) -> str:
        """The part of the suite that the case belongs to; without a label, its id up to the first separator."""
        return str(self.labels.get("suite") or self.case.replace("::", "/").split("/", 1)[0])

    def _texts(self, label: str) -> tuple[str, ...]:
        value = self.labels.get(label) or ()
        return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


class Histogram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bucket i counts what lies in [start_s + i * step_s, start_s + (i + 1) * step_s); the last takes the maximum."""

    start_s: float
    step_s: float
    counts: tuple[int, ...]


class Latency(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statistics of latencies, see :func:`nnvet.reports.figures.summarise`; without ``p10_s`` in older logs."""

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
    """Bounds of an accuracy figure, each of them included."""

    at_least: Real | None = None
    at_most: Real | None = None

    def __post_init__(self) -> None:
        """Read numbers that are not finite."""
        _make_real(self, "at_least", "at_most")

    def holds(self, value: float) -> bool:
        """Return True if ``value`` keeps the bounds; NaN keeps none."""
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
    """One figure of a driver held against the baseline's on the same examples of the same run.

    ``difference`` is ``value - baseline``, ``low`` and ``high`` the ends of its 95 % confidence interval. ``margin`` is
    the worst difference that is allowed, below 0 where more is better; ``p_value`` is that of no loss beyond it,
    None where no test was made; ``examples`` is how many pairs were compared.
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
        """Read numbers that are not finite."""
        _make_real(self, "value", "baseline", "difference", "low", "high", "p_value", "margin")


class Measurement(
    msgspec.Struct, frozen=True, tag_field="event", tag="measurement", omit_defaults=True, forbid_unknown_fields=True
):
    """One model benchmarked on one backend (``nnvet:SELECTOR`` or a baseline such as ``LiteRT``).

    ``compilation`` is keyed by ``compile_without_cache``, ``save_to_cache`` and ``prepare_from_cache``. ``accuracy``
    holds the evaluator's figures and ``limits`` the bounds of some of them, ``comparisons`` hold them against the
    baseline's. ``error`` says why there is no latency. ``first_inference_s`` is the very first inference after a
    compilation, ``harness_overhead_s`` what the client adds to one inference. ``family`` is the kind of network in
    words; ``toy`` marks those whose weights are random, ``unsupported`` those that the driver does not take.
    ``energy_j`` is that of one inference, of the whole processor. ``waited`` is the share of the time of measuring in
    which the benchmark was ready to run and had no processor. ``worker`` of a cluster measured it on ``machine``;
    without them it was measured where the run took place.
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

    def __post_init__(self) -> None:
        """Read numbers that are not finite."""
        _make_real(self, "mean_square_error", "max_single_error", "first_inference_s", "harness_overhead_s", "energy_j")
        _make_real(self, "waited")
        force_setattr(self, "accuracy", {key: float(value) for key, value in self.accuracy.items()})

    @property
    def is_baseline(self) -> bool:
        """Return True if this is the baseline of comparisons, and no driver."""
        return not self.backend.startswith(OUR_BACKEND)

    @property
    def is_under_load(self) -> bool:
        """Return True if other work took so much of the processors that its latencies mean little."""
        return self.waited is not None and self.waited > MOST_WAITED


class ModelSpace(
    msgspec.Struct, frozen=True, tag_field="event", tag="model_space", omit_defaults=True, forbid_unknown_fields=True
):
    """Possible contents of a campaign's random models, against which a report shows what occurred and what did not.

    ``kinds`` are the ranks of the first tensor of an operation's primary type, by operation and that type; ``lacking``
    the types of an operation that the driver does not support. ``items`` are what the declaration of an operation has
    alternatives for: the numbers that ``covers`` of the evidence has are places in it. ``never`` says why one is never
    made. ``feeds`` and ``reads`` are the types of an operation's outputs, and of inputs that may be another's outputs.
    """

    kinds: dict[str, dict[str, tuple[int, ...]]]
    lacking: dict[str, tuple[str, ...]] = {}
    items: dict[str, tuple[str, ...]] = {}
    never: dict[str, str] = {}
    feeds: dict[str, tuple[str, ...]] = {}
    reads: dict[str, tuple[str, ...]] = {}


class ReducedOperation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation of a small graph. An input is what it is in words, and the operation that makes it, -1: none."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]


class LoggedReduction(
    msgspec.Struct, frozen=True, tag_field="event", tag="reduction", omit_defaults=True, forbid_unknown_fields=True
):
    """Failures that end at one small graph. ``fingerprint`` is that of verdict, rule and shape of the graph.

    ``cases`` were made small, in ``executions``, the first of them from ``operations``; ``folded`` more failures are
    alike and were not. ``graph`` is what is left; ``folder`` has its files, relative to the log. ``replay`` is a
    command line.
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
    """One harness was fuzzed for ``seconds``, all its processes added up; ``corpus`` and ``findings`` are numbers.

    ``curve`` has pairs of seconds and coverage (counters that have been reached), whenever that has grown.
    ``native_edges`` of the driver's native code are counted; they are among those of the curve once they are reached.
    """

    harness: str
    executions: int
    seconds: float
    corpus: int = 0
    findings: int = 0
    curve: tuple[tuple[float, int], ...] = ()
    native_edges: int = 0


class ProfileResult(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A profile held against a run, which is conformant to it if nothing is ``missing``.

    Of the profile's ``operations`` so many are ``done``: they passed in each of its types. ``cases`` of it passed,
    counted only if the run is conformant to it.
    """

    profile: str
    operations: int = 0
    done: int = 0
    cases: int = 0
    missing: tuple[str, ...] = ()

    @property
    def is_held(self) -> bool:
        """Return True if the run is conformant to the profile."""
        return not self.missing


class RunFinished(
    msgspec.Struct, frozen=True, tag_field="event", tag="run_finished", omit_defaults=True, forbid_unknown_fields=True
):
    """Last line. ``problems`` are faults of the run as a whole, such as waivers that have expired.

    ``cut_short``: it was stopped before its last case, or shards of it are missing. ``profiles`` are all that there
    are, ``wanted`` those that the run had to be conformant to. ``waivers`` are SHA-256 digests of files of waivers.
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
    """``event`` as one line of JSON, without the line's end."""
    if is_plain(event):
        # A text with lone surrogates cannot be encoded directly.
        with suppress(UnicodeEncodeError):
            return _encoder.encode(event)
    return _encoder.encode(json_safe(msgspec.to_builtins(event)))


def is_plain(event: Event) -> bool:
    """Return True if an event surely holds no number that JSON lacks; nearly all lines of a log are of this kind."""
    if isinstance(event, CaseFinished):
        return not event.evidence and math.isfinite(event.duration_s) and not has_float(event.labels)
    return isinstance(event, CaseStarted)


_encoder: Final = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def decode(line: bytes) -> Event:
    """Return the event of one line; its texts are fit for terminals, whoever has written them.

    :raises msgspec.ValidationError: the line breaks the schema.
    :raises msgspec.DecodeError: the line is not JSON.
    """
    if not _UNPRINTABLE.search(line):
        return _decoder.decode(line)
    converted: Event = msgspec.convert(spelt_fields(msgspec.json.decode(line), "reason", "evidence"), Event)
    return converted


_UNPRINTABLE: Final = re.compile(rb"\\[bfnrtu]|[\x7f\x80-\xff]")
"""Bytes of a line that has, perhaps, a character which no terminal should get."""


def _make_real(struct: msgspec.Struct, *fields: str) -> None:
    for field in fields:
        if (value := getattr(struct, field)) is not None:
            force_setattr(struct, field, float(value))
