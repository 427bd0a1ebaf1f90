"""Lines of kernels and declarations that the cases of the spec corpus reach; measured once.

A case is one of GeneratedTest or GeneratedValidationTest, executed synchronously.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import multiprocessing
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import coverage
import msgspec

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.reducer.evaluation import argument_of
from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.graphs.model import TestModel
from nnvet.hal import operations
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration
from tools.mutants.mutant import PARTS, ROOT, Mutant, files
from tools.mutants.sessions import GENERATED, passes, session

_FEW: Final = 3
"""A line that fewer cases come to may be one whose result is kept: then all that come to its file are asked."""

_MEASURED: Final = ("kernels", "declarations")
"""Parts that cases of specs come to; machine code is for those who ask for sustained speed."""

_ANY: Final = 1000
"""So many cases are asked where none comes to a file."""

_AT_ONCE: Final = 20
"""Spec files that are measured by one process."""
_BETWEEN: Final = "|"


Forms = dict[OperandType, dict[OperationType, list[SpecCase]]]
"""Cases of one operation, by primary type and operation."""


class Reached(msgspec.Struct):
    """Lines that the cases of one spec file reach, by source file and case.

    ``refused`` are the cases that do not pass without any mutant. ``kernels`` are the digests that the kernels among
    the source files had.
    """

    cases: dict[str, dict[str, list[int]]]
    refused: list[str] = []
    kernels: dict[str, str] = {}


class Owner(NamedTuple):
    """The declaration of an operation: its lines, and the operation's code."""

    first: int
    last: int
    code: int

    def contains(self, mutant: Mutant) -> bool:
        """Return True if a mutant of the same file changes this declaration alone."""
        return mutant.is_of_module and self.first <= mutant.lines[0] <= self.last


class Reach:
    """Lines that every case of some spec files reaches."""

    def __init__(self, specs: Mapping[Path, Reached], owners: Mapping[str, Sequence[Owner]]) -> None:
        """``owners`` are the declarations of operations by source file."""
        self._specs = specs
        self._owners = owners
        self._loaded: dict[Path, dict[str, SpecCase]] = {}
        self._owned_by: dict[str, set[tuple[Path, str]]] = {}
        self._forms: dict[tuple[Path, str], tuple[OperandType, OperationType] | None] = {}
        self._forms_of: dict[tuple[str, tuple[int, int], bool], Forms] = {}

    def cases(self, mutant: Mutant) -> Iterator[SpecCase]:
        """Return the cases that come to a mutant's line, turn by turn from each spec file, then others that may."""
        first, last = mutant.lines
        owned = self._owned(mutant.file)
        declared = {owner.code for owner in self._owners.get(mutant.file, ()) if owner.contains(mutant)}
        exact: list[tuple[Path, str]] = []
        others: list[tuple[Path, str]] = []
        for path, reached in self._specs.items():
            for name, lines in reached.cases.items():
                of_file = lines.get(mutant.file, ())
                if any(first <= line <= last for line in of_file):
                    exact.append((path, name))
                elif (path, name) in owned if declared else of_file or (path, name) in owned:
                    others.append((path, name))
        is_open = mutant.is_of_module or len(exact) < _FEW
        if declared:
            others = [(path, name) for path, name in others if self._operations(path, name) & declared]
        chosen = [*_in_turn(exact), *(_in_turn(others) if is_open else ())]
        if not chosen and mutant.part == "declarations":
            # What only runs when modules are imported is measured for no case; it may matter to all.
            every = ((path, name) for path, reached in self._specs.items() for name in reached.cases)
            chosen = [*islice(_in_turn(every), _ANY)]
        return (self._load(path)[name] for path, name in chosen)

    def forms(self, mutant: Mutant) -> Forms:
        """Return the cases of one operation that come to a mutant."""
        lines = mutant.file, mutant.lines, mutant.is_of_module
        if lines not in self._forms_of:
            found: Forms = {}
            for case in self.cases(mutant):
                key = case.path, case.name
                if key not in self._forms:
                    self._forms[key] = _form(case.outline)
                if (form := self._forms[key]) is not None:
                    found.setdefault(form[0], {}).setdefault(form[1], []).append(case)
            self._forms_of[lines] = found
        return self._forms_of[lines]

    def comes_to(self, mutant: Mutant) -> bool:
        """Return True if some case reaches a mutant's line; those of a module run when it is imported."""
        first, last = mutant.lines
        cases = (case for reached in self._specs.values() for case in reached.cases.values())
        return mutant.is_of_module or any(first <= line <= last for case in cases for line in case.get(mutant.file, ()))

    def prepare(self, mutants: Iterable[Mutant]) -> None:
        """Find out before processes are forked what each of them would have to."""
        for file in {mutant.file for mutant in mutants}:
            self._owned(file)

    def _owned(self, file: str) -> set[tuple[Path, str]]:
        """Return the cases of the operations that a file declares: those that fail may come to none of its lines."""
        if file not in self._owned_by:
            codes = {owner.code for owner in self._owners.get(file, ())}
            self._owned_by[file] = {
                (path, name)
                for path, reached in (self._specs.items() if codes else ())
                for name in reached.cases
                if self._operations(path, name) & codes
            }
        return self._owned_by[file]

    def _operations(self, path: Path, name: str) -> set[int]:
        """Return codes of the operations of a case."""
        return {operation.type for operation in self._load(path)[name].outline.main.operations}

    def _load(self, path: Path) -> dict[str, SpecCase]:
        if path not in self._loaded:
            self._loaded[path] = {case.name: case for case in load_spec(path)}
        return self._loaded[path]


