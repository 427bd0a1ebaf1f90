"""Faults strike at every system call of the suite: each call site is reached, or listed with a reason."""

from pathlib import Path
from typing import Final

import pytest

from tests.faults.__main__ import Job
from tests.faults.running import lines
from tests.faults.sites import all_sites

TRIES: Final = {"here": 15, "elsewhere": 1}

_FIRST_FAILS: Final = "only after another call has failed"
_BENCHMARK: Final = "in the long form alone: a benchmark takes seconds"
_GRAPHVIZ: Final = "needs Graphviz"
_CLUSTER: Final = "no scenario has a cluster; tests/conformance/cluster kills its parts"
_NO_BYTECODE: Final = "not where PYTHONDONTWRITEBYTECODE is set"
_NO_SANDBOX: Final = "no scenario has a sandbox, which needs bubblewrap"
_NOTHING: Final = "asks nothing of the system"
_OTHER_COMMANDS: Final = "no scenario has fuzzing, stress tests or campaigns"

NOT_REACHED: Final = {
    "adapters/nnapi/": "no scenario has a driver in a library",
    "adapters/drivers.py _make_code_outside": _NO_SANDBOX,
    "adapters/service/process.py ServiceProcess._start": _NO_SANDBOX,
    "adapters/service/sandbox.py": _NO_SANDBOX,
    "adapters/service/main.py main: sys.stderr.write": _FIRST_FAILS,
    "commands/actions/bench_cluster.py": _CLUSTER,
    "commands/actions/capabilities.py": _BENCHMARK,
    "commands/actions/campaign.py": _OTHER_COMMANDS,
    "commands/actions/fuzz.py": _OTHER_COMMANDS,
    "commands/main.py main: os.write": _FIRST_FAILS,
    "commands/terminal.py": "opens a browser, which needs a display",
    "commands/actions/stress.py": _OTHER_COMMANDS,
    "conformance/cluster/": _CLUSTER,
    "conformance/engine/worker_process.py Outbox._send_packets: sys.stderr.write": _FIRST_FAILS,
    "conformance/engine/worker.py serve: outbox.send #3": _FIRST_FAILS,
    "conformance/rule_counts.py": "a table of the repository, read and written where nothing runs",
    "conformance/stress/": _OTHER_COMMANDS,
    "diagnostics/graph_dump.py": _GRAPHVIZ,
    "driver_kit/base_prepared_model.py BasePreparedModel._computed: arguments.write": _NOTHING,
    "driver_kit/computing.py RequestArguments.write: place.write": _NOTHING,
    "formats/tflite/source.py": _BENCHMARK,
    "fuzz/": _OTHER_COMMANDS,
    "generators/mining/": _OTHER_COMMANDS,
    "generators/specs/loader.py": _NO_BYTECODE,
    "generators/specs/loader.py keep": _NO_BYTECODE,
    "models/": _BENCHMARK,
    "reference_driver/transfer.py LastingTransfer.write: place.write": _NOTHING,
    "commands/compare.py _append: file.truncate": _FIRST_FAILS,
    "reports/history.py _write: file.truncate": _FIRST_FAILS,
    "reports/log.py EventLog._append: self._file.truncate": _FIRST_FAILS,
    "reports/schema.py <module>: STORED.write_text": "writes a file of the repository",
    "transport/message_queue.py QueueWriter.write_blocking": _NOTHING,
    "transport/wire/failures.py _content: os.pread": "only after a PERSISTENT error",
    "transport/wire/methods.py Method.positional: self.signature.bind": _NOTHING,
}
"""Beginnings of the names of sites, and why no scenario of the short form comes to them."""
PERHAPS_REACHED: Final = (
    "adapters/service/activity.py",
    "adapters/service/sanitizers.py",
    "adapters/service/strays.py",
    "adapters/service/crashes.py",
    "adapters/service/main.py",
    "adapters/service/crashes.py",
    "adapters/service/stacks.py",
    "adapters/service/peer.py",
    "adapters/service/traps.py",
    "adapters/service/sanitizers.py",
    "adapters/service/strays.py _carries",
    "adapters/service/strays.py _is_dying_stray",
    "adapters/service/traps.py",
    "commands/new_driver.py _texts",
    "commands/terminal.py Interruption._hear_dropped",
    "conformance/engine/again.py load",
    "conformance/engine/stuck.py",
    "conformance/engine/worker.py serve: outbox.send #4",
    "reference_driver/fused/",
    "reports/files.py replace_file: place.unlink",
    "transport/wire/framing.py",
    "transport/wire/framing.py Channel.receive: self._log.write",
    "transport/wire/framing.py Channel.send: self._log.write",
)
"""Modules that only some systems reach: with control groups they use these, without they look for strays.

A service that starts looks for machine code, and makes it if there is none; what processes do, and the load, matters
only where a call takes long. No scenario has a library in a service, or a case that is stuck. The others are evidence
of deaths and means of debugging, which depend on what is installed and asked for.
"""


@pytest.mark.long
def test_faults_at_every_site(tmp_path: Path) -> None:
    """Scenarios reach all sites that the syntax shows, but for the list; a few faults are withstood.

    ``python -m tests.attack`` tries more.
    """
    said = list(lines(Job(TRIES, 1), tmp_path))
    assert [f"{line.scenario}: {line.tried}: {line.wrong}" for line in said if line.wrong] == []
    assert sum(bool(line.tried) for line in said) == sum(TRIES.values())
    reached = {site for line in said for site in line.reached}
    missing = set(all_sites()) - reached
    assert sorted(site for site in missing if not site.startswith((*NOT_REACHED, *PERHAPS_REACHED))) == []
    assert [name for name in NOT_REACHED if not any(site.startswith(name) for site in missing)] == []
