"""From folders of spec files to the cases of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.enumeration import cases_of, checks_without_specs
from nnvet.conformance.engine.selection import Selection, SelectionError
from nnvet.generators.specs import Case as SpecCase
from nnvet.generators.specs import SpecError, find_specs, load_spec

BUNDLED_SPECS = Path(__file__).parent.parent / "specs"


@dataclass
class Collection:
    """Selected cases, and the files that could not be used."""

    cases: list[Case] = field(default_factory=list)
    errors: list[SpecError] = field(default_factory=list)


def collect(
    places: Sequence[Path],
    selection: Selection,
    on_file: Callable[[int, int], None] | None = None,
    *,
    with_checks: bool = False,
) -> Collection:
    """Load all spec files of ``places``; ``on_file(done, total)`` is told of progress.

    ``with_checks`` adds the checks that need no spec.

    :raises SelectionError: a place does not exist, or nothing is selected.
    """
    collection = Collection()
    try:
        paths = [path for place in places for path in find_specs(place)]
    except SpecError as error:
        raise SelectionError(f"{error.path}: there is no such file or folder of specs") from error
    if not paths:
        raise SelectionError(f"{', '.join(map(str, places))}: no spec files (*.mod.py) there")
    specs: list[SpecCase] = []
    for done, path in enumerate(paths, start=1):
        try:
            specs += load_spec(path)
        except SpecError as error:
            collection.errors.append(error)
        if on_file is not None:
            on_file(done, len(paths))
    collection.cases = selection.apply([*(checks_without_specs() if with_checks else ()), *cases_of(specs)])
    if not collection.cases and not collection.errors:
        raise SelectionError("no case is selected; look at --only, --level and --shard")
    return collection
