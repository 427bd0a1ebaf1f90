"""Profiles: nothing that a driver has not shown makes it conformant."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

import pytest

from nnvet.conformance.profiles import evaluation
from nnvet.conformance.profiles.evaluation import (
    ANY,
    MustPass,
    Profile,
    ProfileError,
    check_names,
    must_pass,
    profile_results,
    profiles,
    read_profile,
)
from nnvet.hal.operations.catalogue import declarations
from nnvet.reports.events import Command, DriverFacts, ProfileResult, RunStarted, Verdict
from nnvet.reports.log import EventLog, Log
from nnvet.reports.outcome import EXIT_NOT_CONFORMANT, EXIT_SUITE_FAILED, RunOutcome, exit_code_of, judge

FLOAT, INT8 = "TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM_SIGNED"
ADD = [f"GeneratedTest/sync/add_{number}" for number in range(4)]
MUL = [f"GeneratedTest/sync/mul_{number}" for number in range(2)]
IF = "GeneratedTest/sync/if_1"
CACHE = [f"CacheTest/Save/{number}" for number in range(2)]
OPERATIONS = {"add": "ADD", "mul": "MUL", "if": "IF"}
PASSING = dict.fromkeys((*ADD, *MUL, IF, *CACHE), Verdict.PASS)


def labels_of(case: str) -> dict[str, object]:
    """Labels as those of the case in a run; that of IF has another type."""
    name = OPERATIONS.get(case.rpartition("/")[2].partition("_")[0])
    kind = "TENSOR_BOOL8" if name == "IF" else FLOAT
    return {"suite": case.partition("/")[0]} | ({"operations": [name], "operand_types": [kind]} if name else {})


def listed(case: str, level: int = 1) -> MustPass:
    """A case as it is listed from the corpus."""
    labels = labels_of(case)
    names, kinds = labels.get("operations", []), labels.get("operand_types", [])
    assert isinstance(names, list)
    assert isinstance(kinds, list)
    return MustPass(case, level, tuple((name, kind) for name in names for kind in (*kinds, ANY)))


def profile(name: str = "small", **changed: object) -> Profile:
    """One that asks for ADD and MUL, and for a suite."""
    fields = {"operations": {FLOAT: ("ADD", "MUL")}, "suites": ("CacheTest/*",), "level": 4, "floor": 0.5}
    return Profile(title="t", audience="a", name=name, **{**fields, **changed})  # type: ignore[arg-type]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[ProfileResult, Log]]:
    """Holds one profile against cases, logged by hand; the must-pass cases are all of ``PASSING``."""
    monkeypatch.setattr(evaluation, "must_pass", lambda: tuple(map(listed, PASSING)))

    def hold(
        cases: Mapping[str, Verdict],
        wanted: Profile | None = None,
        *,
        rules: Mapping[str, str] | None = None,
        problems: tuple[str, ...] = (),
        **header: object,
    ) -> tuple[ProfileResult, Log]:
        judged = wanted or profile()
        monkeypatch.setattr(evaluation, "profiles", lambda: {judged.name: judged})
        facts = DriverFacts("x", feature_level=8)
        started = RunStarted("0", facts, "2025-01-01T00:00:00Z", **header)  # type: ignore[arg-type]
        with EventLog.create(tmp_path / "run.jsonl", started) as log:
            for case, verdict in cases.items():
                log.case_started(case)
                log.case_finished(case, verdict, rule=(rules or {}).get(case, ""), labels=labels_of(case))
            found = profile_results(log.so_far, problems)
            log.finish(0, problems, profiles=found)
        return found[0], log.so_far

    return hold


def but(verdict: Verdict, *cases: str) -> dict[str, Verdict]:
    """All pass but some."""
    return PASSING | dict.fromkeys(cases, verdict)


def test_who_passes_all_is_conformant(results: Callable[..., tuple[ProfileResult, Log]]) -> None:
    """The cases of the profile that passed are counted; that of another operation is not among them."""
    found, log = results(PASSING)
    assert found == ProfileResult("small", 2, 2, 8)
    assert judge(log).headline == "conformant to small (9 cases judged)"


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ({}, "no PASS for 2 of 2 operations"),
        (dict.fromkeys(PASSING, Verdict.UNSUPPORTED), "no PASS for 2 of 2 operations"),
        (but(Verdict.UNSUPPORTED, *MUL), "no PASS for 1 of 2 operations: MUL (TENSOR_FLOAT32)"),
        (but(Verdict.WAIVED, *MUL), "no PASS for 1 of 2 operations: MUL (TENSOR_FLOAT32)"),
        (but(Verdict.UNSUPPORTED, *ADD[1:]), "too few cases pass, 50% are wanted: ADD (TENSOR_FLOAT32) 1 of 4"),
        (but(Verdict.UNSUPPORTED, *CACHE), "no PASS in CacheTest/*"),
        (but(Verdict.UNSUPPORTED, CACHE[1]), "UNSUPPORTED cases of its suites: 1, such as CacheTest/Save/1"),
        (but(Verdict.FAIL, ADD[0]), "the driver has faults"),
        (but(Verdict.HANG, IF), "the driver has faults"),
        (but(Verdict.CRASH, CACHE[0]), "the driver has faults"),
        (but(Verdict.ERROR, IF), "cases were not judged"),
        (but(Verdict.NOT_RUN, ADD[0]), "cases were not judged"),
        (
            {case: Verdict.PASS for case in PASSING if case != ADD[2]},
            "cases of it that were not run: 1, such as " + ADD[2],
        ),
    ],
)
def test_who_shows_less_is_not(
    results: Callable[..., tuple[ProfileResult, Log]], cases: dict[str, Verdict], reason: str
) -> None:
    """Doing nothing, refusing all, one operation of two, a selection that leaves a case out, a fault anywhere."""
    found, log = results(cases)
    assert not found.is_held
    assert any(text.startswith(reason) for text in found.missing), found.missing
    assert judge(log).outcome is not RunOutcome.CONFORMANT


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"shard": "1/2"}, "the run is shard 1/2"),
        ({"options": ("--specs", "mine")}, "the run is of other specs"),
        ({"problems": ("waivers.toml#1 has expired",)}, "waivers.toml#1 has expired"),
    ],
)
def test_a_part_proves_nothing(
    results: Callable[..., tuple[ProfileResult, Log]], header: dict[str, object], reason: str
) -> None:
    """Shards, other specs under the same names, and waivers that have expired."""
    found, _ = results(PASSING, **header)
    assert found.missing[0].startswith(reason)


def test_a_run_that_is_cut_short_is_conformant_to_nothing(tmp_path: Path) -> None:
    """Even if all that it has judged has passed, and a case that began has not ended."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z")) as log:
        stopped = profile_results(log.so_far, cut_short=True)
        log.case_started("a/b")
        broken = profile_results(log.so_far)
    for found in (stopped, broken):
        assert {result.missing[0] for result in found} == {"the run did not come to its end"}


