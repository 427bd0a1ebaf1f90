"""Tests that a command runs again: a case by its id, a spec's case, a test vector, or a saved failure.

``nnvet replay`` and ``nnvet reduce`` call :func:`find_test` for the test that the user names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nnvet.commands.drawing import spec_case
from nnvet.commands.options import CommandError
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.saved_failures import VECTOR, Provenance, provenance_of, provenance_of_spec, test_of
from nnvet.conformance.kit.checks import Case
from nnvet.generators.specs import SpecError
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.graphs.model import TestModel
from nnvet.graphs.vector import VectorError, read_vector

_FILES: Final = (SPEC_SUFFIX, ".json")
"""Ends of names of files that hold tests; other texts are ids of cases."""


@dataclass(frozen=True)
class FoundTest:
    """A test to run again. ``name`` is the user's text.

    ``case`` is the id of the case whose check runs and judges the test; empty if there is none. ``load`` builds the
    test. ``listed`` is the case itself, if the user named one; ``origin`` says where a saved failure comes from.
    """

    name: str
    case: str
    load: Callable[[], TestModel]
    listed: Case | None = None
    origin: Provenance | None = None


def find_test(text: str, specs: Sequence[Path]) -> FoundTest:
    """Return the test that FILE, FILE:CASE, a folder of a saved failure, or the id of a case names.

    :raises CommandError: there is no such file or case, or the file is wrong.
    :raises SelectionError: there is no such case; the text names the nearest ids.
    """
    if not text:
        raise CommandError("no case is named; give its id, a spec, or the folder of a saved failure")
    place = Path(text)
    try:
        if place.is_dir():
            return _find_vector(place / VECTOR)
        if place.suffix == ".json":
            return _find_vector(place)
        file, colon, name = text.rpartition(":")
        path = Path(file) if colon and not place.exists() and name else place
        if path.exists() or str(path).endswith(_FILES):
            return _find_spec(text, path)
        return _find_case(text, specs)
    except (VectorError, SpecError) as error:
        raise CommandError(str(error)) from error


def _find_vector(path: Path) -> FoundTest:
    test, vector = read_vector(path)
    origin = provenance_of(vector.provenance.items())
    return FoundTest(str(path), origin.case if origin else "", lambda: test, origin=origin)


def _find_spec(text: str, path: Path) -> FoundTest:
    spec = spec_case(text)
    origin = provenance_of_spec(path)
    return FoundTest(text, origin.case if origin else "", spec.build, origin=origin)


def _find_case(text: str, specs: Sequence[Path]) -> FoundTest:
    case = resolve(Catalogue(specs), text)

    def load() -> TestModel:
        test = test_of(case)
        if test is None:
            raise CommandError(f"{text} does not judge the outputs of a model; such cases can be replayed, not reduced")
        return test

    return FoundTest(text, text, load, case)
