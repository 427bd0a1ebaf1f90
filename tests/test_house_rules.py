"""The house rules that a linter does not check: sizes, no open ends, the layout, no circles of imports."""

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = tuple(sorted(path.name for path in (ROOT / "src" / "nnvet").iterdir()))
SOURCES = sorted(
    path
    for folder in (*PACKAGES, "tests", "docs", "benchmarks", "tools", "training")
    for path in (ROOT / folder).rglob("*.py")
    if not path.name.endswith(".mod.py")
)
MODULES = [path for path in SOURCES if path.relative_to(ROOT).parts[0] in PACKAGES]
OPEN_END = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|raise NotImplemented" r"Error\s*$")

PRIVATE_WORDS = {
    "room": "space, capacity, size budget, output",
    "rooms": "outputs",
    "told": "reported, notified, given, specified",
    "lent": "shared, view",
    "trial": "mutant, combination",
    "trials": "mutants, combinations",
    "spoilt": "corrupt, wrong",
    "Bench": "request runner, benchmark",
}
"""Words that mean nothing to those who know NNAPI, VTS and the HAL, and what they say instead."""
PRIVATE_NAMES = {"way", "ways", "Way", "Ways"}
"""Identifiers of which the same holds: executor, executor's configuration."""

COMMENT_CLAUSE = re.compile(
    r"(?m)^[^\n\"']*(?://|#) (?:How|What|Whether|Which|Who)\b.*|\"\"\"(?:How|What|Whether|Which|Who)\b.*"
)
"""Comments that begin with a clause, and docstrings of templates."""
CLAUSE = re.compile(r"((By|For|From|In|Of|On|To|With) which|How|What|Where|Whether|Which|Who)\b")
"""Beginnings of docstrings that have to be read twice; an imperative or a noun phrase takes their place."""

HAL_NEEDS = {"nnvet", "msgspec", "numpy", *sys.stdlib_module_names}
"""All that the contract may be written with."""


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _statements(path: Path) -> tuple[ast.stmt, ...]:
    """All statements, those within others too; expressions, which are nine of ten nodes, are not looked into."""
    found: list[ast.stmt] = []
    new: list[ast.AST] = [*_tree(path).body]
    while new:
        node = new.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            new.extend(getattr(node, field, ()))
    return tuple(found)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


# One test of all files, not one of each: each process of the tests would parse them again.
def test_sizes_and_open_ends() -> None:
    """No module is longer than 500 lines, no function than 60, and nothing is left open."""
    long = {_name(path): _lines(path) for path in SOURCES if _lines(path) > 500}
    long_functions = {
        f"{_name(path)}: {node.name}"
        for path in SOURCES
        for node in _statements(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 60
    }
    left_open = [_name(path) for path in SOURCES if OPEN_END.search(path.read_text(encoding="utf-8"))]
    assert (long, long_functions, left_open) == ({}, set(), [])


def test_the_words_are_those_of_the_field() -> None:
    """No identifier, comment, docstring or page has a word of our own; the changelog lists what was renamed."""
    meant = {word.lower(): text for word, text in PRIVATE_WORDS.items()}
    forms = [form for word in PRIVATE_WORDS for form in (word, word.capitalize(), word.upper())]
    private = re.compile(r"(?<![A-Za-z])(" + "|".join(forms) + r")(?![A-Za-z])")
    pages = [path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if path.name != "CHANGELOG.md"]
    found = {
        f"{_name(path)}: {match[0]} (rather: {meant[match[0].lower()]})"
        for path in (*SOURCES, *pages)
        if path != Path(__file__)
        for match in private.finditer(path.read_text(encoding="utf-8"))
    }
    identifier = re.compile(r"\b(" + "|".join(PRIVATE_NAMES) + r")\b")
    names = {
        f"{_name(path)}: {node.id}"
        for path in SOURCES
        if identifier.search(path.read_text(encoding="utf-8"))
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Name) and node.id in PRIVATE_NAMES
    }
    assert sorted(found | names) == []


