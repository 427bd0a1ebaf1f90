"""The spec files of a run: where they are, what their cases are called, and the cases of the file in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from nnvet.conformance.engine.case import SpecAddress
from nnvet.conformance.engine.selection import SelectionError
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, span
from nnvet.generators.graphs.model import TestSubgraph, operation_name
from nnvet.generators.mining.manifest import ManifestError, MinedFragment, read_manifest
from nnvet.generators.specs import SpecCase, SpecError, find_specs, known_names, load_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.generators.specs.naming import spec_name
from nnvet.hal.enums import OperationType
from nnvet.hal.operand_types import type_info, type_name
from nnvet.reports.mined import FRAGMENT, OCCURRENCES

BUNDLED_SPECS: Final = Path(__file__).parent.parent / "specs"

WITHOUT_INPUTS: Final = "without inputs"
"""Label of cases whose model has no inputs."""

_LOAD: Final = Bucket(Layer.APPLICATION, TracePhase.PREPARATION)
_FILES_KEPT: Final = 2
"""A check may look at a second file; more than two are never in use."""


class SpecFile(msgspec.Struct, frozen=True):
    """A spec file of a run: ``label`` is its path in the folder that was given.

    ``namesakes`` are the files before it that have the same name: where names of cases clash, those of the later
    file get its folder's name added.
    """

    path: str
    label: str
    namesakes: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """Prefix of the names of all its cases."""
        return spec_name(Path(self.path))

    def named(self) -> Iterator[tuple[str, LoadedCase]]:
        """Its cases with their names in the run.

        :raises SpecError: the file is no valid spec.
        """
        taken = _names_in_order(self.namesakes)
        for name, loaded in load(self.path).items():
            yield _free_name(name, self.path, taken), loaded

    def lacks(self, name: str) -> bool:
        """Return True if it is known, without loading the file, that none of its cases has this name in the run."""
        names = known_names(Path(self.path))
        if names is None:
            return False
        taken = _names_in_order(self.namesakes)
        return name not in {_free_name(given, self.path, taken) for given in names}


class LoadedCase:
    """A spec's case, with what is asked of it again and again."""

    def __init__(self, spec: SpecCase, mined: MinedFragment | None = None) -> None:
        """Of a file that has been loaded; ``mined``: what the manifest beside it says of it."""
        self.spec = spec
        self._mined = mined

    @cached_property
    def labels(self) -> dict[str, Any]:
        """Folder, operations of the main subgraph, the type of their first tensor and traits, for reports."""
        operations = {operation_name(operation.type) for operation in self.spec.outline.main.operations}
        if self.spec.traits.has_placeholders and len(operations) > 1:
            # The ADD that moves an operand inside the graph is not what the case is about.
            operations.discard(OperationType.ADD.name)
        types = [_primary_type(self.spec.outline.main)] if operations else []
        labels: dict[str, Any] = {
            "operations": sorted(operations),
            "operand_types": types,
            "level": self.spec.path.parent.name,
        }
        if self._mined is not None:
            labels |= {FRAGMENT: self._mined.name, OCCURRENCES: self._mined.count}
        # The C API of the NNAPI has no word for such a model: what reaches a driver by it cannot run the case.
        return labels if self.spec.outline.main.input_indexes else {**labels, "traits": [WITHOUT_INPUTS]}


def spec_files(places: Sequence[Path]) -> list[SpecFile]:
    """The spec files in some folders, in the order of the places and of names.

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
    """The cases of a spec file by the names that the file gives them.

    :raises SpecError: the file is no valid spec.
    """
    with span(_LOAD, "load"):
        mined = _mined(Path(path))
        return {spec.name: LoadedCase(spec, mined) for spec in load_spec(path)}


def _mined(path: Path) -> MinedFragment | None:
    try:
        manifest = read_manifest(path.parent)
    except ManifestError as error:
        raise SpecError(path, 0, str(error)) from error
    return manifest.named(path.name.removesuffix(SPEC_SUFFIX)) if manifest else None


def load_case(address: SpecAddress) -> LoadedCase:
    """The case at an address.

    :raises SpecError: the file is no valid spec, or has no such case any more.
    """
    cases = load(address.path)
    if address.name not in cases:
        raise SpecError(Path(address.path), 0, f"there is no case {address.name!r} in it any more")
    return cases[address.name]


def _names_in_order(paths: Sequence[str]) -> set[str]:
    """The names in the run of all cases of some files of one name."""
    taken: set[str] = set()
    for path in paths:
        for name in _names_in(path):
            _free_name(name, path, taken)
    return taken


def _names_in(path: str) -> Sequence[str]:
    """Return the names of a file's cases; one that is wrong has none."""
    known = known_names(Path(path))
    if known is not None:
        return known
    try:
        return list(load(path))
    except SpecError:
        return ()


def _free_name(name: str, path: str, taken: set[str]) -> str:
    """The name, or one with the folder added; it is taken from then on."""
    free, number = name, 1
    while free in taken:
        suffix = f"_{number}" if number > 1 else ""
        free = f"{name}@{Path(path).parent.name}{suffix}"
        number += 1
    taken.add(free)
    return free


def _primary_type(main: TestSubgraph) -> str:
    first = main.operations[-1].inputs or main.operations[-1].outputs
    types = [main.operands[index].type for index in first]
    tensors = [code for code in types if type_info(code).is_tensor]
    return type_name((tensors or types)[0])
