"""Today's names of cases of an older corpus: ids are renamed, tests are not."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nnvet.generators.specs import find_specs, load_spec


class Renamed(NamedTuple):
    """One case: its file in the corpus, and its names before and after."""

    path: str
    old: str
    new: str


def renamed_cases(old: Path, new: Path) -> list[Renamed]:
    """Cases of two folders of specs that are equal in all but their names, file by file.

    :raises ValueError: a file has a case in one folder that it has not in the other; names the file and the case.
    """
    before, after = _files(old), _files(new)
    renamed: list[Renamed] = []
    for path in sorted(before.keys() | after.keys()):
        was, now = _names_by_content(before.get(path)), _names_by_content(after.get(path))
        for content in was.keys() | now.keys():
            if len(was[content]) != len(now[content]):
                raise ValueError(f"{path}: no other case has the content of {was[content] + now[content]}")
        renamed += [
            Renamed(path, *pair)
            for content, names in was.items()
            for pair in _pairs(names, now[content])
            if pair[0] != pair[1]
        ]
    return renamed


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in find_specs(folder)}


def _names_by_content(path: Path | None) -> defaultdict[str, list[str]]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for case in load_spec(path) if path else ():
        names[_content(msgspec.structs.replace(case.build(), name=""))].append(case.name)
    return names


def _pairs(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    """Names of cases that are equal to each other: those that stay, then the others in their order."""
    kept = set(old) & set(new)
    gone, come = ([name for name in names if name not in kept] for names in (old, new))
    return list(zip(gone, come, strict=True))


def _content(test: Any) -> str:
    """Digest of everything that a test model holds."""
    return hashlib.sha256(repr(_plain(test)).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, msgspec.Struct):
        return [(name, _plain(getattr(value, name))) for name in value.__struct_fields__]
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
