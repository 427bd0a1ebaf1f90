"""``nnvet graph``, ``nnvet export``, and ``nnvet run --trace``, as a user types them."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from nnvet.commands.main import app
from nnvet.formats.tflite.source import parse
from nnvet.generators.specs import load_spec

SPEC = """
for size in (1, 2):
    a, b = Input("a", ("TENSOR_FLOAT32", [size])), Output("b", ("TENSOR_FLOAT32", [size]))
    model = Model(f"of_{size}").Operation("RELU", a).To(b)
    Example({a: [-1.5, 2.5][-size:], b: [0.0, 2.5][-size:]}, model=model).DisableLifeTimeVariation()
"""
DRAWN = """// relu_of_2
digraph {
    d0 [style=filled fillcolor=black fontcolor=white label="0 = input[0]\\nTF32(2)"]
    d1 [style=filled fillcolor=black fontcolor=white label="1 = output[0]\\nTF32(2)"]
    n0 [shape=box label="0: RELU"]
    d0 -> n0
    n0 -> d1
}
"""
"""The second model of the spec above, by hand."""

FAKE_DOT = """#!/bin/sh
[ "$1" = -Tsvg ] || exit 2
read line
case "$line" in *of_1*) echo "no such picture" >&2; exit 1;; esac
echo "<svg>$line</svg>"
"""


def nnvet(*arguments: str | Path) -> Result:
    """The result of a command."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def words(result: Result) -> str:
    """Return the message without frames and line breaks."""
    return " ".join(result.output.replace("│", " ").split())


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The spec above in a folder of version 1.0."""
    folder = tmp_path / "V1_0"
    folder.mkdir()
    (folder / "relu.mod.py").write_text(SPEC)
    return folder / "relu.mod.py"


@pytest.fixture
def dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Graphviz that shows that it was given the drawing, and fails for the first model."""
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text(FAKE_DOT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.mark.parametrize("case", ["relu_of_2", "*_2", "relu_[!x]f_2"])
def test_graph_of_a_case(spec: Path, case: str) -> None:
    """A case is named, or found by a glob."""
    result = nnvet("graph", f"{spec}:{case}")
    assert (result.exit_code, result.stdout) == (0, DRAWN)


def test_graph_of_the_first_case(spec: Path) -> None:
    """Without a case the first one of the file is drawn."""
    assert nnvet("graph", spec).stdout.splitlines()[0] == "// relu_of_1"


def test_graph_into_a_file(spec: Path, tmp_path: Path) -> None:
    """With a file nothing is printed."""
    result = nnvet("graph", f"{spec}:relu_of_2", "--out", tmp_path / "a.dot")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "a.dot").read_text(encoding="utf-8") == DRAWN


@pytest.mark.usefixtures("dot")
def test_graph_as_a_picture(spec: Path, tmp_path: Path) -> None:
    """A file.svg holds what Graphviz makes of the drawing."""
    assert nnvet("graph", f"{spec}:relu_of_2", "--out", tmp_path / "a.svg").exit_code == 0
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == "<svg>// relu_of_2</svg>\n"


@pytest.mark.usefixtures("dot")
def test_graphviz_may_fail(spec: Path, tmp_path: Path) -> None:
    """Its complaint is passed on."""
    result = nnvet("graph", spec, "--out", tmp_path / "a.svg")
    assert result.exit_code == 2
    assert "Graphviz fails: no such picture" in words(result)


