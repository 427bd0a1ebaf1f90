"""A runtime that ends the process of its driver: the case is a CRASH, the run goes on, and the model is made small."""

from pathlib import Path

import pytest

from nnvet.generators.specs import load_spec
from nnvet.hal.enums import OperationType
from nnvet.reports.events import Verdict
from nnvet.reports.log import read_log
from tests.commands.test_utilities import nnvet

DRIVERS = '''
"""The kind ``litert``: with EQUAL of all codes, of which LiteRT itself aborts, and with a planted abort in FLOOR."""

import ctypes
from dataclasses import replace
from functools import partial

from nnvet.adapters.litert.device import Settings, build
from nnvet.adapters.litert.writing import TABLE
from nnvet.adapters.runtimes.claims import Table
from nnvet.adapters.runtimes.device import RuntimeDevice
from nnvet.hal.enums import OperationType


def bold():
    claims = [
        replace(claim, conditions=()) if claim.operation == OperationType.EQUAL else claim
        for claim in TABLE.claims.values()
    ]
    table = Table("LiteRT", claims, TABLE.unclaimed)
    return RuntimeDevice(table, partial(build, Settings("reference", 1)), "bold", "1")


class Aborting:
    def run(self, inputs):
        ctypes.CDLL(None).abort()


def planted():
    def built(graph):
        is_fatal = any(operation == OperationType.FLOOR for operation, _ in graph.computing())
        return Aborting() if is_fatal else build(Settings("reference", 1), graph)

    return RuntimeDevice(TABLE, built, "planted", "1")
'''
SPECS = {
    "codes": """
x, y = Input("x", "TENSOR_QUANT8_ASYMM", "{2}, 1.0, 0"), Input("y", "TENSOR_QUANT8_ASYMM", "{2}, 1.0, 0")
a, b = Internal("a", "TENSOR_QUANT8_ASYMM", "{2}, 1.0, 0"), Internal("b", "TENSOR_BOOL8", "{2}")
z = Output("z", "TENSOR_BOOL8", "{2}")
model = Model().Operation("MAXIMUM", x, y).To(a).Operation("EQUAL", a, y).To(b).Operation("LOGICAL_NOT", b).To(z)
Example({x: [10, 3], y: [11, 2], z: [False, True]})
""",
    "floats": """
x, y = Input("x", "TENSOR_FLOAT32", "{2}"), Output("y", "TENSOR_FLOAT32", "{2}")
a, b = Internal("a", "TENSOR_FLOAT32", "{2}"), Internal("b", "TENSOR_FLOAT32", "{2}")
model = Model().Operation("ABS", x).To(a).Operation("FLOOR", a).To(b).Operation("NEG", b).To(y)
Example({x: [1.5, -2.0], y: [-1.0, -2.0]})
""",
    "last": """
x, y = Input("x", "TENSOR_FLOAT32", "{2}"), Output("y", "TENSOR_FLOAT32", "{2}")
model = Model().Operation("ABS", x).To(y)
Example({x: [1.5, -2.0], y: [1.5, 2.0]})
""",
}
"""Models of three operations, one of which is fatal, and one that is run after them; the values are by hand."""


@pytest.mark.parametrize(
    ("factory", "fatal", "left"),
    [pytest.param("bold", "codes", "EQUAL", marks=pytest.mark.long), ("planted", "floats", "FLOOR")],
)
def test_an_abort_is_a_crash_with_the_least_model(tmp_path: Path, factory: str, fatal: str, left: str) -> None:
    """The cases after it are judged; the report has the operation that aborts alone, and so has a file."""
    pytest.importorskip("ai_edge_litert")
    (tmp_path / "drivers.py").write_text(DRIVERS)
    (tmp_path / "specs").mkdir()
    for name, text in SPECS.items():
        (tmp_path / "specs" / f"{name}.mod.py").write_text(text)
    driver = f"python:{tmp_path / 'drivers.py'}:{factory}"
    out = tmp_path / "out"
    options: list[str | Path] = ["--specs", tmp_path / "specs", "--only", "GeneratedTest/sync/*", "--out", out]
    result = nnvet("run", "-d", driver, "--reduce", *options)
    assert result.exit_code == 1, result.output
    assert "3 operations reduced to 1 in" in result.output
    log = read_log(out / "run.jsonl")
    results = {case.rpartition("/")[2]: finished for case, finished in log.results.items()}
    crash = results[fatal]
    assert (crash.verdict, results["last"].verdict) == (Verdict.CRASH, Verdict.PASS)
    assert crash.evidence["signal"] == "SIGABRT"
    (small,) = log.reductions
    assert (small.verdict, small.cases, small.operations) == (Verdict.CRASH, (crash.case,), 3)
    assert [operation.name for operation in small.graph] == [left]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert f'Made small: <a href="#reduced-{small.fingerprint}">{left}</a>' in page
    assert f'<article class="reduced" id="reduced-{small.fingerprint}">' in page
    (least,) = (out / small.folder).glob("*.mod.py")
    assert [OperationType(operation.type).name for operation in load_spec(least)[0].build().main.operations] == [left]
    assert "# verdict: CRASH\n" in least.read_text(encoding="utf-8")