def test_other_commands_are_held_against_nothing(tmp_path: Path) -> None:
    """Random models say nothing of a must-pass list."""
    header = RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z", command=Command.RANDOM)
    with EventLog.create(tmp_path / "run.jsonl", header) as log:
        assert profile_results(log.so_far) == ()


def test_what_the_suite_holds_back_for_the_level_is_not_asked_for(
    results: Callable[..., tuple[ProfileResult, Log]],
) -> None:
    """A case that needs more than the profile's level; it does not excuse a driver of a lower level."""
    cases, rules = but(Verdict.UNSUPPORTED, CACHE[1]), {CACHE[1]: "model/level"}
    assert results(cases, rules=rules, level=4)[0].is_held
    assert not results(cases, rules=rules, level=3)[0].is_held


def test_a_waived_case_is_named_beside_the_verdict(results: Callable[..., tuple[ProfileResult, Log]]) -> None:
    """It fills its place, is counted as no pass, and is never silent."""
    found, log = results(but(Verdict.WAIVED, ADD[0], CACHE[1]))
    assert (found.missing, found.cases) == ((), 6)
    waived = f"with 2 waived cases: {ADD[0]}, {CACHE[1]}"
    assert judge(log).headline == f"conformant to small {waived} (7 cases judged)"
    found, log = results(but(Verdict.WAIVED, *MUL))
    assert judge(log).headline == (
        f"no fault found in 7 cases with 2 waived cases: {MUL[0]}, {MUL[1]}, "
        "conformant to no profile: 1 of 2 operations of small"
    )


def test_an_operation_of_any_type(results: Callable[..., tuple[ProfileResult, Log]]) -> None:
    """WHILE has no type of its own; a case of any type counts."""
    assert results(PASSING, profile(operations={ANY: ("WHILE",)}, suites=()))[0].done == 0
    monkeyed = {case.replace("if", "while"): verdict for case, verdict in PASSING.items()}
    OPERATIONS["while"] = "WHILE"
    try:
        assert results(monkeyed, profile(operations={ANY: ("WHILE",)}, suites=()))[0].done == 1
    finally:
        del OPERATIONS["while"]


