"""``--profile``, ``nnvet profiles``, ``result.json`` and ``nnvet verify``, as a user meets them."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from nnvet.conformance.profiles.evaluation import profiles
from nnvet.conformance.profiles.statement import corpus_digest, driver_file
from nnvet.reports.outcome import EXIT_NOT_CONFORMANT, EXIT_USAGE
from tests.commands.test_utilities import nnvet, words

DRIVERS = """
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.enums import OperationType as O
from nnvet.reference_driver import create

class Nothing(BaseDevice):
    pass

def three():
    device = create("")
    claimed = device.get_supported_operations
    wanted = (O.ADD, O.MUL, O.RELU)
    device.get_supported_operations = lambda model: [
        is_claimed and operation.type in wanted
        for is_claimed, operation in zip(claimed(model), model.main.operations)
    ]
    return device
"""


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a driver that does nothing, and one of three operations."""
    path = tmp_path_factory.mktemp("drivers") / "own.py"
    path.write_text(DRIVERS)
    return path


@pytest.fixture(scope="module")
def result(drivers: Path) -> Path:
    """The folder of a small run of the driver of three operations, without ``--profile``."""
    out = drivers.parent / "out"
    command = ["run", "-d", f"python:{drivers}:three", "--out", str(out), "--only", "GeneratedTest/sync/add_*"]
    ended = nnvet(*command, "--only", "BasicTest/*")
    assert ended.exit_code == 0, ended.output
    assert "no fault found in " in ended.output
    assert "cases, conformant to no profile: 1 of 24 operations of speech" in words(ended)
    return out


@pytest.mark.sampled(2)
@pytest.mark.parametrize("driver", ["Nothing", "three"])
def test_little_is_not_conformant(drivers: Path, driver: str, tmp_path: Path) -> None:
    """Exit code 1 and what is missing, though nothing fails; the selection stays what it is."""
    only = ["--only", "GeneratedTest/sync/add_float_*", "--only", "TestTrivialModel/*"]
    wanted = ["--profile", "vision-float", "--profile", "caching"]
    ended = nnvet("run", "-d", f"python:{drivers}:{driver}", "--out", str(tmp_path), *only, *wanted)
    assert ended.exit_code == EXIT_NOT_CONFORMANT, ended.output
    said = words(ended)
    assert "not conformant to vision-float and caching" in said
    lacking = {"Nothing": "28 of 28 operations: ADD", "three": "27 of 28 operations: AVERAGE_POOL_2D"}[driver]
    assert f"not conformant to vision-float: no PASS for {lacking} (TENSOR_FLOAT32)" in said
    assert "not conformant to caching: no PASS in BasicTest/*; no PASS in CompilationCachingTest/*" in said
    verdict = json.loads((tmp_path / "result.json").read_bytes())["predicate"]["verdict"]
    assert verdict["sentence"] == "not conformant to vision-float and caching"
    assert "not conformant to vision-float and caching" in (tmp_path / "junit.xml").read_text()
    assert "not conformant to vision-float and caching" in (tmp_path / "report.html").read_text()
    assert "not conformant to vision-float and caching" in (tmp_path / "summary.md").read_text()


@pytest.mark.long
def test_part_of_the_suite_is_enough_for_a_profile_that_it_has(tmp_path: Path) -> None:
    """All cases of ``caching`` and nothing else: conformant to it, in each shard not, put together again."""
    globs = [f"--only={glob}" for glob in profiles()["caching"].suites]
    run = ["run", "-d", "reference", *globs]
    for number in (1, 2):
        part = nnvet(*run, "--out", str(tmp_path / str(number)), "--shard", f"{number}/2")
        assert part.exit_code == 0, part.output
        assert "conformant to no profile" in words(part)
    shards = [str(tmp_path / str(number)) for number in (1, 2)]
    whole = nnvet("report", *shards, "--out", str(tmp_path / "whole"), "--profile", "caching")
    assert whole.exit_code == 0, whole.output
    assert "nnvet-reference: conformant to caching (158 cases judged)" in words(whole)
    again = nnvet("report", str(tmp_path / "whole"), "--profile", "scheduling")
    assert again.exit_code == EXIT_NOT_CONFORMANT
    assert "not conformant to scheduling: no PASS in PriorityTest/*" in words(again)
    verified = nnvet("verify", str(tmp_path / "whole"))
    assert verified.exit_code == 0, verified.output
    assert "log and corpus, not the driver, match: conformant to caching" in words(verified)


def test_unknown_names_end_the_command() -> None:
    """Exit code 2 with what is near, before anything runs."""
    for command in (["run", "--profile", "vision-in"], ["profiles", "vision-in"]):
        ended = nnvet(*command)
        assert ended.exit_code == EXIT_USAGE
        assert "there is no profile 'vision-in'; the nearest are vision-int8" in words(ended)


@pytest.mark.long
def test_the_list_and_one_in_full() -> None:
    """Each profile with its operations; one with the number of its cases."""
    listed = words(nnvet("profiles"))
    for profile in profiles().values():
        assert f"{profile.name} {profile.level} {len(profile.types)} {len(profile.suites)} {profile.title}" in listed
    shown = words(nnvet("profiles", "control-flow"))
    assert " ".join(profiles()["control-flow"].audience.split()) in shown
    assert "IF: TENSOR_BOOL8 WHILE: any" in shown


