"""Selection of a run's cases by globs of ids, feature level, operation and shard; and the spec files they come from.

:class:`Selection` decides on cases, :func:`spec_files` finds and loads files. :mod:`nnvet.conformance.engine.catalogue`
uses both to list the cases of a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from nnvet.conformance.engine.attributes import attributes_of
from nnvet.conformance.kit.checks import Case, CaseId, Check, SpecAddress, checks
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.formats.errors import SpecError
from nnvet.generators.mining.manifest import ManifestError, MinedFragment, read_manifest
from nnvet.generators.specs.case import SpecCase
from nnvet.generators.specs.loader import SPEC_SUFFIX, find_specs, known_names, load_spec
from nnvet.generators.specs.operand_type import spec_name
from nnvet.graphs.model import TestSubgraph, operation_name
from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import type_info, type_name
from nnvet.reports.events import ATTRIBUTES, SOURCE
from nnvet.reports.mined import FRAGMENT, OCCURRENCES

_WILDCARD: Final = re.compile(r"[*?[]")
"""Characters that make an id a glob."""


class SelectionError(Exception):
    """A selection that is wrong or empty; the text says what to write instead."""


@dataclass(frozen=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` fractions of the cases."""

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``I/N``.

        :raises SelectionError: not of that form, or I not in 1 to N.
        """
        parts = text.split("/")
        if len(parts) != 2 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[0]) <= int(parts[1]):  # noqa: PLR2004 - I and N
            raise SelectionError(f"--shard {text}: write I/N with I from 1 to N, such as 1/4")
        return cls(int(parts[0]), int(parts[1]))

    def __str__(self) -> str:
        """Return ``I/N``, as :meth:`parse` reads it."""
        return f"{self.index}/{self.count}"

    def takes(self, unit: str) -> bool:
        """Return True if cases of a unit belong to this fraction; that depends only on the unit's name."""
        return crc32(unit.encode()) % self.count == self.index - 1


@dataclass(frozen=True)
class Selection:
    """Selected cases: globs of ids (none: all), level (None: all), shard, and the full matrix or the usual run.

    With ``operations`` (names of ``OperationType``) only cases that exercise one of them are selected.

    A case that is named by its full id belongs to every run.
    """

    only: Sequence[str] = ()
    level: int | None = None
    shard: Shard = Shard()
    full: bool = False
    operations: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the selection as options of the command line."""
        return " ".join([*(f"--only {glob}" for glob in self.only), *(f"--op {name}" for name in self.operations)])

    @cached_property
    def _ids(self) -> frozenset[str]:
        """Return the ids and globs for a fast look-up."""
        return frozenset(self.only)

    def exercises(self, operations: Iterable[str]) -> bool:
        """Return True if one of the operations of a case is selected."""
        return not self.operations or not set(self.operations).isdisjoint(operations)

    def takes(self, case: Case) -> bool:
        """Return True if a case is selected; a case of unknown level is selected at every level."""
        if not (case.usual or self.full or case.id in self._ids):
            return False
        if self.level is not None and case.needed_level is not None and case.needed_level > self.level:
            return False
        return self.matches(case.id) and self.shard.takes(case.unit)

    def apply(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield those of ``cases`` that are selected, in the same order."""
        return filter(self.takes, cases)

    def may_take(self, beginning: str) -> bool:
        """Return True if an id with this beginning can be selected; if not, such cases need not be listed."""
        return not self.only or any(_can_begin(glob, beginning) for glob in self.only)

    def may_take_argument(self, beginning: str) -> bool:
        """Return True if an id whose third and last part is this argument can be selected, in any suite and check."""
        return not self.only or any(_argument_can_begin(glob, beginning) for glob in self.only)

    def named_arguments(self, beginning: str) -> list[str] | None:
        """Return the arguments that full ids with this beginning name; None if a glob may match further arguments."""
        globs = [glob for glob in self.only if _argument_can_begin(glob, beginning)]
        if not globs or any(_WILDCARD.search(glob) for glob in globs):
            return None
        return [glob.rpartition("/")[2] for glob in globs]

    def matches(self, case_id: str) -> bool:
        """Return True if an id is named in full, or matches a glob."""
        if not self.only or case_id in self._ids:
            return True
        return any(_WILDCARD.search(glob) and fnmatchcase(case_id, glob) for glob in self.only)


