"""Identity of suite and driver, which must be the same on all workers of a run."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version

from nnvet.conformance.cluster.chunk import SuiteIdentity
from nnvet.conformance.engine.library import BUNDLED_SPECS
from nnvet.generators.specs import find_specs
from nnvet.reports.events import DriverFacts


@cache
def own_identity() -> SuiteIdentity:
    """That of this machine, without a driver."""
    digest = hashlib.sha256()
    for path in find_specs(BUNDLED_SPECS):
        digest.update(path.relative_to(BUNDLED_SPECS).as_posix().encode())
        digest.update(path.read_bytes())
    return SuiteIdentity(version("nnvet"), digest.hexdigest()[:12])


def differences(wanted: SuiteIdentity, found: SuiteIdentity) -> str:
    """In words, what ``found`` has that is not ``wanted``; drivers are compared where both are known."""
    parts = [
        f"{what} {theirs} instead of {ours}"
        for what, ours, theirs in (
            ("nnvet", wanted.suite, found.suite),
            ("bundled specs", wanted.corpus, found.corpus),
            *_of_drivers(wanted.driver, found.driver),
        )
        if ours != theirs
    ]
    return ", ".join(parts)


def _of_drivers(wanted: DriverFacts | None, found: DriverFacts | None) -> list[tuple[str, str, str]]:
    if wanted is None or found is None:
        return []
    names = ("name", "version", "type", "feature_level", "extensions")
    return [(f"driver {name}", str(getattr(wanted, name)), str(getattr(found, name))) for name in names]
