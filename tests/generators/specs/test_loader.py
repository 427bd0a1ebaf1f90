"""Finding, executing and isolating spec files. Source of the rules: docs/contract/spec-format.md 2."""

import pickle
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from nnvet.generators.specs import SpecError, find_specs, load_spec, operands
from nnvet.generators.specs.example import Example
from nnvet.generators.specs.loader import LANGUAGE
from nnvet.generators.specs.model import SpecModel
from nnvet.generators.specs.operands import Configuration
from tests.generators.specs.loading import LoadCases

UNARY = """
x = Input("x", "TENSOR_FLOAT32", "{1}")
y = Output("y", "TENSOR_FLOAT32", "{1}")
Model().Operation("RELU", x).To(y)
"""


def test_the_language_has_24_names() -> None:
    """A spec finds exactly the names of docs/contract/spec-format.md 2 in its scope."""
    assert sorted(LANGUAGE) == [
        "ActivationConverter",
        "AllInputsAsInternalCoverter",
        "AllOutputsAsInternalCoverter",
        "AllTensorsAsInputsConverter",
        "BoolScalar",
        "Configuration",
        "DataLayoutConverter",
        "DataTypeConverter",
        "Example",
        "Float16Scalar",
        "Float32Scalar",
        "Float32Vector",
        "IgnoredOutput",
        "Input",
        "Int32Scalar",
        "Int32Vector",
        "Internal",
        "Model",
        "Operand",
        "Output",
        "Parameter",
        "RelaxedModeConverter",
        "SubgraphReference",
        "SymmPerChannelQuantParams",
    ]


def test_the_scope_holds_nothing_else(load: LoadCases) -> None:
    """No module, helper or name of ours shows up in a spec."""
    load("assert len([name for name in globals() if not name.startswith('__')]) == 24, sorted(globals())")
    for name in ("AxisConverter", "np", "DefaultVariation"):
        with pytest.raises(SpecError, match=f"NameError: name '{name}' is not defined"):
            load(name)


def test_names_may_be_shadowed(load: LoadCases) -> None:
    """A spec may define Operand, or anything else, for itself."""
    cases = load(
        "from collections import namedtuple\n"
        'Operand = namedtuple("Operand", ["a"])\n' + UNARY + "Example({x: Operand(a=2.0), y: [2]})"
    )
    assert cases["s"].build().main.inputs[0].data.tolist() == [2.0]


def test_loads_leave_nothing_behind(load: LoadCases) -> None:
    """Neither models, names, switches, overrides, random numbers nor module paths pass from one load to the next."""
    before = (random.getstate(), np.random.get_state()[1].tolist(), list(sys.path), SpecModel.models, Example.examples)  # noqa: NPY002 - what specs use
    text = UNARY + (
        "import random, sys, numpy\nrandom.seed(5)\nnumpy.random.seed(5)\nsys.path.append('nowhere')\n"
        "Configuration.use_shm_for_weights = True\nExample.SetVersion('V1_0', 's')\n"
        "Example({x: [1], y: [1]})"
    )
    assert load(text)["s"].min_supported_version == 1
    after = (random.getstate(), np.random.get_state()[1].tolist(), list(sys.path), SpecModel.models, Example.examples)  # noqa: NPY002 - what specs use
    assert after == before
    assert Configuration.use_shm_for_weights is False
    cases = load("assert not Configuration.use_shm_for_weights\n" + UNARY + "Example({x: [1], y: [1]})")
    assert (next(iter(cases)), cases["s"].min_supported_version) == ("s", 3)


def test_a_failed_load_leaves_nothing_behind(load: LoadCases) -> None:
    """State is put back even when the spec raises."""
    with pytest.raises(SpecError):
        load("Configuration.use_shm_for_weights = True\nModel()\nraise KeyError(3)")
    assert (Configuration.use_shm_for_weights, SpecModel.models) == (False, [])


def test_random_specs_are_deterministic(load: LoadCases) -> None:
    """A spec that forgets to seed gives the same values every time."""
    text = "import random, numpy\n" + UNARY + "Example({x: [random.random() + numpy.random.rand()], y: [1]})"
    values = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the generator that specs use
        values.append(load(text)["s"].build().main.inputs[0].data.item())
    assert values[0] == values[1]


