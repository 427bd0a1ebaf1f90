"""Many processes save and load one model under one token at once."""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import TemporaryDirectory

from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import built_model
from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.loads import infer, load_of, prepare_load, steady_test
from nnvet.conformance.stress.roles import TOKEN
from nnvet.conformance.stress.run import StressRun
from nnvet.conformance.suites.caching.fixtures import fresh_cache
from nnvet.conformance.suites.caching.networks import CachedNetwork


@stress_test("CacheStorm", "Processes save a model under one token and prepare it from files, some shared.", 8.0)
def cache_storm(run: StressRun, load_s: float) -> None:
    """A file that others write may be refused; what is prepared from one computes rightly, and later all works."""
    run.require_role("caches")
    # A driver that does not take the model at all has nothing to save.
    prepare_load(run.subject, load_of(steady_test(run.subject)))
    before = _saved_and_found(run)
    if before:
        raise unsupported(f"the driver does not prepare what it was given to save: {before}", "cache/retrieval")
    with run.phase("storm", load_s), TemporaryDirectory(prefix="nnvet-stress-") as folder:
        run.processes("caches", load_s, folder=folder)
    with run.phase("recovery"):
        after = _saved_and_found(run)
        if after:
            raise fail("client/recovery", f"after the storm a saved model is not found: {after}")


def _saved_and_found(run: StressRun) -> str:
    """Save a model and prepare it from its files; why it is not found again, nothing if it is.

    :raises CaseFailed: it cannot be saved, or computes wrongly.
    """
    load = load_of(steady_test(run.subject))
    with ExitStack() as stack:
        model = stack.enter_context(built_model(load.test, run.subject.feature_level))
        cache = stack.enter_context(fresh_cache(run.subject, CachedNetwork(load.test, model), TOKEN))
        infer(run.subject, cache.save(), load)
        retrieval = cache.load()
        if retrieval.prepared is None:
            return f"{retrieval.status.name} {retrieval.message}".rstrip()
        infer(run.subject, retrieval.prepared, load)
    return ""
