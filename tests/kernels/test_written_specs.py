"""The spec files that scripts write are those in the repository."""

import importlib

import pytest

from tests.golden.spec_writer import SPECS

FAMILIES = (
    "activation",
    "arithmetic",
    "comparison",
    "convolution",
    "dense",
    "detection",
    "elementwise",
    "extremum",
    "keypoint",
    "normalization",
    "pooling",
    "proposals",
    "quantization",
    "reduction",
    "roi",
    "zero_sized",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_files_are_current(family: str) -> None:
    """Every file has the text that its script writes, and no other file claims to come from that script."""
    files = importlib.import_module(f"tests.golden.write_{family}_specs").files()
    written = {file.path: file.text for file in files}
    assert len(written) == len(files)
    mark = f"# Written by tests/golden/write_{family}_specs.py."
    texts = {path: path.read_text(encoding="utf-8") for path in SPECS.rglob("*.mod.py")}
    assert {path: text for path, text in texts.items() if text.partition("\n")[0] == mark} == written
