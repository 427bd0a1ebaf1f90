"""Lines of kernels and declarations that the cases of the spec corpus execute (*reach*), measured once.

:func:`measure_reach` measures them, or reads earlier measurements; :class:`Reach` then tells judges which cases may
find a mutant. A case is one of GeneratedTest or GeneratedValidationTest, executed synchronously; ``coverage`` records
the lines.
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
from tools.mutants.mutant import PARTS, ROOT, Mutant, list_files
from tools.mutants.sessions import GENERATED, open_session, passes

_FEW: Final = 3
"""Least number of cases that decide about a line. The result of a line that fewer cases reach may be kept in a cache
by the first of them, so that then all cases that reach its file are tried."""

_MEASURED: Final = ("kernels", "declarations")
"""Parts whose lines are measured; specs do not reach machine code, which only sustained speed executes."""

_ANY: Final = 1000
"""Number of cases that are tried if no case reaches a file."""

_AT_ONCE: Final = 20
"""Number of spec files that one process measures."""
_BETWEEN: Final = "|"
"""Sign between the number of a spec file and the name of a case, in contexts of ``coverage``."""


Forms = dict[OperandType, dict[OperationType, list[SpecCase]]]
"""Cases of models of one operation, by primary type and operation."""


class Reached(msgspec.Struct):
    """Lines that the cases of one spec file reach, by case and source file.

    ``refused`` are the cases that do not pass without any mutant. ``kernels`` are digests of the kernels at the time of
    the measurement, by source file.
    """

    cases: dict[str, dict[str, list[int]]]
    refused: list[str] = []
    kernels: dict[str, str] = {}


class Owner(NamedTuple):
    """The declaration of an operation: its first and last line, and the operation's code."""

    first: int
    last: int
    code: int

    def contains(self, mutant: Mutant) -> bool:
        """Return True if a mutant of the same file changes this declaration alone."""
        return mutant.is_of_module and self.first <= mutant.lines[0] <= self.last


class Reach:
    """Lines that the cases of spec files reach, and the operations that source files declare."""

    def __init__(self, specs: Mapping[Path, Reached], owners: Mapping[str, Sequence[Owner]]) -> None:
        """Take the measurements by spec file; ``owners`` are the declarations of operations by source file."""
        self._specs = specs
        self._owners = owners
        self._loaded: dict[Path, dict[str, SpecCase]] = {}
        self._owned_by: dict[str, set[tuple[Path, str]]] = {}
        self._forms: dict[tuple[Path, str], tuple[OperandType, OperationType] | None] = {}
        self._forms_of: dict[tuple[str, tuple[int, int], bool], Forms] = {}

    def cases(self, mutant: Mutant) -> Iterator[SpecCase]:
        """Yield the cases that reach a mutant's lines, then others that it may concern; spec files take turns."""
        first, last = mutant.lines
        owned = self._list_owned(mutant.file)
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
            others = [(path, name) for path, name in others if self._list_operations(path, name) & declared]
        chosen = [*_take_turns(exact), *(_take_turns(others) if is_open else ())]
        if not chosen and mutant.part == "declarations":
            # Code that runs only when modules are imported is measured for no case, and may matter to all of them.
            every = ((path, name) for path, reached in self._specs.items() for name in reached.cases)
            chosen = [*islice(_take_turns(every), _ANY)]
        return (self._load(path)[name] for path, name in chosen)

    def forms(self, mutant: Mutant) -> Forms:
        """Return the cases of models of one operation that reach a mutant."""
        lines = mutant.file, mutant.lines, mutant.is_of_module
        if lines not in self._forms_of:
            found: Forms = {}
            for case in self.cases(mutant):
                key = case.path, case.name
                if key not in self._forms:
                    self._forms[key] = _find_form(case.outline)
                if (form := self._forms[key]) is not None:
                    found.setdefault(form[0], {}).setdefault(form[1], []).append(case)
            self._forms_of[lines] = found
        return self._forms_of[lines]

    def comes_to(self, mutant: Mutant) -> bool:
        """Return True if some case reaches a mutant's lines; code of a module runs when the module is imported."""
        first, last = mutant.lines
        cases = (case for reached in self._specs.values() for case in reached.cases.values())
        return mutant.is_of_module or any(first <= line <= last for case in cases for line in case.get(mutant.file, ()))

    def prepare(self, mutants: Iterable[Mutant]) -> None:
        """Compute before processes are forked what each of them would have to compute."""
        for file in {mutant.file for mutant in mutants}:
            self._list_owned(file)

    def _list_owned(self, file: str) -> set[tuple[Path, str]]:
        """Return the cases of the operations that a file declares; invalid ones may reach none of its lines."""
        if file not in self._owned_by:
            codes = {owner.code for owner in self._owners.get(file, ())}
            self._owned_by[file] = {
                (path, name)
                for path, reached in (self._specs.items() if codes else ())
                for name in reached.cases
                if self._list_operations(path, name) & codes
            }
        return self._owned_by[file]

    def _list_operations(self, path: Path, name: str) -> set[int]:
        """Return codes of the operations of a case."""
        return {operation.type for operation in self._load(path)[name].outline.main.operations}

    def _load(self, path: Path) -> dict[str, SpecCase]:
        if path not in self._loaded:
            self._loaded[path] = {case.name: case for case in load_spec(path)}
        return self._loaded[path]


