"""Faults strike wherever the suite asks the system for something: every call site is reached, or it is said why not."""

from pathlib import Path
from typing import Final

from tests.faults.__main__ import Job
from tests.faults.running import lines
from tests.faults.sites import all_sites

_FIRST_FAILS: Final = "only after another call has failed"
_BENCHMARK: Final = "in the long form alone: building models takes seconds"
_NOTHING: Final = "asks nothing of the system"

NOT_REACHED: Final = {
    "adapters/service/main.py main: sys.stderr.write": _FIRST_FAILS,
    "commands/benchmark.py": _BENCHMARK,
    "commands/drawing.py _svg: subprocess.run": "needs Graphviz",
    "conformance/engine/worker.py serve: connection.send #2": _FIRST_FAILS,
    "conformance/engine/worker.py serve: connection.send #3": _FIRST_FAILS,
    "driver_kit/base_prepared_model.py BasePreparedModel.run: place.write": _NOTHING,
    "conformance/rule_counts.py": "a table of the repository, read and written where nothing runs",
    "formats/tflite/source.py": _BENCHMARK,
    "generators/specs/programs.py _keep": "not where PYTHONDONTWRITEBYTECODE is set",
    "models/": _BENCHMARK,
    "reference_driver/transfer.py LastingTransfer.write: place.write": _NOTHING,
    "reports/log.py EventLog._append: self._file.truncate": _FIRST_FAILS,
    "reports/schema.py <module>: STORED.write_text": "writes a file of the repository",
    "transport/message_queue/queue.py QueueWriter.write_blocking": _NOTHING,
    "transport/wire/methods.py Method.positional: self.signature.bind": _NOTHING,
    "transport/wire/server.py ServiceSession.expel: self._primary.send": _NOTHING,
}
"""Beginnings of the names of sites, and why no scenario of the short form comes to them."""


def test_every_site_is_reached(tmp_path: Path) -> None:
    """What the syntax shows and what the scenarios come to is the same, but for those that are listed here."""
    reached: set[str] = set()
    for group in ("here", "elsewhere"):
        for line in lines(Job(group, 0, 1), tmp_path / group):
            reached.update(line.reached)
    missing = set(all_sites()) - reached
    assert sorted(site for site in missing if not site.startswith(tuple(NOT_REACHED))) == []
    assert [name for name in NOT_REACHED if not any(site.startswith(name) for site in missing)] == []
    assert reached <= set(all_sites())
