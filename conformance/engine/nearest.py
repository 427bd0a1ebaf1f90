"""The case of an id, and what to write instead of what selects nothing: the nearest ids that there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import Final

from nnvet.conformance.engine.case import Case
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.checks import Check, checks
from nnvet.conformance.engine.library import BUNDLED_SPECS, spec_files
from nnvet.conformance.engine.selection import Selection, SelectionError
from nnvet.generators.specs import SpecError

_NAMED: Final = 3
_SIMILAR: Final = 0.5


def nothing_selected(catalogue: Catalogue, selection: Selection) -> str:
    """Why no case is selected, as far as can be said, and what to write.

    :raises SelectionError: a place does not exist, or holds no spec file.
    """
    text = "no case is selected"
    if not selection.only and not selection.operations:
        return f"{text}; look at --level and --shard"
    wider = replace(selection, full=True)
    if not selection.full and any(True for _ in islice(catalogue.cases(wider), 1)):
        return f"{text}: what matches {selection} is not in the usual run; add --full"
    near = [one for glob in selection.only for one in nearest(catalogue, glob)]
    hint = f"; the nearest ids are {', '.join(dict.fromkeys(near))}" if near else ""
    return f"{text} by {selection}{hint}; look at --only, --op, --level and --shard"


def resolve(catalogue: Catalogue, text: str) -> Case:
    """The case of an id.

    :raises SelectionError: there is none; the text names the nearest ids.
    :raises SpecError: the file that should have it is no valid spec.
    """
    for case in catalogue.cases(Selection((text,))):
        if case.id == text:
            return case
    near = nearest(catalogue, text)
    hint = f"; the nearest ids are {', '.join(near)}" if near else ""
    raise SelectionError(f"there is no case {text!r}{hint}")


def nearest(catalogue: Catalogue, text: str) -> list[str]:
    """A few ids that look like a text: of a case, or of a check."""
    known = checks()
    found = [one for one in known if text.startswith(f"{one}/")] or get_close_matches(
        "/".join(text.split("/")[:2]), known, 1, _SIMILAR
    )
    if not found:
        return get_close_matches(text, known, _NAMED, _SIMILAR)
    check, argument = known[found[0]], text.removeprefix(found[0]).strip("/") or text.rpartition("/")[2]
    names = list(dict.fromkeys(_arguments(catalogue, check, argument)))
    close = get_close_matches(argument, names, _NAMED, _SIMILAR)
    # A name that was cut short is nearer than one with the same words, and that than one that is spelt alike.
    begun = [name for name in names if argument and name.startswith(argument)][:_NAMED]
    words = set(argument.split("_"))
    related = sorted((name for name in names if words <= {*name.split("_")}), key=len)[:_NAMED]
    found = [f"{check.id}/{name}" for name in begun or related or close]
    return found or [f"{check.id}/*" if check.over or names else check.id]


def _arguments(catalogue: Catalogue, check: Check, argument: str) -> Iterator[str]:
    if check.over is None:
        yield from check.values
        return
    files = {file.stem: file for file in spec_files(catalogue.places or [BUNDLED_SPECS])}
    stems = [stem for stem in files if stem.startswith(argument)][:_NAMED]
    for stem in stems or get_close_matches(argument, files, _NAMED, _SIMILAR):
        try:
            yield from (name for name, loaded in files[stem].named() if check.over(loaded.spec.outline))
        except SpecError:
            continue
