"""Many processes save and load one model under one token at once."""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import TemporaryDirectory

from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.preparing import built_model
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.loads import infer, load_of, matrix
from nnvet.conformance.stress.roles import TOKEN
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.suites.caching.fixtures import fresh_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork


@stress_test("CacheStorm", "Processes save a model under one token and prepare it from files, some shared.", 8.0)
def cache_storm(run: StressRun, load_s: float) -> None:
    """A file that others write may be refused; what is prepared from one computes rightly, and later all works."""
    with run.phase("storm", load_s), TemporaryDirectory(prefix="nnvet-stress-") as folder:
        run.processes("caches", load_s, folder=folder)
    with run.phase("recovery"):
        _check_caching(run)


def _check_caching(run: StressRun) -> None:
    load = load_of(matrix())
    with ExitStack() as stack:
        model = stack.enter_context(built_model(load.test, run.subject.feature_level))
        cache = stack.enter_context(fresh_cache(run.subject, CachedNetwork(load.test, model), TOKEN))
        infer(run.subject, cache.save(), load)
        retrieval = cache.load()
        if retrieval.prepared is None:
            raise fail("client/recovery", f"after the storm a saved model is not found: {retrieval.message}")
        infer(run.subject, retrieval.prepared, load)