def _find_form(outline: TestModel) -> tuple[OperandType, OperationType] | None:
    """Return primary type and operation of a valid model of one operation and one graph; None for other models."""
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


def _take_turns(cases: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Yield the first case of each file, then the second of each, and so on: cases of one file are much alike."""
    by_file: dict[Path, list[tuple[Path, str]]] = {}
    for case in cases:
        by_file.setdefault(case[0], []).append(case)
    queues = list(by_file.values())
    for turn in range(max(map(len, queues), default=0)):
        yield from (queue[turn] for queue in queues if turn < len(queue))


def measure_reach(folder: Path, wanted: Callable[[Path], bool] = lambda _: True) -> Reach:
    """Return the reach of the cases of the ``wanted`` spec files; known ones in ``folder`` are not measured again.

    A spec file is measured again if it, any declaration or a kernel that it comes to has changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    declared = b"".join((ROOT / file).read_bytes() for file in list_files("declarations"))
    kept = {path: folder / _name_kept(path, declared) for path in find_specs(BUNDLED_SPECS) if wanted(path)}
    known = {path: _load_known(place) for path, place in kept.items()}
    _measure_apart({path: kept[path] for path, reached in known.items() if reached is None})
    return Reach({path: reached or _read(kept[path]) for path, reached in known.items()}, _owners())


def _load_known(place: Path) -> Reached | None:
    """Return the stored measurement; None if there is none with the present kernels."""
    reached = _read(place) if place.exists() else None
    return reached if reached is not None and reached.kernels == _digest_kernels(reached.cases) else None


def _read(place: Path) -> Reached:
    return msgspec.json.decode(place.read_bytes(), type=Reached)


def _digest_kernels(cases: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Return digests of the kernels that cases reach, by source file."""
    reached = {file for lines in cases.values() for file in lines if file.startswith(PARTS["kernels"])}
    return {file: _digest(file) for file in sorted(reached)}


@cache
def _digest(file: str) -> str:
    """Return the digest of a source file; empty if the file does not exist any more."""
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def _name_kept(path: Path, declared: bytes) -> str:
    digest = hashlib.sha256(declared + path.read_bytes()).hexdigest()[:16]
    return f"{path.parent.name}-{path.name.removesuffix(SPEC_SUFFIX)}-{digest}.json"


def _measure_apart(places: Mapping[Path, Path]) -> None:
    """Measure spec files in processes of their own, some files at a time, so that no traces remain in this process.

    :raises RuntimeError: such a process failed.
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
    with tracer.collect(), open_session(None) as opened:
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
        measured[number].cases |= _copy_original(measured[number].cases, name)
    for reached, (_, kept) in zip(measured, places, strict=True):
        reached.kernels = _digest_kernels(reached.cases)
        temporary = kept.with_suffix(".new")
        temporary.write_bytes(msgspec.json.encode(reached))
        temporary.rename(kept)


def _copy_original(cases: Mapping[str, dict[str, list[int]]], copy: str) -> dict[str, dict[str, list[int]]]:
    """Return the reach of a case that differs from another one only in lifetimes; empty if the other does not pass."""
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
    """Return the declarations of operations by source file."""
    owners: dict[str, list[Owner]] = {}
    for module in pkgutil.iter_modules(operations.__path__):
        name = f"{operations.__name__}.{module.name}"
        found = vars(importlib.import_module(name))
        for statement in ast.parse((ROOT / _locate_module(name)).read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                declared = found[statement.targets[0].id]
                if isinstance(declared, OperationDeclaration):
                    owner = Owner(statement.lineno, statement.end_lineno or statement.lineno, declared.type)
                    owners.setdefault(_locate_module(name), []).append(owner)
    return owners


def _locate_module(module: str) -> str:
    return f"{module.removeprefix('nnvet.').replace('.', '/')}.py"
