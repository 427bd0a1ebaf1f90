"""Configuration of the processes of a fuzzing job."""

from __future__ import annotations

import msgspec


class ChildConfig(msgspec.Struct, frozen=True):
    """Task of a process: the harness, the driver with its limits, the folder of findings, and the memory limit.

    ``instrumented`` and ``compares`` are the harness's: they have to be known before it is imported.
    """

    harness: str
    driver: str
    in_process: bool
    timeout_s: float
    memory_mib: int
    findings: str
    instrumented: tuple[str, ...] = ()
    compares: bool = False


def for_harness(
    config: ChildConfig, harness: str, instrumented: tuple[str, ...], *, compares: bool = False
) -> ChildConfig:
    """The same for a harness, with what guides it besides the driver."""
    return msgspec.structs.replace(config, harness=harness, instrumented=instrumented, compares=compares)
