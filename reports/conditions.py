"""Parts of a measurement in the log that say how it was made, and whether its figures are valid.

The benchmark (``models/bench.py`` and its neighbours) fills them in, :mod:`nnvet.models.run_rules` judges them, and
``html/measuring.py`` and ``bench_lines.py`` show them. The event that contains them is ``Measurement`` in
``events.py``. All times are in seconds.
"""

import msgspec


class Histogram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A histogram: bucket i counts [start_s + i * step_s, start_s + (i + 1) * step_s); the last has the maximum too."""

    start_s: float
    step_s: float
    counts: tuple[int, ...]


class Breach(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A run rule that a figure breaks: the figure is invalid, for this reason; ``advice`` says what to do.

    ``figure`` is latency, p90, p99, speed, energy, cold, sustained, or the name of a scenario.
    """

    figure: str
    rule: str
    reason: str
    advice: str


class Conditions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Conditions of a timed run; a value is None if the machine does not show it.

    ``others_before`` and ``others_during`` are processors busy with other work, of ``processors``. ``clock_hz`` is the
    lowest and the highest clock of the fastest core during the run, ``throttled`` how often the kernel counted
    throttling. ``temperature_c`` is the hottest sensor with a limit, ``hot_c`` its limit. ``outliers`` is the share of
    samples far above the others, ``median_s`` the 95 % confidence interval of the median. ``driver_cpu_s`` and
    ``suite_cpu_s`` are processor time for one inference, of all processes of the driver and of the suite's.
    """

    processors: int = 0
    others_before: float | None = None
    others_during: float | None = None
    clock_hz: tuple[float, float] | None = None
    throttled: int | None = None
    temperature_c: float | None = None
    hot_c: float | None = None
    outliers: float = 0.0
    median_s: tuple[float, float] | None = None
    driver_cpu_s: float | None = None
    suite_cpu_s: float | None = None
    is_accelerator: bool = False


class ColdStart(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Times of fresh processes of a driver: the first preparation, and the executions after it, first and later.

    ``from_cache`` are the same from cache files that another process has written; None: the driver has no cache.
    ``unknown_s`` is the first preparation of the same model with another constant, which is in no cache. ``is_fresh``
    is False if the driver's process could not be started anew.
    """

    prepare_s: float
    first_s: float
    later_s: float
    from_cache: tuple[float, float, float] | None = None
    unknown_s: float | None = None
    is_fresh: bool = True


class Sustained(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Inferences at full rate for a long time: ``medians_s`` of equal spans of ``seconds``.

    ``slope`` is the growth of latency over the whole run as a share of the median, ``low`` and ``high`` the ends of its
    99 % confidence interval.
    """

    seconds: float
    inferences: int
    medians_s: tuple[float, ...]
    slope: float
    low: float
    high: float
    is_throttled: bool = False
    breaches: tuple[Breach, ...] = ()


class Probe(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A rate of the scenario Server that was tried, in queries a second, with True if it held."""

    target_qps: float
    completed_qps: float
    latency_s: float
    holds: bool


class ScenarioRun(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A load pattern of MLPerf by its own LoadGen. ``is_valid`` and ``reasons`` are LoadGen's judgement.

    ``qps`` is the throughput in samples a second, ``latency_s`` the percentile that the scenario is judged by, with
    LoadGen's early stopping where it gives an estimate, and ``percentiles_s`` are latencies of queries by percentile.
    ``target_qps`` and ``target_latency_s`` were asked for. ``probes`` are the rates that a search has tried. ``logs``
    is the folder of LoadGen's own logs, relative to the event log. ``accuracy`` are the evaluator's figures of the
    outputs in LoadGen's accuracy log.
    """

    scenario: str
    is_valid: bool
    qps: float
    latency_s: float
    percentile: float
    queries: int
    samples: int
    duration_s: float
    mean_s: float
    percentiles_s: dict[str, float]
    in_flight: int
    executor: str
    logs: str
    loadgen: str
    reasons: tuple[str, ...] = ()
    target_qps: float | None = None
    target_latency_s: float | None = None
    early_stopping: str = ""
    probes: tuple[Probe, ...] = ()
    accuracy: dict[str, float] = {}
    breaches: tuple[Breach, ...] = ()