def test_loop_variables_are_named_after_the_thing() -> None:
    """No loop, comprehension or function of one line calls what it goes through ``one``."""
    anonymous = [
        f"{_name(path)}:{node.lineno}"
        for path in SOURCES
        if re.search(r"\bone\b", path.read_text(encoding="utf-8"))
        for loop in ast.walk(_tree(path))
        if isinstance(loop, ast.For | ast.comprehension | ast.Lambda)
        for node in ast.walk(loop.args if isinstance(loop, ast.Lambda) else loop.target)
        if isinstance(node, ast.Name | ast.arg) and "one" in (getattr(node, "id", ""), getattr(node, "arg", ""))
    ]
    assert anonymous == []


def test_docstrings_do_not_begin_with_a_clause() -> None:
    """Docstrings of modules, classes, functions and variables begin with an imperative, a noun phrase or a sentence."""
    clauses = [
        f"{_name(path)}: {text.partition(chr(10))[0]}"
        for path in SOURCES
        for text in _docstrings(path)
        if CLAUSE.match(text)
    ]
    assert clauses == []


def test_comments_do_not_begin_with_a_clause() -> None:
    """Comments of Python, of C++ and of the files that ``new-driver`` writes do not begin with one either."""
    folders = [ROOT / folder for folder in (*PACKAGES, "agent", "tests", "docs")]
    written = [path for folder in folders for suffix in ("*.cpp", "*.h", "*.jinja") for path in folder.rglob(suffix)]
    texts = {path: path.read_text(encoding="utf-8") for path in (*SOURCES, *written)}
    clauses = [f"{_name(path)}: {match[0]}" for path, text in texts.items() for match in COMMENT_CLAUSE.finditer(text)]
    assert len(texts) > len(SOURCES)
    assert clauses == []