def _form(outline: TestModel) -> tuple[OperandType, OperationType] | None:
    """Primary type and operation of a valid model of one operation and graph; None of others."""
    main = outline.main
    if len(outline.subgraphs) > 1 or len(main.operations) > 1 or main.operations[0].type not in declarations():
        return None
    (operation,) = main.operations
    sides = (
        [argument_of(main.operands[index], None) for index in side] for side in (operation.inputs, operation.outputs)
    )
    try:
        call = bind(declarations()[operation.type], *sides)
    except HalError:
        return None
    first = next(iter(call.row.types.values()), main.operands[operation.inputs[0]].type)
    return OperandType(first), OperationType(operation.type)


def _in_turn(cases: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Yield the first case of each file, then the second of each, and so on: cases of one file are much alike."""
    by_file: dict[Path, list[tuple[Path, str]]] = {}
    for case in cases:
        by_file.setdefault(case[0], []).append(case)
    queues = list(by_file.values())
    for turn in range(max(map(len, queues), default=0)):
        yield from (queue[turn] for queue in queues if turn < len(queue))


def measured(folder: Path, wanted: Callable[[Path], bool] = lambda _: True) -> Reach:
    """Return the reach of the cases of the ``wanted`` spec files; known ones in ``folder`` are not measured again.

    A spec file is measured again if it, any declaration or a kernel that it comes to has changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    declared = b"".join((ROOT / file).read_bytes() for file in files("declarations"))
    kept = {path: folder / _kept_as(path, declared) for path in find_specs(BUNDLED_SPECS) if wanted(path)}
    known = {path: _known(place) for path, place in kept.items()}
    _apart({path: kept[path] for path, reached in known.items() if reached is None})
    return Reach({path: reached or _read(kept[path]) for path, reached in known.items()}, _owners())


def _known(place: Path) -> Reached | None:
    """Return the measurement with the present kernels; None: there is none."""
    reached = _read(place) if place.exists() else None
    return reached if reached is not None and reached.kernels == _digests(reached.cases) else None


def _read(place: Path) -> Reached:
    return msgspec.json.decode(place.read_bytes(), type=Reached)


def _digests(cases: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Return digests of the kernels that cases come to."""
    reached = {file for lines in cases.values() for file in lines if file.startswith(PARTS["kernels"])}
    return {file: _digest(file) for file in sorted(reached)}


@cache
def _digest(file: str) -> str:
    """Of a source file; empty if it is gone."""
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def _kept_as(path: Path, declared: bytes) -> str:
    digest = hashlib.sha256(declared + path.read_bytes()).hexdigest()[:16]
    return f"{path.parent.name}-{path.name.removesuffix(SPEC_SUFFIX)}-{digest}.json"


def _apart(places: Mapping[Path, Path]) -> None:
    """Measure some files at a time, in a process of its own: nothing of it stays in this one.

    :raises RuntimeError: that process breaks off.
    """
    waiting = list(places.items())
    for start in range(0, len(waiting), _AT_ONCE):
        process = multiprocessing.get_context("fork").Process(
            target=_measure, args=(waiting[start : start + _AT_ONCE],)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"measuring what specs reach ends with exit code {process.exitcode}")


def _measure(places: list[tuple[Path, Path]]) -> None:
    tracer = coverage.Coverage(data_file=None, include=[f"{ROOT}/{PARTS[part]}/*" for part in _MEASURED])
    measured = [Reached({}) for _ in places]
    copies: list[tuple[int, str]] = []
    # Begun before the session, whose threads would not be traced otherwise.
    with tracer.collect(), session(None) as opened:
        for number, (path, _) in enumerate(places):
            for case in load_spec(path):
                if case.traits.is_lifetime_variant:
                    copies.append((number, case.name))
                    continue
                tracer.switch_context(f"{number}{_BETWEEN}{case.name}")
                if passes(opened, case, GENERATED):
                    measured[number].cases[case.name] = {}
                else:
                    measured[number].refused.append(case.name)
        tracer.switch_context("")
    _take_lines(tracer.get_data(), measured)
    for number, name in copies:
        measured[number].cases |= _as_its_original(measured[number].cases, name)
    for reached, (_, kept) in zip(measured, places, strict=True):
        reached.kernels = _digests(reached.cases)
        temporary = kept.with_suffix(".new")
        temporary.write_bytes(msgspec.json.encode(reached))
        temporary.rename(kept)


def _as_its_original(cases: Mapping[str, dict[str, list[int]]], copy: str) -> dict[str, dict[str, list[int]]]:
    """Return the reach of a case that differs from another in lifetimes only; nothing if that does not pass."""
    originals = [name for name in cases if copy.startswith(name)]
    return {copy: cases[max(originals, key=len)]} if originals else {}


def _take_lines(data: coverage.CoverageData, measured: list[Reached]) -> None:
    for name in data.measured_files():
        file = Path(name).relative_to(ROOT).as_posix()
        for line, contexts in data.contexts_by_lineno(name).items():
            for context in contexts:
                number, _, case = context.partition(_BETWEEN)
                if number and case in measured[int(number)].cases:
                    measured[int(number)].cases[case].setdefault(file, []).append(line)


def _owners() -> dict[str, list[Owner]]:
    """Return the declarations of each file."""
    owners: dict[str, list[Owner]] = {}
    for module in pkgutil.iter_modules(operations.__path__):
        name = f"{operations.__name__}.{module.name}"
        found = vars(importlib.import_module(name))
        for statement in ast.parse((ROOT / _file(name)).read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                declared = found[statement.targets[0].id]
                if isinstance(declared, OperationDeclaration):
                    owner = Owner(statement.lineno, statement.end_lineno or statement.lineno, declared.type)
                    owners.setdefault(_file(name), []).append(owner)
    return owners


def _file(module: str) -> str:
    return f"{module.removeprefix('nnvet.').replace('.', '/')}.py"
