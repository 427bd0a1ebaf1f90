"""The driver to test, as data: its selector and the options to open it.

:mod:`nnvet.conformance.engine.opening` opens it; :class:`nnvet.conformance.kit.subject.Subject` is what cases see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.sandbox import Sandbox
from nnvet.hal.interfaces import Device

DEFAULT_TIMEOUT_S: Final = 20.0
"""Seconds after which a driver without an answer counts as hanging."""


@dataclass(frozen=True)
class Target:
    """A driver to test, and the options to open it. ``timeout_s`` bounds every answer of the driver.

    ``memory_limit`` is the limit of its process in bytes; None: no limit. A ``factory`` makes a device in this process,
    and the selector is then only its name. ``strict``: a crossed error bound is a failure, not a remark about quality.
    ``liberties`` are those that the driver declares; error bounds then allow them (docs/oracle.md). With ``sandbox``
    its services are in namespaces of their own. ``reached_by`` is another selector by which this run reaches the same
    driver; empty: it is reached by its own selector.
    """

    selector: str
    in_process: bool = False
    timeout_s: float = DEFAULT_TIMEOUT_S
    level: int | None = None
    memory_limit: int | None = DEFAULT_LIMIT
    factory: Callable[[], Device] | None = None
    strict: bool = False
    liberties: tuple[str, ...] = ()
    sandbox: Sandbox | None = None
    reached_by: str = ""
