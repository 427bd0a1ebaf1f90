"""``nnvet bench``: several drivers in one run, what is kept of an earlier one, and what becomes of bad models."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.commands import terminal
from nnvet.commands.terminal import open_page
from nnvet.conformance.engine.target import Target, open_target
from nnvet.formats.tflite.writer import ModelWriter
from nnvet.models.driver import contender_of
from nnvet.reports.events import Verdict
from nnvet.reports.log import Log, read_log
from tests.commands.test_utilities import nnvet
from tests.models.toys.folder import write_toys

QUICK = ("--time", "0", "--warm-up", "0", "--in-process", "--models", "models", "--out", "out")
GOOD, BAD = "toy_mobilenet_v1_quant", "toy_mobilenet_v2_quant"
FLOAT = "toy_mobilenet_v2_float"
PICTURES = "toy_mobilenet_v2_quant_pictures"


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks, written once."""
    path = tmp_path_factory.mktemp("models")
    write_toys(path)
    return path


@pytest.fixture(autouse=True)
def folder(toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them in the folder where commands are run, to be changed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    return shutil.copytree(toys, tmp_path / "models")


def bench(*options: str, exit_code: int = 0) -> tuple[str, Log]:
    """Run the command; what it prints, and its log."""
    result = nnvet("bench", *QUICK, *options)
    assert result.exit_code == exit_code, result.output
    return result.output, read_log("out/run.jsonl")


def test_several_drivers_in_one_run() -> None:
    """Both are in one log and one report, beside the baseline if it is there, each with a verdict of its own."""
    _, log = bench("-d", "reference", "-d", "reference:float_fast", "--only", GOOD)
    backends = [measurement.backend for measurement in log.measurements]
    assert [backend for backend in backends if backend.startswith("nnvet:")] == [
        "nnvet:reference",
        "nnvet:reference:float_fast",
    ]
    assert set(log.results) == {f"bench/{GOOD}@reference", f"bench/{GOOD}@reference:float_fast"}
    replay = log.results[f"bench/{GOOD}@reference:float_fast"].evidence["replay"]
    assert replay == (f"nnvet bench -d reference:float_fast --models models --in-process --only {GOOD} --out replay")
    assert Path("out/report.html").is_file()


def test_a_limit_for_all_examples() -> None:
    """A driver that is too slow for all of them is NOT_RUN, with the way out; the replay of a longer limit keeps it."""
    _, log = bench("-d", "reference", "--only", PICTURES, "--limit", "0", exit_code=3)
    case = log.results[f"bench/{PICTURES}"]
    assert case.verdict is Verdict.NOT_RUN
    assert "sequences took longer than 0 s, the limit; give a longer --limit" in case.reason
    _, log = bench("-d", "reference", "--only", PICTURES, "--limit", "1000", exit_code=0)
    case = log.results[f"bench/{PICTURES}"]
    assert case.verdict is Verdict.PASS
    assert "--limit 1000" in case.evidence["replay"]


def test_resume_measures_what_is_left() -> None:
    """A log that ends within its second model keeps the first one's results as they are; the second is run."""
    globs = ("--only", GOOD, "--only", BAD)
    bench(*globs)
    path = Path("out/run.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    second = next(i for i, line in enumerate(lines) if json.loads(line).get("model") == BAD)
    path.write_bytes(b"".join(lines[: second + 1]))
    kept = [line for line in lines if json.loads(line).get("model") == GOOD]
    output, log = bench(*globs, "--resume")
    assert "1 models are measured already" in output
    assert set(log.results) == {f"bench/{GOOD}", f"bench/{BAD}"}
    again = path.read_bytes().splitlines(keepends=True)
    assert [line for line in again if json.loads(line).get("model") == GOOD] == kept
    assert len([measurement for measurement in log.measurements if measurement.model == BAD]) == len(kept)


def test_resume_is_of_the_same_run() -> None:
    """A log of other options is refused."""
    bench("--only", GOOD)
    result = nnvet("bench", *QUICK, "--only", GOOD, "--relaxed", "--resume")
    assert result.exit_code == 2
    assert "the log of another driver, suite, selection or options" in result.output


def truncate(folder: Path) -> None:
    """End the flatbuffer after a third."""
    path = folder / f"{BAD}.tflite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def corrupt(folder: Path) -> None:
    """Make the root table lie far behind the end."""
    path = folder / f"{BAD}.tflite"
    path.write_bytes(b"\xff\xff\xff\x7f" + path.read_bytes()[4:])


def no_model(folder: Path) -> None:
    """Put a text in its place."""
    (folder / f"{BAD}.tflite").write_text("404: not found", "utf-8")


def unlink(name: str) -> Callable[[Path], None]:
    """Remove a file."""
    return lambda folder: (folder / name).unlink()


def short_data(folder: Path) -> None:
    """End the inputs within a step."""
    path = folder / f"{BAD}-0.input"
    path.write_bytes(path.read_bytes()[:-1])


def other_outputs(folder: Path) -> None:
    """Put golden outputs of another model in their place."""
    (folder / f"{BAD}-0.output").write_bytes(bytes(17))


def no_picture(folder: Path) -> None:
    """Put a text in a picture's place."""
    (folder / "pictures" / "image-3.jpeg").write_text("no picture", "utf-8")


def short_picture(folder: Path) -> None:
    """End a picture early."""
    path = folder / "pictures" / "image-3.jpeg"
    path.write_bytes(path.read_bytes()[:300])


def other_labels(folder: Path) -> None:
    """Name a class that no label has."""
    path = folder / "pictures" / "toy_mobilenet_v2.txt"
    path.write_text("class 0\n" * 23 + "zebra\n", "utf-8")


def no_counterpart(folder: Path) -> None:
    """Compute cosines, for which NNAPI has nothing; golden outputs are as many, and zero."""
    for inputs in folder.glob(f"{FLOAT}-*.input"):
        inputs.with_suffix(".output").write_bytes(bytes(inputs.stat().st_size))
    writer = ModelWriter()
    angles = writer.tensor("angles", (1, 48, 48, 3))
    cosines = writer.tensor("cosines", (1, 48, 48, 3))
    writer.operator("COS", [angles], [cosines])
    (folder / f"{FLOAT}.tflite").write_bytes(writer.finish([angles], [cosines]))


CORRUPT: dict[str, tuple[str, Callable[[Path], None], tuple[str, ...]]] = {
    "truncated": (BAD, truncate, (f"models/{BAD}.tflite: ", "damaged or cut short")),
    "corrupt": (BAD, corrupt, (f"models/{BAD}.tflite: ", "damaged or cut short")),
    "no flatbuffer": (BAD, no_model, (f"models/{BAD}.tflite: ",)),
    "no model": (BAD, unlink(f"{BAD}.tflite"), (f"models/{BAD}.tflite: there is no such model file",)),
    "other outputs": (
        BAD,
        other_outputs,
        (f"models/{BAD}.tflite: ", "golden outputs have [17] elements, the model's [16]"),
    ),
    "no inputs": (BAD, unlink(f"{BAD}-0.input"), (f"models/{BAD}-0.input: cannot be read: No such file",)),
    "no outputs": (BAD, unlink(f"{BAD}-0.output"), (f"models/{BAD}-0.output: cannot be read: No such file",)),
    "short inputs": (BAD, short_data, (f"models/{BAD}-0.input: ", "bytes are not whole steps of 6912 bytes")),
    "no counterpart": (
        FLOAT,
        no_counterpart,
        (f"models/{FLOAT}.tflite: ", "operator 0 COS: it has no NNAPI counterpart"),
    ),
    "no picture": (PICTURES, no_picture, ("models/pictures/image-3.jpeg: ",)),
    "short picture": (PICTURES, short_picture, ("models/pictures/image-3.jpeg: ",)),
    "other labels": (PICTURES, other_labels, ("label 'zebra' is not in pictures/labels.txt",)),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", CORRUPT)
def test_bad_models_are_named_and_others_run(folder: Path, kind: str) -> None:
    """File and cause are on the console and in the row of the model; the other model is judged."""
    model, change, parts = CORRUPT[kind]
    change(folder)
    output, log = bench("--only", GOOD, "--only", model, exit_code=3)
    assert log.results[f"bench/{GOOD}"].verdict is Verdict.PASS
    wrong = log.results[f"bench/{model}"]
    assert wrong.verdict is Verdict.NOT_RUN
    rows = [
        measurement.error
        for measurement in log.measurements
        if measurement.model == model and not measurement.is_baseline
    ]
    for text in (wrong.reason, output, *rows, Path("out/report.html").read_text("utf-8")):
        for part in parts:
            assert part in text.replace("&#39;", "'").replace("&#x27;", "'")
    assert "Traceback" not in output


def test_unsupported_operations_are_named() -> None:
    """A driver that lacks an operation of one model is UNSUPPORTED with it there, and judged on the others."""
    _, log = bench("-d", "reference:minimal", "--only", GOOD, exit_code=3)
    (case,) = log.results.values()
    assert case.verdict is Verdict.UNSUPPORTED
    assert case.reason.startswith("the driver does not take ")
    (row,) = [measurement for measurement in log.measurements if not measurement.is_baseline]
    assert row.error == case.reason


def test_every_answer_may_take_as_long_as_is_said() -> None:
    """``--timeout`` bounds compilations and executions alike."""
    target = Target("reference", in_process=True, timeout_s=300.0)
    with open_target(target) as driver:
        contender = contender_of(driver, target)
    assert (contender.compile_timeout_s, contender.execute_timeout_s) == (300.0, 300.0)


def test_why_a_page_is_not_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a page, a display or xdg-open the message says so."""
    page = tmp_path / "report.html"
    assert open_page(page) == f"not opened: there is no {page}"
    page.touch()
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(terminal.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)" in open_page(page)
    monkeypatch.setattr(terminal.shutil, "which", lambda _: None)
    assert "xdg-open is not installed" in open_page(page)


def test_the_page_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a display the command starts xdg-open with the report."""
    calls: list[list[str]] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(terminal.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(terminal.subprocess, "Popen", lambda command, **_: calls.append(command))
    output, _ = bench("--only", GOOD, "--open")
    assert calls == [["/usr/bin/xdg-open", "out/report.html"]]
    assert "opened out/report.html" in output


class _Console(io.StringIO):
    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "display", "program", "looks"),
    [
        (True, ":0", "/usr/bin/xdg-open", True),
        (False, ":0", "/usr/bin/xdg-open", False),
        (True, "", "/usr/bin/xdg-open", False),
        (True, ":0", None, False),
    ],
)
def test_who_looks_at_pages(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, display: str, program: str | None, looks: bool
) -> None:
    """Somebody at a terminal with a display that has xdg-open: not a job of a CI, and not a session without screen."""
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(terminal.shutil, "which", lambda _: program)
    assert terminal.can_show_page(_Console(is_terminal=is_terminal)) is looks
