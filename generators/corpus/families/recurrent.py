"""Spec files of RNN, SVDF and the sequence RNNs.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/recurrent_operands.py`` makes the
operands. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.emitter import FAILS, HALF, EmittedFile, SpecExample
from nnvet.generators.corpus.recurrent_operands import RELAXED_AND_HALF, SCALARS, Random, RecurrentCall, Sizes
from nnvet.oracle.operations import recurrent as oracle

ACTIVATIONS = {"none": 0, "relu": 1, "relu6": 3, "tanh": 4, "sigmoid": 6}
"""Codes of the activations of RNNs, by name."""
SVDF_ACTIVATIONS = {**ACTIVATIONS, "relu1": 2}
"""Codes of the activations of SVDF, by name."""
ENDS = {2: (-1.0, 1.0), 3: (6.0,)}
"""Values other than zero at which activations clip."""
LINKINGS = ("none", "cross", "parallel")
"""Ways of feeding auxiliary inputs to both directions: none, cross-linked layers, or parallel ones."""
EQUAL_SIZES = Sizes(aux=2)
"""Sizes with an auxiliary input as large as the input; the reference computes others wrongly."""
RANKS = {"bias": 1, "aux_input": 3, "fw_aux_weights": 2, "bw_aux_weights": 2}
"""Ranks of inputs that may be omitted."""


def _example(
    name: str, operation: str, values: dict[str, Any], results: list[Any], outputs: tuple[str, ...], **how: Any
) -> SpecExample:
    order = _ORDER[operation]
    scalars = {**SCALARS, "time_major": "Int32Scalar"} if operation == "UNIDIRECTIONAL_SEQUENCE_RNN" else SCALARS
    if operation == "BIDIRECTIONAL_SEQUENCE_RNN":
        values = {**values, "time_major": bool(values["time_major"]), "merge_outputs": bool(values["merge_outputs"])}
    call = RecurrentCall(
        operation,
        {key: values[key] for key in order},
        dict(zip(outputs, results, strict=True)),
        RANKS,
        scalars,
        by_request=how.get("by_request", False),
    )
    return call.example(name, how["variations"])


_ORDER = {
    "RNN": oracle.RNN_INPUTS,
    "SVDF": oracle.SVDF_INPUTS,
    "UNIDIRECTIONAL_SEQUENCE_RNN": oracle.UNIDIRECTIONAL_RNN_INPUTS,
    "BIDIRECTIONAL_SEQUENCE_RNN": oracle.BIDIRECTIONAL_RNN_INPUTS,
}
"""Names of the inputs of each operation, in order."""
RNN_OUTPUTS = ("hidden_state_out", "output")
"""Names of the outputs of RNN, in order."""
BIDIRECTIONAL_STATES = ("fw_hidden_state_out", "bw_hidden_state_out")
"""Names of the state outputs of BIDIRECTIONAL_SEQUENCE_RNN, in order."""
SVDF_OUTPUTS = ("state_out", "output")
"""Names of the outputs of SVDF, in order."""


def _varied(
    build: Callable[[Random], dict[str, Any]], compute: Callable[[dict[str, Any]], list[Any]]
) -> dict[str, Any]:
    """Return operands whose output is mostly not zero, and with RELU1 and RELU6 reaches the ends that are not zero."""
    for seed in range(1000):
        values = build(Random(seed))
        ends = ENDS.get(values["activation"], ())
        if ends:
            values["input"] = (np.array(values["input"]) * 8).tolist()
        output = np.concatenate([np.ravel(result) for result in compute(values)])
        if np.mean(output != 0) >= 0.5 and all(end in output for end in ends):
            return values
    raise ValueError("no seed gives varied outputs")


def _rnn(variations: str) -> Iterator[SpecExample]:
    for name, code in ACTIVATIONS.items():
        values = _varied(partial(cases.rnn, sizes=Sizes(), activation=code), oracle.rnn)
        yield _example(name, "RNN", values, oracle.rnn(values), RNN_OUTPUTS, variations=variations)
    apart = _varied(partial(cases.rnn, sizes=Sizes(batch=5, units=4), activation=4), oracle.rnn)
    yield _example("different_sizes", "RNN", apart, oracle.rnn(apart), RNN_OUTPUTS, variations=variations)
    ones = cases.rnn(Random(9), Sizes(1, 1, 1, 1, 1, 1), 4)
    yield _example("sizes_of_one", "RNN", ones, oracle.rnn(ones), RNN_OUTPUTS, variations=variations)


def _svdf(variations: str, *, by_request: bool) -> Iterator[SpecExample]:
    how = {"variations": variations, "by_request": by_request}
    for index, (name, code) in enumerate(SVDF_ACTIVATIONS.items()):
        build = partial(cases.svdf, sizes=Sizes(), rank=1 + index % 3, activation=code, bias=index % 2 == 0)
        values = _varied(build, lambda values: oracle.svdf(values)[1:])
        yield _example(name, "SVDF", values, oracle.svdf(values), SVDF_OUTPUTS, **how)
    build = partial(cases.svdf, sizes=Sizes(batch=5, units=4), rank=3, activation=4, bias=True)
    apart = _varied(build, lambda values: oracle.svdf(values)[1:])
    yield _example("different_sizes", "SVDF", apart, oracle.svdf(apart), SVDF_OUTPUTS, **how)
    ones = cases.svdf(Random(29), Sizes(1, 1, 1, 1, 1, 1), 1, 4, bias=True)
    yield _example("sizes_of_one", "SVDF", ones, oracle.svdf(ones), SVDF_OUTPUTS, **how)


def _unidirectional(variations: str, *, states: bool) -> Iterator[SpecExample]:
    outputs = ("output", "hidden_state_out")[: 1 + states]
    sizes = (Sizes(), Sizes(1, 1, 1, 1, 1, 1), Sizes(batch=1, steps=4, input=3, units=2))
    for index, (name, code) in enumerate(ACTIVATIONS.items()):
        for major in (0, 1):
            build = partial(cases.unidirectional_rnn, sizes=sizes[index % 3], activation=code, time_major=major)
            values = _varied(build, oracle.unidirectional_sequence_rnn)
            results = oracle.unidirectional_sequence_rnn(values)[: 1 + states]
            label = f"{name}_{'time' if major else 'batch'}_major"
            yield _example(label, "UNIDIRECTIONAL_SEQUENCE_RNN", values, results, outputs, variations=variations)


def _bidirectional(variations: str, *, states: bool) -> Iterator[SpecExample]:
    codes = list(ACTIVATIONS.values())
    for index in range(12):
        linking, merge, major = LINKINGS[index % 3], index // 3 % 2, index // 6
        settings: dict[str, Any] = {
            "activation": codes[index % len(codes)],
            "time_major": major,
            "merge_outputs": merge,
        }
        build = partial(cases.bidirectional_rnn, sizes=EQUAL_SIZES, linking=linking, **settings)
        values = _varied(build, oracle.bidirectional_sequence_rnn)
        results = oracle.bidirectional_sequence_rnn(values)
        outputs = (*(("output",) if merge else ("fw_output", "bw_output")), *(BIDIRECTIONAL_STATES if states else ()))
        label = f"{linking}_{'merged' if merge else 'apart'}_{'time' if major else 'batch'}_major"
        results = results[: len(outputs)]
        yield _example(label, "BIDIRECTIONAL_SEQUENCE_RNN", values, results, outputs, variations=variations)


def _failing(
    operation: str, build: Callable[[], dict[str, Any]], changes: dict[str, dict[str, Any]]
) -> Iterator[SpecExample]:
    """Yield an example broken in one place after the other; the expected values are those of the valid example."""
    results = {
        "RNN": oracle.rnn,
        "SVDF": oracle.svdf,
        "UNIDIRECTIONAL_SEQUENCE_RNN": oracle.unidirectional_sequence_rnn,
        "BIDIRECTIONAL_SEQUENCE_RNN": oracle.bidirectional_sequence_rnn,
    }[operation](build())
    outputs = {"RNN": RNN_OUTPUTS, "SVDF": SVDF_OUTPUTS}.get(operation, ("output", "bw_output"))
    count = 1 if operation == "UNIDIRECTIONAL_SEQUENCE_RNN" else 2
    for name, change in (changes | cases.widened(build())).items():
        expected = [*results[:count]]
        if "merge_outputs" in change:
            # The first output is both, as wide as merged ones are.
            merged = [[[*a, *b] for a, b in zip(*steps, strict=True)] for steps in zip(*expected, strict=True)]
            expected = [merged, expected[1]]
        yield _example(name, operation, {**build(), **change}, expected, outputs[:count], variations=FAILS)


def _short(*dimensions: int) -> Any:
    return cases.numbers(Random(1), *dimensions)


def _file(folder: str, name: str, *parts: Iterator[SpecExample]) -> EmittedFile:
    return EmittedFile(folder, name, [example for part in parts for example in part])


def _failures() -> list[EmittedFile]:
    settings: dict[str, Any] = {"activation": 4, "time_major": 1, "merge_outputs": 0}
    rnn = _failing(
        "RNN",
        lambda: cases.rnn(Random(0), Sizes(), 4),
        {
            "weights": {"weights": _short(3, 3)},
            "recurrent_weights": {"recurrent_weights": _short(3, 2)},
            "hidden_state": {"hidden_state_in": _short(3, 3)},
            "bias": {"bias": _short(2)},
        },
    )
    svdf = _failing(
        "SVDF",
        lambda: cases.svdf(Random(0), Sizes(), 2, 0, bias=True),
        {
            "rank": {"rank": 4},
            "no_rank": {"rank": 0},
            "negative_rank": {"rank": -2},
            "bias": {"bias": _short(2)},
            "time_weights": {"time_weights": _short(5, 3)},
            "state": {"state_in": _short(3, 3)},
        },
    )
    unidirectional = _failing(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        lambda: cases.unidirectional_rnn(Random(0), Sizes(), 4, time_major=1),
        {"time_major": {"time_major": 2}, "hidden_state": {"hidden_state_in": _short(2, 2)}},
    )
    bidirectional = _failing(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        lambda: cases.bidirectional_rnn(Random(0), EQUAL_SIZES, "cross", **settings),
        {"linking": {"bw_aux_weights": None}, "merging": {"merge_outputs": 1}, "steps": {"aux_input": _short(2, 2, 2)}},
    )
    return [
        _file("V1_0", "rnn_invalid", rnn),
        _file("V1_0", "svdf_invalid", svdf),
        _file("V1_2", "unidirectional_sequence_rnn_invalid", unidirectional),
        _file("V1_2", "bidirectional_sequence_rnn_invalid", bidirectional),
    ]


def files() -> list[EmittedFile]:
    """Return every file of the family."""
    return [
        _file("V1_0", "rnn_activations", _rnn("")),
        _file("V1_2", "rnn_half", _rnn(RELAXED_AND_HALF)),
        _file("V1_0", "svdf_activations", _svdf("", by_request=True)),
        _file("V1_2", "svdf_half", _svdf(RELAXED_AND_HALF, by_request=False)),
        _file("V1_2", "unidirectional_sequence_rnn_layouts", _unidirectional(HALF, states=False)),
        _file("V1_3", "unidirectional_sequence_rnn_state", _unidirectional(HALF, states=True)),
        _file("V1_2", "bidirectional_sequence_rnn_linking", _bidirectional(HALF, states=False)),
        _file("V1_3", "bidirectional_sequence_rnn_states", _bidirectional("", states=True)),
        *_failures(),
    ]
