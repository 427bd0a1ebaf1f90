"""Model lists: every key, its default, and what is said about wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nnvet.formats.errors import DataError
from nnvet.models.bench import select_entries
from nnvet.models.catalogue import load_catalogue

ENTRY: dict[str, Any] = {"name": "net", "baselineSec": 0.004, "dataSize": 4, "inputSize": [1, 2]}
DATASET = {"inputPath": "p", "groundTruth": "p/t.txt", "labels": "p/l.txt", "preprocessor": "Inception"}


def write(folder: Path, text: str | list[dict[str, Any]], name: str = "a.json") -> Path:
    """A folder with one list."""
    (folder / "models_list").mkdir(exist_ok=True)
    content = text if isinstance(text, str) else json.dumps({"models": text})
    (folder / "models_list" / name).write_text(content, "utf-8")
    return folder


def test_defaults(tmp_path: Path) -> None:
    """Optional keys take the defaults of the layout; unknown keys are ignored."""
    (entry,) = load_catalogue(write(tmp_path, [{**ENTRY, "comment": "x"}])).entries
    assert entry.model_path == "net.tflite"
    assert entry.metric_prefix == "net"
    assert (entry.min_sdk_version, entry.evaluator, entry.input_outputs, entry.dataset) == (0, None, (), None)
    assert (entry.baseline_sec, entry.data_size, entry.input_size) == (0.004, 4, (1, 2))


def test_all_keys(tmp_path: Path) -> None:
    """Every key of the layout is read."""
    full = {
        **ENTRY,
        "testName": "NET",
        "modelFile": "other",
        "minSdkVersion": 29,
        "evaluator": {"className": "TopK", "expectedTop1": 0.5, "outputMeanStdDev": "m"},
        "inputOutputs": [{"input": "i", "output": "o"}, {"input": "j", "outputs": ["o0", "o1"]}],
        "dataset": DATASET,
        "inputScale": 0.007812,
        "inputZeroPoint": 128.0,
    }
    (entry,) = load_catalogue(write(tmp_path, [full])).entries
    assert (entry.model_path, entry.metric_prefix, entry.min_sdk_version) == ("other.tflite", "NET", 29)
    assert entry.evaluator is not None
    assert (entry.evaluator.class_name, entry.evaluator.expected_top1) == ("TopK", 0.5)
    assert entry.evaluator.output_mean_std_dev == "m"
    assert [pair.golden_files for pair in entry.input_outputs] == [("o",), ("o0", "o1")]
    assert entry.dataset is not None
    assert (entry.dataset.input_path, entry.dataset.preprocessor) == ("p", "Inception")
    assert (entry.input_scale, entry.input_zero_point) == (0.007812, 128.0)


def test_order_and_names(tmp_path: Path) -> None:
    """Lists come in the order of their names; of equal names the first entry is found."""
    write(tmp_path, [{**ENTRY, "name": "c"}, {**ENTRY, "name": "a", "dataSize": 1}], "2.json")
    write(tmp_path, [{**ENTRY, "name": "a"}], "1.json")
    write(tmp_path, "not a list", "notes.txt")
    catalogue = load_catalogue(tmp_path)
    assert [entry.name for entry in catalogue.entries] == ["a", "c", "a"]
    assert catalogue.by_name("a").data_size == 4
    assert catalogue.repeated == ["a"]
    assert [(entry.name, entry.data_size) for entry in select_entries(catalogue, ["*"])] == [("a", 4), ("c", 4)]
    with pytest.raises(DataError, match="no model is called 'b'; there are a, c, a"):
        catalogue.by_name("b")


def without(key: str) -> list[dict[str, Any]]:
    """A list whose entry lacks a key."""
    return [{name: value for name, value in ENTRY.items() if name != key}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"a\.json: .*fix the model list"),
        ("[]", r"a\.json: Expected `object`"),
        (without("name"), "missing required field `name`"),
        (without("baselineSec"), "missing required field `baselineSec`"),
        (without("dataSize"), "missing required field `dataSize`"),
        (without("inputSize"), "missing required field `inputSize`"),
        ([{**ENTRY, "dataSize": "4"}], r"Expected `int`, got `str` - at `\$\.models\[0\]\.dataSize`"),
        ([{**ENTRY, "evaluator": "TopK"}], r"Expected `object \| null`, got `str` - at `\$\.models\[0\]\.evaluator`"),
        ([{**ENTRY, "evaluator": {}}], "missing required field `className`"),
        ([{**ENTRY, "inputOutputs": [{"input": "i"}]}], "needs 'output', 'outputs' or 'truth'"),
        ([{**ENTRY, "inputOutputs": [{"output": "o"}]}], "missing required field `input`"),
        ([{**ENTRY, "dataset": {**DATASET, "labels": 3}}], r"Expected `str`, got `int`"),
        ([{**ENTRY, "dataset": {"inputPath": "p"}}], "dataset needs 'preprocessor'"),
        ([{**ENTRY, "dataset": {**DATASET, "labels": ""}}], "dataset needs 'groundTruth' and 'labels', or 'truthPath'"),
        ([{**ENTRY, "dataset": {**DATASET, "truthPath": "t"}}], "dataset needs 'groundTruth' and 'labels', or 'truthP"),
        ([{**ENTRY, "dataSize": 1, "dataset": DATASET}], "8-bit pictures need inputScale and inputZeroPoint"),
        ([{**ENTRY, "signed": True}], r"net: only elements of one byte \(dataSize 1\) can be signed"),
        ([{**ENTRY, "inputSize": [1, 0]}], "must be positive"),
        ([{**ENTRY, "inputSize": []}], "must be positive"),
        ([{**ENTRY, "inputSize": [2**40, 2**40]}], "more than 2147483647 bytes"),
        ([{**ENTRY, "inputScale": 0}], "inputScale is 0, must be positive"),
        ([{**ENTRY, "inputZeroPoint": 1e300}], r"inputZeroPoint is 1e\+300, must be a code of 8 bits"),
        ([{**ENTRY, "name": ""}], "the name '' is empty"),
        ([{**ENTRY, "name": "a\nb"}], r"the name 'a\\nb' is empty or has characters that cannot be printed"),
    ],
)
def test_errors_name_file_and_place(tmp_path: Path, content: str | list[dict[str, Any]], message: str) -> None:
    """A list that is wrong anywhere stops the loading with its name, the place in it and the rule."""
    write(tmp_path, [ENTRY], "0.json")
    with pytest.raises(DataError, match=message) as caught:
        load_catalogue(write(tmp_path, content))
    assert "a.json" in str(caught.value)


def test_no_lists(tmp_path: Path) -> None:
    """A folder without lists says what is looked for."""
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DataError, match=r"models_list: there is no model list \(\*\.json\)"):
            load_catalogue(folder)
