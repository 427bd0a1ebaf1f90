"""Fixtures for tests of the specification language."""

from pathlib import Path
from textwrap import dedent

import pytest

from nnvet.generators.specs import SpecCase, load_spec
from tests.generators.specs.loading import LoadCases


@pytest.fixture
def load(tmp_path: Path) -> LoadCases:
    """Write a spec file into a version folder, load it, and return its cases by name, in order."""

    def write_and_load(text: str, folder: str = "V1_2", file: str = "s.mod.py") -> dict[str, SpecCase]:
        path = tmp_path / folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return {case.name: case for case in load_spec(path)}

    return write_and_load
