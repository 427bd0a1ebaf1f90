"""Inputs that are lists of steps: a change of one leaves the others what they were, and states guide the fuzzer."""

from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.fuzz.calls.harness import CALLS
from nnvet.fuzz.calls.harness import FORM as CALLS_FORM
from nnvet.fuzz.calls.machine import STEPS
from nnvet.fuzz.counters import MARKS
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.readers.specs import FORM as SPECS_FORM
from nnvet.fuzz.runner import FuzzingJob, run_job
from nnvet.fuzz.sessions.burst import FORM as BURST_FORM
from nnvet.fuzz.sessions.cache import FORM as CACHE_FORM
from nnvet.fuzz.sessions.frames import FORM as FRAMES_FORM
from nnvet.fuzz.steps import StepForm, raw_mutation
from nnvet.reports.log import read_log

FORMS = {
    "burst": BURST_FORM,
    "cache": CACHE_FORM,
    "frames": FRAMES_FORM,
    "specs": SPECS_FORM,
    "calls": CALLS_FORM,
}
SMALL = StepForm(size=2, most=4, head=1)
ROUNDS = 300
NAMES = [step.act.__name__ for step in STEPS]


def cut(form: StepForm, data: bytes) -> list[bytes]:
    """The steps of an input, cut off one after the other."""
    rest, steps = data[form.head :], []
    while rest:
        steps.append(rest[: form.size])
        rest = rest[form.size :]
    return steps


def kept(form: StepForm, data: bytes, new: bytes) -> float:
    """The part of the steps of an input that another one has, too."""
    before = Counter(cut(form, data))
    return (before & Counter(cut(form, new))).total() / before.total()


def test_an_input_is_a_head_and_steps() -> None:
    """Zeros stand for what is missing; what is too much does nothing."""
    assert SMALL.split(b"habcde") == (b"h", [b"ab", b"cd", b"e\0"])
    assert SMALL.split(b"") == (b"\0", [])
    assert SMALL.split(b"habcdefghij") == (b"h", [b"ab", b"cd", b"ef", b"gh"])


@pytest.mark.parametrize("name", FORMS)
def test_changes_leave_most_steps_as_they_are(name: str) -> None:
    """Changes of steps leave most other steps as they are, unlike moved bytes."""
    form = FORMS[name]
    data = bytes(number * 7 % 251 for number in range(form.max_len - form.size))
    changed = [form.mutated(data, form.max_len, seed) for seed in range(ROUNDS)]
    made = [mutated for mutated in changed if mutated is not None]
    assert len(made) > 0.9 * ROUNDS
    assert all(len(mutated) <= form.max_len for mutated in made)
    assert sum(mutated != data for mutated in made) > 0.9 * len(made)
    raw = [raw_mutation(data, form.max_len, seed) for seed in range(ROUNDS)]
    by_steps, by_bytes = (fmean(kept(form, data, mutated) for mutated in inputs) for inputs in (made, raw))
    assert by_steps > 0.6
    assert by_steps > by_bytes


@pytest.mark.parametrize("name", FORMS)
def test_two_inputs_are_joined_between_steps(name: str) -> None:
    """Every step is one of either; both have a part in most."""
    form = FORMS[name]
    size = form.max_len
    one, other = bytes([1]) * size, bytes([2]) * size
    joined = [form.crossed(one, other, size, seed) for seed in range(50)]
    assert all(set(cut(form, new)) <= {bytes([1]) * form.size, bytes([2]) * form.size} for new in joined)
    assert sum(len(set(cut(form, new))) == 2 for new in joined) > 10
    assert all(len(form.crossed(one, other, size - 1, seed)) < size for seed in range(20))


def test_states_of_calls_are_marked() -> None:
    """Other calls, other marks; the same calls with other values, the same ones."""

    def marks(*names: str, value: int = 0) -> bytes:
        MARKS.counters[:] = bytes(len(MARKS.counters))
        with CALLS.opens(Target("reference", in_process=True)) as one_input:
            one_input(b"".join(bytes([NAMES.index(name), 0, 0, value]) for name in names))
        return bytes(MARKS.counters)

    once, twice, again = (
        marks("prepare", "open_burst", "drop", value=3),
        marks("prepare", "open_burst", "open_burst", "drop"),
        marks("prepare", "open_burst", "drop", value=4),
    )
    assert once == again != twice
    assert 0 < sum(once) < sum(twice)


def test_a_call_that_is_not_possible_becomes_the_next_one_that_is() -> None:
    """Without models only preparing, and dropping nothing, are possible."""
    with CALLS.opens(Target("reference", in_process=True)) as one_input:
        MARKS.counters[:] = bytes(len(MARKS.counters))
        one_input(bytes([NAMES.index("execute"), 0, 0, 0]))
        first = bytes(MARKS.counters)
        MARKS.counters[:] = bytes(len(MARKS.counters))
        one_input(bytes([NAMES.index("drop"), 0, 0, 0]))
    assert first == bytes(MARKS.counters)


@pytest.mark.long
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: pip install 'nnvet[fuzz]'")
def test_coverage_of_calls_grows(tmp_path: Path) -> None:
    """The seeds have not reached everything."""
    log = read_log(run_job(FuzzingJob([HARNESSES["calls"]], "reference", 6.0, 1, tmp_path / "corpus", tmp_path)))
    (fuzzed,) = log.fuzzing
    first, last = fuzzed.curve[0][1], fuzzed.curve[-1][1]
    assert last > first > 0
