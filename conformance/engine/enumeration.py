"""All cases of a run: generated suites over spec cases, and hand-written checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.checks import checks
from nnvet.conformance.suites.generated.table import ways_of
from nnvet.conformance.suites.generated.way_case import WayCase
from nnvet.generators.specs import Case as SpecCase


def cases_of(specs: Iterable[SpecCase]) -> Iterator[Case]:
    """The cases of some spec cases, those that share work side by side."""
    over_specs = [one for one in checks() if one.over is not None]
    for name, spec in _named(specs):
        outline = spec.outline()
        for suite, way in ways_of(spec, outline):
            yield WayCase(f"{suite.name}/{way.name}/{name}", suite, way, spec)
        for one in over_specs:
            case = one.case_of(name, spec, outline)
            if case is not None:
                yield case


def checks_without_specs() -> Iterator[Case]:
    """The cases of checks that need no spec."""
    for one in checks():
        yield from one.cases()


def _named(specs: Iterable[SpecCase]) -> Iterator[tuple[str, SpecCase]]:
    """Spec cases with unique names: where test names of folders clash, a later one gets its folder's added."""
    seen: set[str] = set()
    for spec in specs:
        name, number = spec.name, 1
        while name in seen:
            suffix = f"_{number}" if number > 1 else ""
            name = f"{spec.name}@{spec.path.parent.name}{suffix}"
            number += 1
        seen.add(name)
        yield name, spec