def _docstrings(path: Path) -> Iterator[str]:
    """Texts that stand first in a block, and those that follow an assignment."""
    for node in (_tree(path), *_statements(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        for first, second in pairwise(getattr(node, "body", ())):
            if isinstance(first, ast.Assign | ast.AnnAssign) and isinstance(second, ast.Expr):
                value = second.value
                yield value.value.strip() if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def test_median_module_is_small() -> None:
    """Half of the modules have at most 200 lines."""
    assert statistics.median(_lines(path) for path in MODULES) <= 200


def test_most_functions_are_short() -> None:
    """Nine functions of ten have at most 30 lines."""
    lengths = [
        (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in _statements(path)
        if isinstance(node, ast.FunctionDef)
    ]
    assert sum(length <= 30 for length in lengths) >= 0.9 * len(lengths)


def test_src_holds_one_link_for_each_package() -> None:
    """``src/nnvet`` has nothing but relative links to the folders at the top that are packages."""
    assert [path.name for path in (ROOT / "src").iterdir() if not path.name.endswith(".egg-info")] == ["nnvet"]
    links = {path.name: str(path.readlink()) for path in (ROOT / "src" / "nnvet").iterdir()}
    tops = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert links == {name: f"../../{name}" for name in tops}


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_typed_and_say_what_they_are_for(package: str) -> None:
    """Each has the marker of typed packages, and a docstring."""
    assert (ROOT / package / "py.typed").is_file()
    assert ast.get_docstring(_tree(ROOT / package / "__init__.py"))


def test_public_classes_have_names_of_their_own() -> None:
    """No two public classes of the packages share a name: whoever reads one need not ask which."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(_name(path))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_product_module_is_called_like_a_test() -> None:
    """``test_…`` and ``…_test`` are names of tests, which live in ``tests/``."""
    assert [path.name for path in MODULES if path.stem.startswith("test_") or path.stem.endswith("_test")] == []


def test_every_package_has_a_floor() -> None:
    """The contract of the import linter names each package once, and the table in the docs gives it the same floor."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    floors = {name: floor for floor, layer in enumerate(reversed(layers)) for name in layer.split(" | ")}
    assert sorted(floors) == list(PACKAGES)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| `(\w+)/` \|", page, re.MULTILINE)
    assert {name: int(floor) for floor, name in rows} == floors


def test_the_contract_needs_no_framework() -> None:
    """``hal`` imports itself, the standard library, NumPy and msgspec: whoever writes a driver needs no more."""
    roots = {
        (name.partition(".")[0], _name(path))
        for path in MODULES
        if path.relative_to(ROOT).parts[0] == "hal"
        for name in _imported_names(_statements(path))
    }
    assert [(root, where) for root, where in sorted(roots) if root not in HAL_NEEDS] == []


def test_no_imports_in_circles() -> None:
    """No module needs itself by way of others, be it inside functions or for type checkers alone."""
    assert [circle for circle in _circles(_imports()) if len(circle) > 1] == []


def test_modules_stay_few_and_near() -> None:
    """At most 700 modules, of 200 lines on average, 7 of 100 of them imports; chains of imports have 20 at most."""
    modules = [path for path in MODULES if path.name != "__init__.py"]
    imports = [node for path in MODULES for node in _statements(path) if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports)
    chain = _longest_chain(_imports(lambda path: _loaded(_tree(path))))
    total = sum(map(_lines, MODULES))
    assert len(modules) <= 700
    assert total >= 200 * len(modules)
    assert lines <= 0.07 * total
    assert len(chain) <= 20, " -> ".join(chain)


def test_chains_are_found() -> None:
    """The longer of two branches counts; what only a function or a type checker imports is not loaded with a module."""
    assert _longest_chain({"a": {"b", "c"}, "b": set(), "c": {"b"}}) == ["a", "c", "b"]
    source = "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\ntry:\n    import d\nfinally:\n    pass\n"
    source += "def late():\n    import e\n"
    loaded = _loaded(ast.parse(source))
    assert {alias.name for node in loaded if isinstance(node, ast.Import) for alias in node.names} == set("acd")


def test_circles_are_found() -> None:
    """A chain has none; a ring is one, whatever hangs on it."""
    ring = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "before": {"a"}, "behind": set()} | {"d": {"behind", "d2"}, "d2": {"d"}}
    assert {frozenset(circle) for circle in _circles(ring) if len(circle) > 1} == {
        frozenset("abc"),
        frozenset({"d", "d2"}),
    }
    assert all(len(circle) == 1 for circle in _circles({"a": {"b"}, "b": {"c"}, "c": set()}))


def _loaded(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run when a module is loaded: none of functions, none for type checkers alone."""
    new: list[ast.stmt] = [*tree.body]
    while new:
        node = new.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for field in ("orelse", "finalbody", "handlers", *(() if for_types else ("body",))):
            new.extend(getattr(node, field, ()))


def _longest_chain(graph: Mapping[str, set[str]]) -> list[str]:
    """The most modules of which each imports the next; the graph has no circles."""

    @cache
    def chain(module: str) -> list[str]:
        behind = [chain(target) for target in graph[module]]
        return [module, *max(behind, key=len, default=[])]

    chains = [chain(module) for module in graph]
    return max(chains, key=len)


def _imported_names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """Full names of the modules, or of things in them, that statements import."""
    for node in statements:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imports(statements: Callable[[Path], Iterable[ast.stmt]] = _statements) -> dict[str, set[str]]:
    """For each of our modules, those of ours that its statements import; a package stands for its ``__init__``."""
    names = {path: "nnvet." + ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES}
    modules = {name.removesuffix(".__init__"): path for path, name in names.items()}
    return {
        module: {
            found
            for name in _imported_names(statements(path))
            if (found := name if name in modules else name.rpartition(".")[0]) in modules and found != module
        }
        for module, path in modules.items()
    }


def _circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Strongly connected components: what two modules reach in both directions belongs to one."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        found: set[str] = set()
        new = {start}
        while new:
            found |= new
            new = {target for node in new for target in graph[node]} - found
        reach[start] = found
    return [{other for other in reach[node] if node in reach[other]} for node in graph]