def wanted_judgement(tmp_path: Path, results: Iterable[ProfileResult], verdict: Verdict, code: int) -> str:
    """The headline of a run that had to be conformant to a and b."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z")) as log:
        log.case_started("c")
        log.case_finished("c", verdict)
        log.finish(code, profiles=tuple(results), wanted=("a", "b"))
    return judge(log.so_far).headline


def test_the_wanted_profiles_decide(tmp_path: Path) -> None:
    """Less than all of them is not conformant; a fault says more, and of levels the highest counts."""
    held, other = ProfileResult("a"), ProfileResult("b", missing=("no PASS in c/*",))
    assert wanted_judgement(tmp_path, [held, other], Verdict.PASS, 1) == "not conformant to b"
    assert wanted_judgement(tmp_path, [held], Verdict.PASS, 1) == "not conformant to b"
    assert wanted_judgement(tmp_path, [other], Verdict.FAIL, 1) == "not conformant"
    levels = [ProfileResult("nnapi-1.0"), ProfileResult("nnapi-1.1"), held, ProfileResult("b")]
    assert wanted_judgement(tmp_path, levels, Verdict.PASS, 0) == "conformant to nnapi-1.1, a and b (1 case judged)"


def test_exit_code_of_an_unmet_profile(tmp_path: Path) -> None:
    """1, but where the suite failed or the run was stopped nobody knows."""
    with EventLog.create(tmp_path / "run.jsonl", RunStarted("0", DriverFacts("x"), "2025-01-01T00:00:00Z")) as log:
        log.case_started("c")
        log.case_finished("c", Verdict.UNSUPPORTED)
        assert exit_code_of(RunOutcome.INCOMPLETE, log.so_far, unmet=True) == EXIT_NOT_CONFORMANT
        assert exit_code_of(RunOutcome.INCOMPLETE, log.so_far) == EXIT_SUITE_FAILED
        assert exit_code_of(RunOutcome.INCOMPLETE, log.so_far, unmet=True, cut_short=True) == EXIT_SUITE_FAILED
        log.case_started("d")
        log.case_finished("d", Verdict.ERROR)
        assert exit_code_of(RunOutcome.INCOMPLETE, log.so_far, unmet=True) == EXIT_SUITE_FAILED


def test_the_bundled_profiles_can_be_fulfilled() -> None:
    """The corpus has a case for each operation and type, and cases for each glob; a level has all of its operations."""
    cases = must_pass()
    for bundled in profiles().values():
        of_level = [case for case in cases if case.level <= bundled.level]
        assert not bundled.pairs - {pair for case in of_level for pair in case.pairs}, bundled.name
        for glob in bundled.suites:
            assert any(fnmatchcase(case.id, glob) for case in of_level), (bundled.name, glob)
        for glob in bundled.without_suites:
            assert any(fnmatchcase(case.id, glob) for case in cases), (bundled.name, glob)
        if bundled.operations == "all":
            assert set(bundled.types) == {
                known.name for known in declarations().values() if known.level <= bundled.level
            }
            assert bundled.floor == 1


def test_levels_contain_those_before_them() -> None:
    """So the highest tells of all."""
    levels = [bundled for bundled in profiles().values() if bundled.name.startswith("nnapi-")]
    assert [level.level for level in levels] == list(range(1, 9))
    for lower, higher in pairwise(levels):
        assert lower.pairs <= higher.pairs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 1", "title"),
        ('flor = 1.0\ntitle="t"', "flor"),
        ('operations = {TENSOR_FLOAT32 = ["ADDD"]}', "no operation ADDD of TENSOR_FLOAT32"),
        ('operations = {TENSOR_BOOL8 = ["ADD"]}', "no operation ADD of TENSOR_BOOL8"),
        ('operations = "some"', "operations"),
        ("level = 9", "level"),
        ("= 1", "Invalid"),
        ('name = "other"', "name is the file's, own"),
        ('suites = ["BasicTest/*"]\nwithout_operations = ["ADD TENSOR_FLOAT32"]', "belongs to operations"),
        ("", "asks for nothing"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, text: str, said: str) -> None:
    """With the place and the rule that is broken."""
    fields = {"title": '"t"', "audience": '"a"', "level": "1", "suites": "[]", "floor": "1.0"}
    rest = "\n".join(f"{key} = {value}" for key, value in fields.items() if f"{key} =" not in text)
    path = tmp_path / "own.toml"
    path.write_text(f"{rest}\n{text}" if "title=" not in text else text)
    with pytest.raises(ProfileError, match=said) as raised:
        read_profile(path)
    assert str(path) in str(raised.value)


def test_a_name_that_there_is_not() -> None:
    """A message about an unknown name lists similar ones; names are taken once."""
    assert check_names(["speech", "speech"]) == ("speech",)
    with pytest.raises(ProfileError, match="vision-int8"):
        check_names(["vision-int"])