@pytest.mark.long
def test_the_statement(result: Path, drivers: Path) -> None:
    """An in-toto statement with digests that other tools compute alike."""
    statement = json.loads((result / "result.json").read_bytes())
    assert (statement["_type"], len(statement)) == ("https://in-toto.io/Statement/v1", 4)
    digests = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
    assert digests == {
        "run.jsonl": hashlib.sha256((result / "run.jsonl").read_bytes()).hexdigest(),
        "driver own.py": hashlib.sha256(drivers.read_bytes()).hexdigest(),
        "nnvet corpus": corpus_digest(),
    }
    predicate = statement["predicate"]
    assert predicate["selection"] == ["GeneratedTest/sync/add_*", "BasicTest/*"]
    assert predicate["counts"]["PASS"] > 0
    assert {profile["profile"] for profile in predicate["profiles"]} == set(profiles())


def copy_of(result: Path, folder: Path) -> Path:
    """A statement and its log, to be tampered with."""
    for name in ("run.jsonl", "result.json"):
        (folder / name).write_bytes((result / name).read_bytes())
    return folder


@pytest.mark.long
def test_what_is_true_is_confirmed(result: Path) -> None:
    """With the file of the driver."""
    ended = nnvet("verify", str(result / "result.json"))
    assert ended.exit_code == 0, ended.output
    assert "log, corpus and driver match: no fault found in" in words(ended)


def test_a_log_that_was_tampered_with(result: Path, tmp_path: Path) -> None:
    """By its digest, and where that was changed too by the verdict that it gives."""
    folder = copy_of(result, tmp_path)
    log, statement = folder / "run.jsonl", folder / "result.json"
    old = log.read_bytes()
    new = old.replace(b'"verdict":"PASS"', b'"verdict":"FAIL"', 1).replace(b'"PASS":', b'"FAIL":1,"PASS":')
    number = json.loads(statement.read_bytes())["predicate"]["counts"]["PASS"]
    new = new.replace(f'"PASS":{number}'.encode(), f'"PASS":{number - 1}'.encode())
    log.write_bytes(new)
    ended = nnvet("verify", str(folder))
    assert ended.exit_code == EXIT_NOT_CONFORMANT
    assert f"run.jsonl: its SHA-256 is {hashlib.sha256(new).hexdigest()}" in words(ended)
    sums = [hashlib.sha256(data).hexdigest().encode() for data in (old, new)]
    statement.write_bytes(statement.read_bytes().replace(*sums))
    ended = nnvet("verify", str(folder))
    assert ended.exit_code == EXIT_NOT_CONFORMANT
    assert "run.jsonl" not in words(ended)
    assert "does not match: verdict: the statement says {'outcome': 'no fault found'" in words(ended)


def test_a_verdict_that_was_tampered_with(result: Path, tmp_path: Path) -> None:
    """In log and statement alike: profiles are judged again."""
    folder = copy_of(result, tmp_path)
    log, statement = folder / "run.jsonl", folder / "result.json"
    lines = log.read_bytes().splitlines(keepends=True)
    footer = json.loads(lines[-1])
    footer["profiles"] = [{"profile": "vision-float", "operations": 28, "done": 28}]
    log.write_bytes(b"".join(lines[:-1]) + json.dumps(footer).encode() + b"\n")
    said = json.loads(statement.read_bytes())
    said["predicate"]["profiles"] = [{**said["predicate"]["profiles"][0], **footer["profiles"][0], "missing": []}]
    said["subject"][0]["digest"]["sha256"] = hashlib.sha256(log.read_bytes()).hexdigest()
    statement.write_text(json.dumps(said))
    ended = nnvet("verify", str(folder))
    assert ended.exit_code == EXIT_NOT_CONFORMANT
    assert "does not match: profiles" in words(ended)


def test_another_driver(result: Path, tmp_path: Path) -> None:
    """A changed file is not what was tested; nor is one that is no file at all."""
    other = tmp_path / "own.py"
    other.write_text(DRIVERS + "\n")
    ended = nnvet("verify", str(result), "-d", f"python:{other}:three")
    assert ended.exit_code == EXIT_NOT_CONFORMANT
    assert f"does not match: {other}: its SHA-256 is" in words(ended)
    ended = nnvet("verify", str(result), "-d", "reference")
    assert "does not match: reference: not a file, but the statement is about driver own.py" in words(ended)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"_type": "x", "subject": [], "predicateType": "y", "predicate": {}}']
)
def test_what_is_no_statement(text: str, result: Path, tmp_path: Path) -> None:
    """Exit code 2 and a line, whatever it is."""
    path = copy_of(result, tmp_path) / "result.json"
    path.write_text(text)
    ended = nnvet("verify", str(path))
    assert ended.exit_code == EXIT_USAGE
    assert str(path) in words(ended)
    assert nnvet("verify", str(tmp_path / "gone")).exit_code == EXIT_USAGE


def test_two_digests_of_one_name(result: Path, tmp_path: Path) -> None:
    """Nobody could say which of them is meant."""
    path = copy_of(result, tmp_path) / "result.json"
    statement = json.loads(path.read_text())
    statement["subject"].append({"name": "run.jsonl", "digest": {"sha256": "0" * 64}})
    path.write_text(json.dumps(statement))
    ended = nnvet("verify", str(path))
    assert (ended.exit_code, "two subjects have one name" in words(ended)) == (EXIT_USAGE, True)


def test_files_of_drivers(tmp_path: Path) -> None:
    """The file of a driver is the one that its selector names, if it names one."""
    library = tmp_path / "lib.so"
    library.write_bytes(b"")
    for selector in (f"ndk:{library}#0", f"sl:{library}", f"litert:threads=1,delegate={library}", f"exec:{library} -v"):
        assert driver_file(selector) == library, selector
    # Not the interpreter, which says nothing of the driver.
    assert driver_file(f"exec:sh {library}") == library
    assert driver_file("exec:sh -c true") == Path(str(shutil.which("sh")))
    for selector in ("reference", "python:os.path:join", "exec:'", f"ndk:{library}x", "litert", "unix:/tmp"):
        assert driver_file(selector) is None, selector