def _can_begin(glob: str, beginning: str) -> bool:
    """Return True if an id that matches the glob can begin with a text."""
    literal = _WILDCARD.split(glob, maxsplit=1)[0]
    return literal.startswith(beginning) or (literal != glob and beginning.startswith(literal))


def _argument_can_begin(glob: str, beginning: str) -> bool:
    """Return True if an id that matches the glob can have an argument that begins with a text."""
    parts = glob.split("/")
    if len(parts) != len(CaseId._fields) or "[" in glob:
        # A wildcard also matches slashes, and brackets may contain a slash.
        return bool(_WILDCARD.search(glob))
    return _can_begin(parts[-1], beginning)


BUNDLED_SPECS: Final = Path(__file__).parent.parent / "specs"
"""Folder of the bundled corpus of specs."""

WITHOUT_INPUTS: Final = "without inputs"
"""Label of cases whose model has no inputs."""

_LOAD: Final = Bucket(Layer.APPLICATION, TracePhase.PREPARATION)
"""Bucket of the trace in which the time of loading specs is counted."""
_FILES_KEPT: Final = 2
"""Number of loaded files that are kept; no check uses more than two files at a time."""


class SpecFile(msgspec.Struct, frozen=True):
    """A spec file of a run; ``label`` is its path within the folder that was given.

    ``namesakes`` are earlier files of the same name: if names of cases clash, the later file's cases get its folder's
    name added.
    """

    path: str
    label: str
    namesakes: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """Return the prefix of the names of all its cases."""
        return spec_name(Path(self.path))

    def named(self) -> Iterator[tuple[str, LoadedCase]]:
        """Return its cases by their names in the run.

        :raises SpecError: the file is no valid spec.
        """
        taken = _names_in_order(self.namesakes)
        for name, loaded in load(self.path).items():
            yield _free_name(name, self.path, taken), loaded

    def lacks(self, name: str) -> bool:
        """Return True if the file certainly has no case of this name in the run; this does not load the file."""
        names = known_names(Path(self.path))
        if names is None:
            return False
        taken = _names_in_order(self.namesakes)
        return name not in {_free_name(given, self.path, taken) for given in names}


class LoadedCase:
    """A spec's case, with cached properties that every run needs."""

    def __init__(self, spec: SpecCase, mined: MinedFragment | None = None) -> None:
        """Wrap a case of a loaded file; ``mined`` is its entry in the manifest of mined specs beside the file."""
        self.spec = spec
        self._find_mined = mined

    @cached_property
    def operations(self) -> list[str]:
        """Return the sorted names of the operations of the main subgraph that the case is about."""
        operations = {operation_name(operation.type) for operation in self.spec.outline.main.operations}
        if self.spec.traits.has_placeholders and len(operations) > 1:
            # The ADD that a variation puts before an operand is not what the case is about.
            operations.discard(OperationType.ADD.name)
        return sorted(operations)

    @cached_property
    def operand_types(self) -> list[str]:
        """Return the type of the first tensor of the main subgraph; an empty list for a model without operations."""
        return [_primary_type(self.spec.outline.main)] if self.operations else []

    @cached_property
    def labels(self) -> dict[str, Any]:
        """Return operations, operand types, folder, attributes and traits, by which reports group cases."""
        labels: dict[str, Any] = {
            "operations": self.operations,
            "operand_types": self.operand_types,
            "level": self.spec.path.parent.name,
        }
        if attributes := attributes_of(self.spec):
            labels[ATTRIBUTES] = attributes
        if self._find_mined is not None:
            labels |= {FRAGMENT: self._find_mined.name, OCCURRENCES: self._find_mined.count}
        # The C API of the NNAPI cannot express such a model, so adapters over it cannot run the case.
        return labels if self.spec.outline.main.input_indexes else {**labels, "traits": [WITHOUT_INPUTS]}


