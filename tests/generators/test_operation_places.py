"""Places that name an operation: eight files for one of the contract, one file for one of an extension."""

import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from nnvet.hal.enums import OperationType
from nnvet.hal.extensions import VARIABLE

ROOT = Path(__file__).parents[2]
PLACES = (
    "hal/enums.py",
    "hal/operations/",
    "docs/contract/operations/",
    "reference_driver/kernels/",
    "oracle/operations/",
    "oracle/bounds/families/",
    "generators/random_graphs/families/",
    "generators/corpus/families/",
)
"""Files, or folders with one file for each family or operation, that an operation is added to."""
SUBJECTS = {
    "generators/corpus/families/ranks.py": "examples of every rank",
    "generators/corpus/families/rules.py": "examples that break one rule each",
    "generators/corpus/families/wide.py": "examples with more elements than 16 bits count",
    "generators/corpus/families/zero_sized.py": "examples without elements",
    "generators/random_graphs/families/control_flow.py": "operations of the branches and bodies of IF and WHILE",
}
"""Modules with one subject for many operations, and the subject: a new operation need not be added to them."""
MANY_FILES = {
    **dict.fromkeys(("RELU", "RELU1", "RELU6", "TANH"), "also the name of a fused activation"),
    **dict.fromkeys(("DEPTHWISE_CONV_2D", "DEQUANTIZE"), "random models have a second form, with scales of channels"),
    "RANK": "random models have it in two forms",
    "RSQRT": "random models of feature level 7 have it in a second form",
    "LSTM": "also a word in the summaries of the quantised cells",
    "MAXIMUM": "also the name of a kind of pooling",
}
"""Operations with more than one file in a place, and the reason."""
UNIVERSAL = {
    "formats/tflite/schema.py": "the operators of TFLite, by number",
    "formats/tflite/operators/movement.py": "operators of TFLite and what they are here; others cannot be read",
    "generators/random_graphs/flow.py": "ranges and weights of some operations; all others have a default",
    "oracle/random_graphs.py": "the criteria of CTS; operations without a test there have a default",
}
"""Files outside of the places that name half of all operations, and the reason why a new one need not be added."""

TOY = ROOT / "docs" / "examples" / "extension" / "gelu.py"
NAME = "com.example.gelu::GELU"
SESSION = f"""
import json, sys
from collections import Counter
from pathlib import Path
from typer.testing import CliRunner
from nnvet.commands.main import app
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.generators.corpus.__main__ import write_extension
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.extensions import known_operations

gelu = known_operations()["{NAME}"]
folder = Path(sys.argv[1])
write_extension(gelu.extension, folder, 1)
cases = Catalogue([folder]).cases(Selection(full=True))
graph = random_model(SeededChooser("toy"), GraphOptions(operations=(2, 4), only=(gelu,)))
found = {{
    "suites": Counter(case.id.partition("/")[0] for case in cases if "gelu" in case.id.lower()),
    "page": CliRunner().invoke(app, ["explain", gelu.name]).output,
    "graph": all(operation.type == gelu for operation in graph.main.operations),
    "bounds": [estimate is not None for estimate in estimates(graph)],
}}
print(json.dumps(found))
"""


@cache
def naming() -> dict[str, set[str]]:
    """Product files and page of each operation: those whose code has its name as a word."""
    found: dict[str, set[str]] = defaultdict(set)
    names = {operation.name for operation in OperationType}
    for package in sorted((ROOT / "src" / "nnvet").iterdir()):
        for path in (ROOT / package.name).rglob("*.py"):
            if not path.name.endswith(".mod.py"):
                words = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", _code_of(path)))
                for name in words & names:
                    found[name].add(str(path.relative_to(ROOT)))
    for name in names:
        if (ROOT / "docs" / "contract" / "operations" / f"{name}.md").is_file():
            found[name].add(f"docs/contract/operations/{name}.md")
    return found


def _code_of(path: Path) -> str:
    """Text of a module without comments and docstrings, in which an operation may be an example."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                line for line in body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            ]
    return ast.unparse(tree)


def in_places(name: str) -> set[str]:
    """Return the files of an operation that are in one of the places, without those of one subject."""
    return {path for path in naming()[name] if path.startswith(PLACES) and path not in SUBJECTS}


def test_the_guide_names_the_places() -> None:
    """Its section on operations has each of the eight, and there are no more."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = guide.partition("\n## An operation\n")[2].partition("\n## ")[0]
    assert len(PLACES) == 8
    assert [place for place in PLACES if f"`{place}`" not in section] == []


def test_no_operation_needs_a_ninth_file() -> None:
    """An operation has at most one file of its own in each place; those with more are named with the reason."""
    more = {name: sorted(in_places(name)) for name in naming() if len(in_places(name)) > len(PLACES)}
    assert {name: files for name, files in more.items() if name not in MANY_FILES} == {}
    assert [name for name in MANY_FILES if name not in more] == []


def test_no_other_file_lists_the_operations() -> None:
    """A file outside of the places that names half of the operations is named, with the reason why it may lack some."""
    counted: dict[str, int] = defaultdict(int)
    for name in naming():
        for path in naming()[name]:
            counted[path] += not path.startswith(PLACES)
    assert {path for path, count in counted.items() if count >= len(OperationType) / 2} == set(UNIVERSAL)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Everything that a process that knows the toy operation makes of it."""
    command = [sys.executable, "-c", SESSION, str(tmp_path_factory.mktemp("specs"))]
    environment = {**os.environ, VARIABLE: str(TOY)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_toy_operation_is_in_one_file() -> None:
    """No file of the product names it."""
    packages = [ROOT / path.name for path in (ROOT / "src" / "nnvet").iterdir()]
    modules = [path for package in packages for path in package.rglob("*.py")]
    assert [path for path in modules if b"com.example.gelu" in path.read_bytes()] == []


def test_the_toy_operation_gets_all_that_others_have(toy: dict[str, object]) -> None:
    """Cases of specs, wrong uses and dimensions; random graphs; bounds for each output; a page with its rules."""
    suites = toy["suites"]
    assert isinstance(suites, dict)
    assert {"GeneratedTest", "ValidationTest", "DynamicOutputShapeTest", "MemoryDomainTest", "RandomModels"} <= set(
        suites
    )
    assert suites["FibonacciExtensionTest"] > 0
    assert toy["graph"] is True
    assert toy["bounds"]
    assert all(toy["bounds"])  # type: ignore[arg-type]
    page = str(toy["page"])
    assert f"{NAME}/input.rank" in page
    assert "running error analysis of the meaning" in page
