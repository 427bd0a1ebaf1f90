"""Accuracy scores against values worked out by hand from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nnvet.formats.errors import DataError
from nnvet.models.catalogue import EvaluatorEntry
from nnvet.models.datasets import Normalization, Step, StepSequence
from nnvet.models.evaluation import StepResult
from nnvet.models.evaluators import (
    MelCepLogF0,
    Perplexity,
    PhoneErrorRate,
    TopK,
    TrueMelCepLogF0,
    TruePhoneErrorRate,
    edit_distance,
    make_evaluator,
    merge_repeated_phones,
    phone,
)


def pictures(*classes: int) -> list[StepSequence]:
    """Sequences of one step with known classes."""
    return [StepSequence((Step(lambda: b"", (), expected),)) for expected in classes]


def answers(*outputs: Sequence[float]) -> list[StepResult]:
    """One result for each sequence."""
    return [StepResult(index, 0, (np.asarray(values, np.float32),)) for index, values in enumerate(outputs)]


def spoken(*golden: Sequence[Sequence[float]]) -> list[StepSequence]:
    """Sequences with golden outputs for each step."""
    return [StepSequence(tuple(Step(lambda: b"", (np.asarray(row, np.float32),)) for row in rows)) for rows in golden]


def results(*outputs: Sequence[Sequence[float]]) -> list[StepResult]:
    """Results of whole sequences, in order."""
    return [
        StepResult(sequence, step, (np.asarray(row, np.float32),))
        for sequence, rows in enumerate(outputs)
        for step, row in enumerate(rows)
    ]


def frame(amplitude: float = 0.0, first: float = 0.0, f0: float = 0.0, voicing: float = -1.0) -> list[float]:
    """A frame: 40 amplitudes (the first apart), 7 aperiodicities that never count, log F0 and voicing."""
    return [first, *[amplitude] * 39, *[99.0 * amplitude] * 7, f0, voicing]


def one_hot(index: int) -> list[float]:
    """42 outputs of which one is the largest."""
    return [1.0 if k == index else 0.0 for k in range(42)]


def test_top_k_counts_ranks() -> None:
    """Ranks 1, 2 and 5 of the right class give 1/3, 2/3, 2/3, 2/3 and 1."""
    outputs = answers([9, 1, 2, 3, 4], [9, 8, 2, 3, 4], [9, 8, 7, 6, 1])
    evaluation = TopK().evaluate(pictures(0, 1, 4), outputs)
    assert list(evaluation.values) == ["top_1", "top_2", "top_3", "top_4", "top_5"]
    np.testing.assert_allclose(list(evaluation.values.values()), [1 / 3, 2 / 3, 2 / 3, 2 / 3, 1])
    assert evaluation.errors == ()
    assert evaluation.limits == {}


def test_top_k_ties_and_nan() -> None:
    """Of equal values the lowest class comes first; NaN ranks above infinity."""
    ties = answers([5, 5, 5, 5, 5, 5])
    assert list(TopK().evaluate(pictures(1), ties).values.values()) == [0, 1, 1, 1, 1]
    assert TopK().evaluate(pictures(5), ties).values["top_5"] == 0
    assert TopK().evaluate(pictures(2), answers([math.inf, 1, math.nan, 0, 0])).values["top_1"] == 1


@pytest.mark.parametrize(("hits", "broken"), [(394, False), (393, True), (1000, False)])
def test_top_1_may_be_five_points_lower(hits: int, broken: bool) -> None:
    """With 0.444 expected, 0.394 is just enough and 0.393 is not; there is no upper bound."""
    outputs = answers(*[[1, 0, 0, 0, 0]] * 1000)
    evaluation = TopK(0.444).evaluate(pictures(*[0] * hits, *[1] * (1000 - hits)), outputs)
    assert evaluation.values["top_1"] == hits / 1000
    assert evaluation.errors == (("Top 1 value is far below the expected top 1 (44.40%)",) if broken else ())
    assert evaluation.limits["top_1"].holds(hits / 1000) is not broken


def test_top_k_needs_classes() -> None:
    """Sequences of several steps, unknown classes, too few classes and no results are errors."""
    two_steps = [StepSequence((Step(lambda: b"", (), 1),) * 2)]
    for sequences, outputs in (
        (two_steps, answers([1, 2, 3, 4, 5])),
        (pictures(-1), answers([1, 2, 3, 4, 5])),
        (pictures(1), answers([1, 2, 3, 4])),
    ):
        with pytest.raises(DataError, match="TopK needs sequences of one step"):
            TopK().evaluate(sequences, outputs)
    with pytest.raises(DataError, match="no results"):
        TopK().evaluate(pictures(1), [])


def test_first_amplitude_and_aperiodicity_do_not_count() -> None:
    """A difference in the first amplitude alone leaves a distortion of 0."""
    golden = [[*frame() * 4]]
    evaluation = MelCepLogF0().evaluate(spoken(golden), results([[*frame(first=100.0) * 4]]))
    assert evaluation.values == {"max_mel_cep_distortion": 0, "max_log_f0_error": 0}


@pytest.mark.parametrize(("amplitude", "broken"), [(4.0, False), (4.0001, True), (-4.0, False)])
def test_distortion_limit(amplitude: float, broken: bool) -> None:
    """All amplitudes off by a give the distortion |a|; 4.0 passes, more does not."""
    golden = [[*frame() * 4]] * 3
    evaluation = MelCepLogF0().evaluate(spoken(golden), results([[*frame(amplitude) * 4]] * 3))
    assert evaluation.values["max_mel_cep_distortion"] == pytest.approx(abs(amplitude), rel=1e-6)
    assert bool(evaluation.errors) is broken


def test_distortion_is_a_root_mean_square() -> None:
    """Only one of 4 frames of one of 2 steps is off by 8: sqrt(64 / 8)."""
    actual = [[*frame(8.0), *frame() * 3], [*frame() * 4]]
    evaluation = MelCepLogF0().evaluate(spoken([[*frame() * 4]] * 2), results(actual))
    assert evaluation.values["max_mel_cep_distortion"] == pytest.approx(math.sqrt(8))


def test_log_f0_counts_frames_that_both_call_voiced() -> None:
    """Errors 3 and 4 where both are voiced give sqrt(25 / 2); frames voiced in one only do not count."""
    golden = [*frame(voicing=1), *frame(voicing=0.5), *frame(voicing=0), *frame(voicing=1)]
    actual = [*frame(f0=3, voicing=1), *frame(f0=-4, voicing=2), *frame(f0=9, voicing=1), *frame(f0=9, voicing=0)]
    evaluation = MelCepLogF0().evaluate(spoken([golden]), results([actual]))
    assert evaluation.values["max_log_f0_error"] == pytest.approx(math.sqrt(12.5))
    assert len(evaluation.errors) == 1
    assert "log F0 error exceeded its limit 0.01" in evaluation.errors[0]
    assert "," not in evaluation.errors[0]


def test_worst_sequence_counts() -> None:
    """The figures are maxima over sequences, and every sequence beyond a limit is reported."""
    golden = [[*frame() * 4]]
    actual = [[[*frame(a) * 4]] for a in (1.0, 5.0, 6.0)]
    evaluation = MelCepLogF0().evaluate(spoken(golden, golden, golden), results(*actual))
    assert evaluation.values["max_mel_cep_distortion"] == pytest.approx(6)
    assert len(evaluation.errors) == 2


def test_outputs_are_restored_before_they_are_compared() -> None:
    """With a deviation of 3 a difference of 1 counts as 3; the mean cancels out."""
    normalization = Normalization(np.full(196, 7, np.float32), np.full(196, 3, np.float32))
    golden, actual = spoken([[*frame() * 4]]), results([[*frame(1.0) * 4]])
    assert MelCepLogF0(normalization).evaluate(golden, actual).values["max_mel_cep_distortion"] == pytest.approx(3)


def test_nan_breaks_every_limit() -> None:
    """Speech that is NaN is an error, not a perfect score."""
    evaluation = MelCepLogF0().evaluate(spoken([[*frame() * 4]]), results([[*frame(math.nan) * 4]]))
    assert math.isnan(evaluation.values["max_mel_cep_distortion"])
    assert evaluation.errors
    assert not evaluation.limits["max_mel_cep_distortion"].holds(math.nan)


@pytest.mark.parametrize(("wrong", "rate", "broken"), [(1, 5.0, False), (2, 10.0, True), (0, 0.0, False)])
def test_phone_error_rate(wrong: int, rate: float, broken: bool) -> None:
    """One wrong phone in 20 steps is 5 per cent and passes; two are 10 and do not."""
    golden = [one_hot(k) for k in range(20)]
    actual = [one_hot(41 if k < wrong else k) for k in range(20)]
    evaluation = PhoneErrorRate().evaluate(spoken(golden), results(actual))
    assert evaluation.values == {"max_phone_error_rate": rate}
    assert bool(evaluation.errors) is broken


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("kitten", "sitting", 3),
        ("", "abc", 3),
        ("abc", "", 3),
        ("abc", "abc", 0),
        # The first letter moved to the end: one deletion and one insertion.
        ("abcdef", "bcdefa", 2),
        ("flaw", "lawn", 2),
    ],
)
def test_edit_distance(left: str, right: str, distance: int) -> None:
    """Textbook distances."""
    assert edit_distance([*map(ord, left)], [*map(ord, right)]) == distance


def test_phone_of_a_step() -> None:
    """The first of the largest outputs; NaN never counts, and without any candidate it is -1."""
    assert phone(np.asarray([1, 3, 3], np.float32)) == 1
    assert phone(np.asarray([math.nan, -2, -1], np.float32)) == 2
    assert phone(np.asarray([math.nan, math.nan], np.float32)) == -1
    assert phone(np.full(3, np.finfo(np.float32).min)) == -1


def test_sequence_evaluators_need_whole_sequences() -> None:
    """Steps out of order, cut sequences, missing golden outputs and no results are errors."""
    golden = spoken([one_hot(0), one_hot(1)])
    whole = results([one_hot(0), one_hot(1)])
    for wrong in (whole[:1], whole[::-1]):
        with pytest.raises(DataError, match="whole sequences in order"):
            PhoneErrorRate().evaluate(golden, wrong)
    with pytest.raises(DataError, match="golden outputs"):
        PhoneErrorRate().evaluate(pictures(1), results([one_hot(0)]))
    with pytest.raises(DataError, match="no results"):
        PhoneErrorRate().evaluate(golden, [])
    with pytest.raises(DataError, match="196 outputs a step, not 42"):
        MelCepLogF0().evaluate(golden, whole)


def test_evaluators_by_name(tmp_path: Path) -> None:
    """Model lists name evaluators by class; an unknown one is an error when it is used."""
    (tmp_path / "m").write_bytes(np.ones(8, "<f4").tobytes())
    assert make_evaluator(tmp_path, EvaluatorEntry("TopK", expected_top1=0.5)) == TopK(0.5)
    assert make_evaluator(tmp_path, EvaluatorEntry("PhoneErrorRate")) == PhoneErrorRate()
    assert make_evaluator(tmp_path, EvaluatorEntry("MelCepLogF0")) == MelCepLogF0()
    restored = make_evaluator(tmp_path, EvaluatorEntry("MelCepLogF0", "m"))
    assert isinstance(restored, MelCepLogF0)
    assert restored.normalization is not None
    (tmp_path / "l").write_text("sil\na\nb\n", "utf-8")
    limits = {"true_phone_error_rate": 5.0}
    by_truth = make_evaluator(tmp_path, EvaluatorEntry("TruePhoneErrorRate", labels="l", limits=limits))
    assert by_truth == TruePhoneErrorRate(("sil", "a", "b"), limits)
    assert isinstance(make_evaluator(tmp_path, EvaluatorEntry("TrueMelCepLogF0", "m")), TrueMelCepLogF0)
    with pytest.raises(DataError, match="'BLEU' is not one of TopK, MelCepLogF0, PhoneErrorRate"):
        make_evaluator(tmp_path, EvaluatorEntry("BLEU"))


def with_truth(truth: bytes, steps: int) -> StepSequence:
    """A sequence of which only the truth is known."""
    return StepSequence((Step(lambda: b""),) * steps, truth, "t.phones")


def test_what_is_heard() -> None:
    """Repetitions are one phone, silence is none but parts two phones."""
    assert merge_repeated_phones([0, 0, 3, 3, 0, 3, 5, 4, 4, 0]) == [3, 3, 5, 4]
    assert merge_repeated_phones([]) == []


@pytest.mark.parametrize(("limit", "broken"), [(40.0, False), (39.9, True)])
def test_true_phone_error_rate(limit: float, *, broken: bool) -> None:
    """Of five phones in two sequences one is another and one is missing: 40 per cent."""
    classes = ("sil", "a", "b", "c")
    said = [with_truth(b"a b\nc", 5), with_truth(b"b a", 3)]
    outputs = results([np.eye(4)[k] for k in (0, 1, 1, 3, 3)], [np.eye(4)[k] for k in (2, 0, 3)])
    evaluation = TruePhoneErrorRate(classes, {"true_phone_error_rate": limit}).evaluate(said, outputs)
    # "a c" for "a b c" lacks b; "b c" for "b a" has a wrong c.
    assert evaluation.values == {"true_phone_error_rate": 40.0}
    assert evaluation.by_example == {"true_phone_error_rate": (100 / 3, 50.0)}
    assert bool(evaluation.errors) is broken
    missing = StepSequence((Step(lambda: b""),) * 5)
    for bad, message in (
        (with_truth(b"a x", 5), "t.phones: 'x' is not among the labels"),
        (with_truth(b"", 5), "t.phones: no phones"),
        (with_truth(b"\xff", 5), "t.phones: '\N{REPLACEMENT CHARACTER}' is not among"),
        (missing, "a sequence without 'truth' in the model list: no phones"),
    ):
        with pytest.raises(DataError, match=message):
            TruePhoneErrorRate(classes).evaluate([bad], outputs[:5])
    with pytest.raises(DataError, match="3 labels for 4 outputs"):
        TruePhoneErrorRate(classes[:3]).evaluate([with_truth(b"a", 5)], outputs[:5])
    with pytest.raises(DataError, match="limits of rate: the evaluator has the figures true_phone_error_rate"):
        TruePhoneErrorRate(classes, {"rate": 1.0}).evaluate(said, outputs)


def test_true_vocoder_parameters() -> None:
    """All frames of all sequences count once; voicing is wrong in two of eight frames."""
    true = [frame(2.0, f0=5.0, voicing=1.0)] * 3 + [frame(2.0)]
    made = [[frame(5.0, f0=5.5, voicing=1.0)] * 2 + [frame(5.0), frame(5.0, voicing=1.0)], true]
    truth = np.asarray(true, "<f4").tobytes()
    outputs = results(*([np.ravel(frames)] for frames in made))
    evaluation = TrueMelCepLogF0().evaluate([with_truth(truth, 1)] * 2, outputs)
    # Amplitudes are 3 off in half of the frames; log F0 is 0.5 off in two of five frames that both call voiced.
    assert evaluation.values == {
        "true_mel_cep_distortion": pytest.approx(math.sqrt(9 / 2)),
        "true_log_f0_error": pytest.approx(math.sqrt(2 * 0.25 / 5)),
        "true_voicing_error": 25.0,
    }
    assert evaluation.by_example["true_voicing_error"] == (50.0, 0.0)
    assert evaluation.by_example["true_mel_cep_distortion"] == pytest.approx((3.0, 0.0))
    twice = Normalization(np.ones(196, np.float32), np.full(196, 2, np.float32))
    doubled = TrueMelCepLogF0(twice, {"true_mel_cep_distortion": 4.0}).evaluate([with_truth(truth, 1)] * 2, outputs)
    assert doubled.values["true_mel_cep_distortion"] == pytest.approx(2 * math.sqrt(9 / 2))
    assert doubled.errors
    with pytest.raises(DataError, match=r"t\.phones: 780 bytes; TrueMelCepLogF0 needs 784, .* the 1 steps"):
        TrueMelCepLogF0().evaluate([with_truth(truth[4:], 1)] * 2, outputs)
    with pytest.raises(DataError, match="196 outputs a step, not 42"):
        TrueMelCepLogF0().evaluate([with_truth(b"", 1)], results([one_hot(0)]))


WORDS = ("the", "cat", "sat", "down")


def said(*words: str) -> list[StepSequence]:
    """One sequence whose truth is the words that follow its steps."""
    steps = (Step(lambda: b""),) * len(words)
    return [StepSequence(steps, " ".join(words).encode(), "words-file")]


def test_perplexity_by_hand() -> None:
    """Probabilities 1/2, 1/4 and 1/8 of the words that came: (2 * 4 * 8) ** (1 / 3) = 4; logits may be shifted."""
    probabilities = [[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25], [0.125, 0.125, 0.125, 0.625]]
    logits = (np.log(probabilities) + np.array([[0], [3], [-50]])).tolist()
    found = Perplexity(WORDS).evaluate(said("the", "sat", "cat"), results(logits))
    assert found.values["perplexity"] == pytest.approx(4, rel=1e-6)
    assert found.values["cross_entropy"] == pytest.approx(math.log(4), rel=1e-6)
    assert found.by_example["cross_entropy"] == (pytest.approx(math.log(4), rel=1e-6),)


def test_perplexity_weighs_words_and_not_sequences() -> None:
    """A sequence of one word at probability 1/2 and one of three at 1/4: (2 * 4**3) ** (1 / 4)."""
    even, half = [0.0] * 4, np.log([0.5, 1 / 6, 1 / 6, 1 / 6]).tolist()
    found = Perplexity(WORDS).evaluate(said("the") + said("cat", "sat", "down"), results([half], [even] * 3))
    assert found.values["perplexity"] == pytest.approx((2 * 4**3) ** 0.25, rel=1e-6)
    assert found.by_example["cross_entropy"] == pytest.approx((math.log(2), math.log(4)), rel=1e-6)


def test_perplexity_of_nonsense_is_infinite() -> None:
    """NaN, and a probability of 0; extreme logits are no error."""
    for row in ([math.nan, 0, 0, 0], [0, -math.inf, 0, 0], [3e38, -3e38, 0, 0]):
        found = Perplexity(WORDS, {"perplexity": 5.0}).evaluate(said("cat"), results([row]))
        assert found.values["perplexity"] == math.inf
        assert found.errors == ("perplexity exceeded its limit 5.0: inf",)
    assert Perplexity(WORDS).evaluate(said("the"), results([[3e38, 0, 0, 0]])).values["perplexity"] == 1


@pytest.mark.parametrize(
    ("words", "row", "message"),
    [
        (("dog",), [0.0] * 4, "words-file: 'dog' is not among the labels; Perplexity needs the word after each"),
        (("the",), [0.0] * 5, "Perplexity: 4 labels for 5 outputs"),
    ],
)
def test_bad_data_of_language_models(words: tuple[str, ...], row: list[float], message: str) -> None:
    """Unknown words and other numbers of outputs; a truth of another length."""
    with pytest.raises(DataError, match=message):
        Perplexity(WORDS).evaluate(said(*words), results([row]))
    short = [StepSequence((Step(lambda: b""),) * 2, b"the", "words-file")]
    with pytest.raises(DataError, match="words-file: 1 words; Perplexity needs the word after each of the steps"):
        Perplexity(WORDS).evaluate(short, results([[0.0] * 4] * 2))