def test_pictures_need_graphviz(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Graphviz the user learns what to do, and no file appears."""
    monkeypatch.setenv("PATH", str(tmp_path))
    result = nnvet("graph", spec, "--out", tmp_path / "a.svg")
    assert result.exit_code == 2
    assert "SVG needs Graphviz" in words(result)
    assert "FILE.dot" in words(result)
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (":nothing", "has no case 'nothing'; it has relu_of_1, relu_of_2"),
        (".gone", "there is no spec file"),
        (":relu_of_1 --out /nowhere/a.dot", "/nowhere/a.dot cannot be written: No such file or directory"),
    ],
)
def test_mistakes_are_reported(spec: Path, where: str, said: str) -> None:
    """One message and exit code 2."""
    result = nnvet("graph", *f"{spec}{where}".split())
    assert result.exit_code == 2
    assert said in words(result)
    assert "Traceback" not in result.output


def test_traced_run(spec: Path, tmp_path: Path) -> None:
    """In process the trace shows suite, wire and driver down to the kernel; begins and ends match on every track."""
    trace = tmp_path / "trace.json"
    only = ("--only", "GeneratedTest/sync/*")
    result = nnvet("run", "--in-process", "--specs", spec, *only, "--out", tmp_path, "--trace", trace)
    assert result.exit_code == 0, result.output
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    marks = [event["name"] for event in events if event["ph"] == "B"]
    for mark in (
        "[NN_LA_PO]nnvet run -d reference",
        "[NN_LA_PP]load",
        "[NN_LA_PU]GeneratedTest/sync/relu_of_2",
        "[NN_LI_PC]Device.prepare_model",
        "[NN_LD_PC]compile",
        "[NN_LI_PI]Device.get_feature_level",
    ):
        assert mark in marks
    assert marks.count("[NN_LA_PE]sync") == 2
    assert marks.count("[NN_LI_PE]PreparedModel.execute_synchronously") == 2
    for mark in ("[NN_LD_PE]run", "[NN_LD_PIO]", "[NN_LD_PCO]RELU", "[NN_LD_PR]"):
        assert marks.count(mark) == 2
    open_spans: dict[int, int] = {}
    for event in events:
        if event["ph"] in "BE":
            open_spans[event["tid"]] = open_spans.get(event["tid"], 0) + (1 if event["ph"] == "B" else -1)
            assert open_spans[event["tid"]] >= 0
    assert set(open_spans.values()) == {0}
    assert "Self-times in ms; executions: 2" in words(result)
    for row in ("Application", "IPC", "Driver"):
        assert row in words(result)


@pytest.mark.parametrize("options", [("-n", "2"), ("-d", "reference", "-d", "reference:quant")])
def test_traces_are_of_one_process(spec: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Several processes or drivers have no common trace; nothing is run."""
    result = nnvet("run", "--specs", spec, "--out", tmp_path / "out", "--trace", tmp_path / "t.json", *options)
    assert result.exit_code == 2
    assert "use one -d, and -n 1" in words(result)
    assert not (tmp_path / "out").exists()


def test_trace_files_are_tried_before_the_run(spec: Path, tmp_path: Path) -> None:
    """A file that cannot be written is reported before anything is run."""
    result = nnvet("run", "--specs", spec, "--out", tmp_path / "out", "--trace", tmp_path / "no" / "t.json")
    assert result.exit_code == 2
    assert "cannot be written: No such file or directory" in words(result)
    assert not (tmp_path / "out").exists()


def test_exported_case_is_a_spec(spec: Path, tmp_path: Path) -> None:
    """One case of several becomes a file of its own, with the same model and the same example."""
    alone = tmp_path / "alone.mod.py"
    assert nnvet("export", f"{spec}:relu_of_2", "--out", alone).exit_code == 0
    assert nnvet("export", f"{spec}:relu_of_2").output == alone.read_text(encoding="utf-8")
    assert nnvet("graph", alone).output == DRAWN.replace("relu_of_2", "alone")
    (case,) = load_spec(alone)
    main = case.build().main
    assert [[*operand.data] for operand in (*main.inputs, *main.outputs) if operand.data is not None] == [
        [-1.5, 2.5],
        [0.0, 2.5],
    ]


def test_exported_model_is_a_tflite_file(spec: Path, tmp_path: Path) -> None:
    """The suffix decides; the file has the case's operator and the spec's names of operands."""
    alone = tmp_path / "alone.tflite"
    assert nnvet("export", f"{spec}:relu_of_2", "--out", alone).exit_code == 0
    model = parse(alone.read_bytes(), "alone")
    (operator,) = model.operators
    tensors = [model.tensors[index] for index in (*operator.inputs, *operator.outputs)]
    assert (operator.name, [(tensor.name, tensor.shape) for tensor in tensors]) == (
        "RELU",
        [("op0", (2,)), ("op1", (2,))],
    )


def test_a_model_may_have_no_form_in_tflite(spec: Path, tmp_path: Path) -> None:
    """The user learns why."""
    spec.write_text(SPEC.replace('"RELU", a', '"LSH_PROJECTION", a'))
    result = nnvet("export", spec, "--out", tmp_path / "alone.tflite")
    assert result.exit_code == 2
    assert "the model cannot be executed: LSH_PROJECTION takes 4 inputs, not 1" in words(result)


def test_export_says_where_it_cannot_write(spec: Path, tmp_path: Path) -> None:
    """A folder is no file."""
    result = nnvet("export", spec, "--out", tmp_path)
    assert result.exit_code == 2
    assert "cannot be written" in words(result)