def test_a_spec_may_warn(load: LoadCases) -> None:
    """Warnings of a spec's own code are its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(load("import warnings\nwarnings.warn('old')\n" + UNARY + "Example({x: [1], y: [1]})"))


def test_collection_converts_no_values(load: LoadCases, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, versions and flags are there before any value has been looked at."""
    calls = []
    emit = operands.emit
    monkeypatch.setattr(operands, "emit", lambda values, kind: calls.append(kind) or emit(values, kind))
    cases = load(UNARY + "Example({x: [1], y: [1]}).AddVariations('float16', 'relaxed')")
    assert len(cases) == 6
    outline = cases["s_float16"].outline
    assert (calls, [o.data for o in outline.main.operands]) == ([], [None, None])
    assert outline.main.operands[0].dimensions == (1,)
    cases["s_float16"].build()
    assert len(calls) == 2


def test_cases_share_what_is_alike_in_them(load: LoadCases) -> None:
    """Values that no variation touches are converted once, and nobody can write into them."""
    cases = load(UNARY + "Example({x: [1], y: [1]}).AddVariations('float16', 'relaxed')")
    plain, relaxed, half = (cases[name].build().main.inputs[0].data for name in ("s", "s_relaxed", "s_float16"))
    assert plain is relaxed
    assert (plain.dtype, half.dtype) == (np.float32, np.float16)
    with pytest.raises(ValueError, match="read-only"):
        plain[0] = 2


def test_cases_can_be_sent_elsewhere(load: LoadCases) -> None:
    """A case survives pickling, with its name, level and values."""
    cases = load(UNARY + "Example({x: [1.5], y: [1]}).AddVariations('float16')")
    for case in cases.values():
        copy = pickle.loads(pickle.dumps(case))  # noqa: S301 - our own
        assert (copy.name, copy.path, copy.min_supported_version) == (case.name, case.path, 3)
        assert copy.build().main.inputs[0].data.tolist() == [1.5]


def test_errors_name_the_line_in_the_spec(load: LoadCases) -> None:
    """The line is the innermost one of the spec itself, even when the error comes from deep inside a library."""
    with pytest.raises(SpecError) as caught:
        load("import json\n\ndef parse(text):\n    return json.loads(text)\n\nparse('{')\n")
    assert caught.value.line == 4
    assert str(caught.value) == f"{caught.value.path}:4: {caught.value.message}"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\nx = (", 2, "not a Python program"),
        ("\nassert 1 == 2", 2, "AssertionError"),
        ("import sys\nsys.exit(3)", 2, "SystemExit: 3"),
        ("def f(): f()\nf()", 1, "RecursionError"),
        ("\neval('1 +')", 2, "SyntaxError"),
        ("{}[7]", 1, "KeyError: 7"),
    ],
)
def test_specs_that_raise(load: LoadCases, text: str, line: int, message: str) -> None:
    """Whatever a spec raises becomes one error with its line."""
    with pytest.raises(SpecError, match=message) as caught:
        load(text)
    assert caught.value.line == line


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder in its place or bytes that are no text give an error, not a traceback."""
    for path in (tmp_path / "none.mod.py", tmp_path):
        with pytest.raises(SpecError, match="cannot read the file"):
            load_spec(path)
    binary = tmp_path / "b.mod.py"
    for content in (b"\xff\xfe\x00x", b"x = 1\x00"):
        binary.write_bytes(content)
        with pytest.raises(SpecError, match="not a Python program"):
            load_spec(binary)


def test_specs_are_found_in_a_tree(tmp_path: Path) -> None:
    """All *.mod.py files of all folders, sorted; a file is its own list; a missing place is an error."""
    names = ["AIDL_V2/a.mod.py", "V1_0/b.mod.py", "V1_0/c.mod.py", "V1_3_cts_only/x/d.mod.py", "top.mod.py"]
    for name in [*names, "V1_0/readme.md", "V1_0/plain.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    assert find_specs(tmp_path) == [tmp_path / name for name in names]
    assert find_specs(tmp_path / "top.mod.py") == [tmp_path / "top.mod.py"]
    with pytest.raises(SpecError, match="no such file or folder"):
        find_specs(tmp_path / "V1_9")


def test_relative_paths_have_versions_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version comes from the absolute path, however the file is named."""
    (tmp_path / "V1_1").mkdir()
    (tmp_path / "V1_1" / "r.mod.py").write_text(UNARY + "Example({x: [1], y: [1]})", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "V1_1")
    assert load_spec("r.mod.py")[0].min_supported_version == 2
