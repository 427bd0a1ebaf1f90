"""The suite: the engine that runs cases, what is tested, the spec corpus, the pytest plugin.

:func:`check_driver` is all that tests of a driver need from it. ``engine/`` runs cases, ``suites/`` has the checks,
``kit/`` the toolkit that they are written with, ``specs/`` the corpus, ``stress/`` the stress tests, ``cluster/`` runs
on many machines, ``profiles/`` the must-pass lists, ``bundles/`` cases as files.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nnvet.conformance.checking import CheckedDriver, check_driver

__all__ = ["CheckedDriver", "check_driver"]


def __getattr__(name: str) -> Any:
    """Load what runs the suite when it is asked for: a worker, which needs but the engine, starts without reports."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nnvet.conformance import checking  # noqa: PLC0415 - see above

    return getattr(checking, name)