def spec_files(places: Sequence[Path]) -> list[SpecFile]:
    """Return the spec files at some places, in the order of places and names.

    :raises SelectionError: a place does not exist, or there are no spec files.
    """
    found: list[SpecFile] = []
    by_name: dict[str, list[str]] = {}
    for place in places:
        try:
            paths = find_specs(place)
        except SpecError as error:
            raise SelectionError(f"{error.path}: there is no such file or folder of specs") from error
        for path in paths:
            label = path.name if path == place else path.relative_to(place).as_posix()
            namesakes = by_name.setdefault(path.name, [])
            found.append(SpecFile(str(path), label, tuple(namesakes)))
            namesakes.append(str(path))
    if not found:
        raise SelectionError(f"{', '.join(map(str, places))}: no spec files (*.mod.py) there")
    return found


@lru_cache(_FILES_KEPT)
def load(path: str) -> Mapping[str, LoadedCase]:
    """Return the cases of a spec file by the names that the file gives them.

    :raises SpecError: the file is no valid spec.
    """
    with span(_LOAD, "load"):
        mined = _find_mined(Path(path))
        return {spec.name: LoadedCase(spec, mined) for spec in load_spec(path)}


def _find_mined(path: Path) -> MinedFragment | None:
    """Return the manifest's entry for a mined spec; None for any other spec.

    :raises SpecError: the manifest beside it is wrong.
    """
    try:
        manifest = read_manifest(path.parent)
    except ManifestError as error:
        raise SpecError(path, 0, str(error)) from error
    return manifest.named(path.name.removesuffix(SPEC_SUFFIX)) if manifest else None


def load_case(address: SpecAddress) -> LoadedCase:
    """Return the case at an address.

    :raises SpecError: the file is no valid spec, or has no such case any more.
    """
    cases = load(address.path)
    if address.name not in cases:
        raise SpecError(Path(address.path), 0, f"there is no case {address.name!r} in it any more")
    return cases[address.name]


def _names_in_order(paths: Sequence[str]) -> set[str]:
    """Return the names in the run of all cases of several files with the same name."""
    taken: set[str] = set()
    for path in paths:
        for name in _names_in(path):
            _free_name(name, path, taken)
    return taken


def _names_in(path: str) -> Sequence[str]:
    """Return the names of a file's cases; a file that cannot be loaded has none."""
    known = known_names(Path(path))
    if known is not None:
        return known
    try:
        return list(load(path))
    except SpecError:
        return ()


def _free_name(name: str, path: str, taken: set[str]) -> str:
    """Return the name, or one with the folder added, and mark it as used."""
    free, number = name, 1
    while free in taken:
        suffix = f"_{number}" if number > 1 else ""
        free = f"{name}@{Path(path).parent.name}{suffix}"
        number += 1
    taken.add(free)
    return free


def _primary_type(main: TestSubgraph) -> str:
    """Return the type of the last operation's first tensor."""
    first = main.operations[-1].inputs or main.operations[-1].outputs
    types = [main.operands[index].type for index in first]
    tensors = [code for code in types if type_info(code).is_tensor]
    return type_name((tensors or types)[0])


def argument_of(case: Case) -> Any:
    """Return the argument of a case's check: a spec's case, or the value of its parameter.

    :raises SpecError: its file is no valid spec, or has no such case any more.
    """
    if case.spec is not None:
        return load_case(case.spec).spec
    return check_of(case).value_of(case.name.argument)


def check_of(case: Case) -> Check:
    """Return the check of a case."""
    return checks()[f"{case.name.suite}/{case.name.check}"]


def source_of(case: Case) -> dict[str, str]:
    """Return the label with file and line of a spec's case, in the repository if it is bundled; none of other cases.

    :raises SpecError: as :func:`labels_of`.
    """
    if case.spec is None:
        return {}
    spec = load_case(case.spec).spec
    is_bundled = spec.path.is_relative_to(BUNDLED_SPECS)
    path = Path("conformance", "specs", spec.path.relative_to(BUNDLED_SPECS)) if is_bundled else spec.path
    return {SOURCE: f"{path}:{spec.line}"}


def labels_of(case: Case) -> dict[str, Any]:
    """Return the labels by which reports group cases.

    :raises SpecError: its file is no valid spec.
    """
    labels = {"suite": case.name.suite, "check": case.name.check}
    check = check_of(case)
    if case.spec is None and check.judges is not None:
        operation, kind = check.judges(check.value_of(case.name.argument))
        return {"operations": [operation.name], "operand_types": [kind.name], **labels}
    if case.spec is None or not check.judges_operations:
        return labels
    return {**load_case(case.spec).labels, **labels}
