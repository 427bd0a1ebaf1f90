"""Lookup of the case that an id names, and suggestions of similar ids for an id or glob that selects nothing.

Commands that take one id call :func:`resolve`; runs call :func:`explain_empty_selection` and :func:`find_idle_globs`
for their messages. :mod:`nnvet.conformance.engine.selection` decides which ids a glob selects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import BUNDLED_SPECS, Selection, SelectionError, Shard, spec_files
from nnvet.conformance.kit.checks import Case, Check, checks
from nnvet.diagnostics.nearest_names import NAMED, nearest_names
from nnvet.generators.specs import SpecError


def explain_empty_selection(catalogue: Catalogue, selection: Selection) -> str:
    """Return a message with the reason why no case is selected, as far as it is known, and a suggestion.

    :raises SelectionError: a place does not exist, or holds no spec file.
    """
    text = "no case is selected"
    if not selection.only and not selection.operations:
        return f"{text}; look at --level and --shard"
    wider = replace(selection, full=True)
    if not selection.full and any(True for _ in islice(catalogue.cases(wider), 1)):
        return f"{text}: what matches {selection} is not in the usual run; add --full"
    near = [name for glob in selection.only for name in nearest(catalogue, glob)]
    return f"{text} by {selection}{_suggest(near)}; look at --only, --op, --level and --shard"


def find_idle_globs(catalogue: Catalogue, selection: Selection, ids: Iterable[str]) -> list[str]:
    """Return a message for each glob or id of a selection that matches none of ``ids``, the ids of its cases.

    A selection by level, shard or operations gets no message, because these may have left out the cases that were
    meant.

    :raises SelectionError: a place does not exist, or holds no spec file.
    """
    if selection.level is not None or selection.shard != Shard() or selection.operations:
        return []
    known = list(ids)
    idle = [glob for glob in selection.only if not any(map(Selection((glob,)).matches, known))]
    return [explain_empty_selection(catalogue, replace(selection, only=(glob,))) for glob in idle]


def _suggest(near: Iterable[str]) -> str:
    """Return the end of a message that names similar ids."""
    names = ", ".join(dict.fromkeys(near))
    return f"; the nearest ids are {names}" if names else ""


def resolve(catalogue: Catalogue, text: str) -> Case:
    """Return the case of an id.

    :raises SelectionError: there is none; the text names the nearest ids.
    :raises SpecError: the file that should have it is no valid spec.
    """
    for case in catalogue.cases(Selection((text,))):
        if case.id == text:
            return case
    raise SelectionError(f"there is no case {text!r}{_suggest(nearest(catalogue, text))}")


def nearest(catalogue: Catalogue, text: str) -> list[str]:
    """Return a few ids of cases or checks that resemble a text."""
    known = checks()
    found = [name for name in known if text.startswith(f"{name}/")] or nearest_names(
        "/".join(text.split("/")[:2]), known, 1
    )
    if not found:
        return nearest_names(text, known)
    check, argument = known[found[0]], text.removeprefix(found[0]).strip("/") or text.rpartition("/")[2]
    names = list(dict.fromkeys(_list_arguments(catalogue, check, argument)))
    close = nearest_names(argument, names)
    # A name that begins with the text is nearest, then one with the same words, then one with similar spelling.
    begun = [name for name in names if argument and name.startswith(argument)][:NAMED]
    words = set(argument.split("_"))
    related = sorted((name for name in names if words <= {*name.split("_")}), key=len)[:NAMED]
    found = [f"{check.id}/{name}" for name in begun or related or close]
    return found or [f"{check.id}/*" if check.over or names else check.id]


def _list_arguments(catalogue: Catalogue, check: Check, argument: str) -> Iterator[str]:
    """Yield arguments of a check; over specs, only those from files whose names resemble the wanted argument."""
    if check.over is None:
        yield from check.values
        return
    files = {file.stem: file for file in spec_files(catalogue.places or [BUNDLED_SPECS])}
    stems = [stem for stem in files if stem.startswith(argument)][:NAMED]
    for stem in stems or nearest_names(argument, files):
        try:
            yield from (name for name, loaded in files[stem].named() if check.over(loaded.spec.outline))
        except SpecError:
            continue
