"""The process that fuzzes one harness: ``python -m nnvet.fuzz.child CONFIG ARGUMENTS…``, the latter those of libFuzzer.

The process saves what Python can catch as a finding, and goes on. If an input ends the process, libFuzzer keeps that
input, and :mod:`nnvet.fuzz.slices` makes the finding of it. Modules are instrumented while they are imported, so this
module must not import anything that is to be instrumented.
"""

from __future__ import annotations

import os
import resource
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nnvet.fuzz.findings import ChildConfig

if TYPE_CHECKING:
    from nnvet.conformance.engine.target import Target
    from nnvet.fuzz.harness import Crossover, Harness, Mutator, OneInput

INSTRUMENTED: Final = "nnvet: instrumented modules:"
"""Beginning of the line with the number of instrumented modules, and of the driver's among them."""
IDLE: Final = "nnvet: nothing to fuzz:"
"""Beginning of the line that says why a driver gives a harness nothing to do."""


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    config = msgspec.json.decode(arguments[0], type=ChildConfig)
    fuzz(config, arguments[1:], Guide(config))


class Guide:
    """Guide of the fuzzer: the code that is instrumented while it is imported, and the counters of its edges."""

    def __init__(self, config: ChildConfig) -> None:
        """Instrument the driver, if it runs in this process, and the modules that the configuration names."""
        from nnvet.fuzz.counters import EdgeCounters, Instrumented, driver_modules, refuse_preloaded  # noqa: PLC0415 - needs the extra

        refuse_preloaded()
        self.of_driver = driver_modules(config.driver) if config.in_process else ()
        self.counters = EdgeCounters(compares=config.compares)
        self.instrumented = Instrumented((*self.of_driver, *config.instrumented), self.counters.instrument)


def fuzz(config: ChildConfig, arguments: Sequence[str], guide: Guide) -> None:
    """Fuzz one harness until libFuzzer ends the process; ``arguments`` are libFuzzer's.

    It ends at once if the driver has nothing that the harness could ask.
    """
    import atheris  # noqa: PLC0415 - an extra

    from nnvet.fuzz.counters import is_within  # noqa: PLC0415 - see above
    from nnvet.fuzz.harness import NothingToFuzzError  # noqa: PLC0415 - see above
    from nnvet.fuzz.leaks import LeakCheck  # noqa: PLC0415 - see above
    from nnvet.fuzz.steps import NATIVE  # noqa: PLC0415 - see above

    harness = _harness(config.harness)
    guide.counters.count_native()
    with ExitStack() as stack:
        try:
            one_input = stack.enter_context(harness.open(_make_target(config)))
        except NothingToFuzzError as nothing:
            sys.stderr.write(f"{IDLE} {nothing}\n")
            return
        modules = guide.instrumented.modules
        own = sum(is_within(name, guide.of_driver) for name in modules)
        sys.stderr.write(f"{INSTRUMENTED} {len(modules)}, of the driver {own}\n")
        if config.in_process:
            _limit_memory(config.memory_mib)
        NATIVE.change = guide.counters.mutated
        mutators: dict[str, Any] = {}
        if harness.mutator is not None:
            mutators["custom_mutator"] = _make_mutator(harness.mutator, tuple(harness.words()))
        if harness.crossover is not None:
            mutators["custom_crossover"] = _make_crossover(harness.crossover)
        # libFuzzer starts further processes, such as those of a merge, through a shell.
        text = msgspec.json.encode(config).decode()
        own_command = shlex.join([sys.executable, "-P", "-m", "nnvet.fuzz.child", text])
        watched = LeakCheck(one_input, config.timeout_s / 4, aside=guide.counters.aside)
        atheris.Setup([own_command, *arguments], _record_findings(config, watched, guide.counters.connect), **mutators)
        atheris.Fuzz()


def _harness(name: str) -> Harness:
    from nnvet.fuzz.harness import HARNESSES  # noqa: PLC0415 - see above

    return HARNESSES[name]


def _make_target(config: ChildConfig) -> Target:
    from nnvet.fuzz.target import target_of  # noqa: PLC0415 - see above

    return target_of(config)


def _limit_memory(mib: int) -> None:
    """Limit the address space from now on: a larger allocation fails, whether or not the memory would be used."""
    from nnvet.adapters.service.activity import RESERVED_BY_SANITIZERS  # noqa: PLC0415 - see above

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    if pages * resource.getpagesize() >= RESERVED_BY_SANITIZERS:
        # The service is limited separately.
        return
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (mib << 20),) * 2)


def _record_findings(config: ChildConfig, one_input: OneInput, begin: Callable[[], None]) -> Callable[[bytes], None]:
    """Return a function that runs an input and saves its finding; it calls ``begin`` before each input."""
    from nnvet.adapters.selector import OutOfReachError  # noqa: PLC0415 - see above
    from nnvet.fuzz.findings import FuzzFinding, save  # noqa: PLC0415 - see above
    from nnvet.fuzz.replaying import finding_of_exception  # noqa: PLC0415 - see above

    folder = Path(config.findings)

    def run(data: bytes) -> None:
        begin()
        try:
            one_input(data)
        except FuzzFinding as finding:
            found = finding
        except OutOfReachError as error:
            # No further input would reach the driver. An ordinary exit would make libFuzzer blame this one.
            sys.stderr.write(f"nnvet: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        except Exception as error:  # noqa: BLE001 - a fault of the suite is a finding, too
            found = finding_of_exception(error)
        else:
            return
        if save(folder, config.harness, config.driver, found, data):
            sys.stderr.write(f"nnvet: found {found.key}\n")

    return run


def _make_mutator(mutate: Mutator, words: Sequence[bytes]) -> Mutator:
    """Return the mutator of the harness; if it makes no input, bytes are changed, with words of its dictionary."""
    from nnvet.fuzz.steps import raw_mutation  # noqa: PLC0415 - see above

    def custom(data: bytes, max_size: int, seed: int) -> bytes:
        new = mutate(data, max_size, seed)
        return raw_mutation(data, max_size, seed, words) if new is None else new

    return custom


def _make_crossover(cross: Crossover) -> Crossover:
    """Return the crossover of the harness; if it makes no input, bytes are joined."""
    from nnvet.fuzz.steps import raw_crossover  # noqa: PLC0415 - see above

    def custom(data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
        new = cross(data, other, max_size, seed)
        return raw_crossover(data, other, max_size, seed) if new is None else new

    return custom


if __name__ == "__main__":
    main(sys.argv[1:])
