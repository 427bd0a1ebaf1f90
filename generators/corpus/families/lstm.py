"""Spec files of LSTM and the sequence LSTMs.

Activation 0 and undocumented activations are left out, since drivers are known to differ there.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/recurrent_operands.py`` makes the
operands. ``corpus/writing.py`` calls :func:`files`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nnvet.generators.corpus import recurrent_operands
from nnvet.generators.corpus import recurrent_operands as cases
from nnvet.generators.corpus.emitter import ALL_FLOATS, FAILS, HALF, EmittedFile, SpecExample
from nnvet.oracle.operations import recurrent as oracle

Values = dict[str, Any]
"""Operands and settings of an example by name."""
PLAIN = recurrent_operands.CellOptions()
"""A cell without any option."""
CELLS = {
    "basic": PLAIN,
    "cifg": recurrent_operands.CellOptions(cifg=True),
    "peephole": recurrent_operands.CellOptions(peephole=True),
    "projection": recurrent_operands.CellOptions(projection=True),
    "cifg_peephole": recurrent_operands.CellOptions(cifg=True, peephole=True),
    "peephole_projection_bias": recurrent_operands.CellOptions(peephole=True, projection=True, projection_bias=True),
    "cifg_peephole_projection_bias": recurrent_operands.CellOptions(
        cifg=True, peephole=True, projection=True, projection_bias=True
    ),
}
"""Cells without layer normalisation, by the names of their examples."""
NORMALIZED = {
    "layer_norm": recurrent_operands.CellOptions(layer_norm=True),
    "layer_norm_cifg": recurrent_operands.CellOptions(layer_norm=True, cifg=True),
    "layer_norm_peephole_projection": recurrent_operands.CellOptions(layer_norm=True, peephole=True, projection=True),
    "layer_norm_cifg_peephole_projection_bias": recurrent_operands.CellOptions(
        layer_norm=True, cifg=True, peephole=True, projection=True, projection_bias=True
    ),
}
"""Cells with layer normalisation, which exist from HAL 1.2 on."""
BOTH = CELLS | NORMALIZED
"""Cells with and without layer normalisation."""
ACTIVATIONS = {"tanh": 4, "relu": 1, "relu6": 3, "sigmoid": 6}
"""Codes of the documented activations, by name."""
CLIPS = {"cell_clip": 0.25, "projection_clip": 0.125}
"""Limits so small that some numbers are clipped."""
NO_CLIPS = {"cell_clip": 0.0, "projection_clip": 0.0}
"""Limits of 0, which clip nothing."""
SIZES = recurrent_operands.Sizes(units=4, output=3)
"""Sizes of most examples; fewer outputs than units need a projection."""
ORDER = {
    "LSTM": oracle.LSTM_INPUTS,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": oracle.UNIDIRECTIONAL_LSTM_INPUTS,
    "BIDIRECTIONAL_SEQUENCE_LSTM": oracle.BIDIRECTIONAL_LSTM_INPUTS,
}
"""Names of the inputs of each operation, in order."""
LSTM_OUTPUTS = ("scratch", "output_state_out", "cell_state_out", "output")
"""Names of the outputs of LSTM, in order."""
SEQUENCE_OUTPUTS = ("output", "output_state_out", "cell_state_out")
"""Names of the outputs of UNIDIRECTIONAL_SEQUENCE_LSTM, in order; the states may be missing."""
STATE_OUTPUTS = tuple(f"{direction}_{name}" for direction in ("fw", "bw") for name in SEQUENCE_OUTPUTS[1:])
"""Names of the state outputs of BIDIRECTIONAL_SEQUENCE_LSTM, in order."""


def _rank(name: str) -> int:
    if name == "aux_input":
        return 3
    return 2 if ("_to_" in name and "cell_to_" not in name) or "projection_weights" in name else 1


def _example(
    name: str, operation: str, values: Values, results: list[Any], outputs: tuple[str, ...], **how: Any
) -> SpecExample:
    inputs = ORDER[operation]
    if operation == "LSTM" and all(values[operand] is None for operand in oracle.LAYER_NORM):
        inputs = inputs[:23]
    flags: Values = {key: bool(values[key]) for key in ("time_major", "merge_outputs") if key in values}
    values = {**values, **flags}
    gates = 3 if values.get("input_to_input_weights") is None else 4
    call = recurrent_operands.RecurrentCall(
        operation,
        {key: values[key] for key in inputs},
        dict(zip(outputs, results, strict=True)),
        {key: _rank(key) for key in inputs},
        recurrent_operands.SCALARS,
        ignored={"scratch": (SIZES.batch, gates * SIZES.units), **how.get("ignored", {})},
        by_request=how.get("by_request", False),
    )
    return call.example(name, how["variations"])


def _lstm(
    cells: dict[str, recurrent_operands.CellOptions],
    variations: str,
    codes: Iterable[str] = ("tanh",),
    *,
    by_request: bool = False,
) -> Iterator[SpecExample]:
    how = {"variations": variations, "by_request": by_request}
    for seed, (name, options) in enumerate(cells.items()):
        for clip, clips in (("", NO_CLIPS), ("_clip", CLIPS)):
            for code in codes:
                settings = {"activation": ACTIVATIONS[code], **clips}
                values = cases.lstm(recurrent_operands.Random(seed + 5), SIZES, options, **settings)
                yield _example(f"{name}_{code}{clip}", "LSTM", values, oracle.lstm(values), LSTM_OUTPUTS, **how)


def _unidirectional(names: Iterable[str], variations: str, *, states: bool) -> Iterator[SpecExample]:
    codes = list(ACTIVATIONS.items())
    count = 3 if states else 1
    for index, name in enumerate(names):
        code, number = codes[index % 4]
        major, clips = index % 2, CLIPS if index % 3 == 0 else NO_CLIPS
        settings: dict[str, Any] = {"activation": number, **clips, "time_major": major}
        values = cases.unidirectional_lstm(recurrent_operands.Random(index + 30), SIZES, BOTH[name], **settings)
        results = oracle.unidirectional_sequence_lstm(values)[:count]
        label = f"{name}_{code}_{'time' if major else 'batch'}_major"
        operation = "UNIDIRECTIONAL_SEQUENCE_LSTM"
        yield _example(label, operation, values, results, SEQUENCE_OUTPUTS[:count], variations=variations)


def _merged_beside_unused() -> Iterator[SpecExample]:
    """Yield calls that merge both directions into the first output, and leave the second output unwritten."""
    settings: dict[str, Any] = {"activation": 4, **NO_CLIPS, "time_major": 0, "merge_outputs": 1}
    values = cases.bidirectional_lstm(recurrent_operands.Random(70), SIZES, (PLAIN, PLAIN), "none", **settings)
    results = [oracle.bidirectional_sequence_lstm(values)[0], None]
    unused = {"bw_output": (SIZES.batch, SIZES.steps, SIZES.units)}
    yield _example(
        "merged_beside_unused",
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        values,
        results,
        ("output", "bw_output"),
        variations=HALF,
        ignored=unused,
    )


def _bidirectional(variations: str, *, states: bool) -> Iterator[SpecExample]:
    names, linkings = list(BOTH), ("none", "cross", "parallel")
    for index in range(12):
        name, linking, merge, major = names[index % len(names)], linkings[index % 3], index // 3 % 2, index // 2 % 2
        if linking == "cross" and BOTH[name].cifg:
            name = "layer_norm_peephole_projection"
        settings: dict[str, Any] = {"activation": 4, **(CLIPS if index % 4 == 0 else NO_CLIPS)}
        layout = {"time_major": major, "merge_outputs": merge}
        options = (BOTH[name], BOTH[name])
        values = cases.bidirectional_lstm(
            recurrent_operands.Random(index + 50), SIZES, options, linking, **settings, **layout
        )
        outputs = (*(("output",) if merge else ("fw_output", "bw_output")), *(STATE_OUTPUTS if states else ()))
        results = oracle.bidirectional_sequence_lstm(values)[: len(outputs)]
        label = f"{linking}_{name}_{'merged' if merge else 'apart'}_{'time' if major else 'batch'}_major"
        yield _example(label, "BIDIRECTIONAL_SEQUENCE_LSTM", values, results, outputs, variations=variations)


APART = recurrent_operands.Sizes(5, 6, 2, 2, 4, 3)
"""Sizes that all differ, so that an exchange of two of them shows."""
PROJECTED = recurrent_operands.CellOptions(peephole=True, projection=True, projection_bias=True)
"""A cell with peepholes and a projection."""


def _step_of_different_sizes(variations: str) -> Iterator[SpecExample]:
    """Yield one step with sizes that all differ, so that mistaking one size for another shows."""
    scratch = {"scratch": (APART.batch, 4 * APART.units)}
    step = cases.lstm(recurrent_operands.Random(80), APART, PROJECTED, activation=4, **NO_CLIPS)
    yield _example("step", "LSTM", step, oracle.lstm(step), LSTM_OUTPUTS, variations=variations, ignored=scratch)


def _sequences_of_different_sizes() -> Iterator[SpecExample]:
    """Yield sequences with sizes that all differ."""
    sizes, options = APART, PROJECTED
    layout: dict[str, Any] = {"activation": 4, **NO_CLIPS, "time_major": 0}
    forward = cases.unidirectional_lstm(recurrent_operands.Random(81), sizes, options, **layout)
    results = oracle.unidirectional_sequence_lstm(forward)[:1]
    yield _example("forward", "UNIDIRECTIONAL_SEQUENCE_LSTM", forward, results, ("output",), variations=HALF)
    both = cases.bidirectional_lstm(
        recurrent_operands.Random(82), sizes, (options, options), "cross", **layout, merge_outputs=0
    )
    results = oracle.bidirectional_sequence_lstm(both)[:2]
    outputs = ("fw_output", "bw_output")
    yield _example("both", "BIDIRECTIONAL_SEQUENCE_LSTM", both, results, outputs, variations=HALF)


FULL = recurrent_operands.CellOptions(peephole=True, projection=True, projection_bias=True, layer_norm=True)
"""A cell with all options."""
ROW = [0.5, 0.5, 0.5, 0.5]
"""A bias with a number for each unit."""
CHANGES: dict[str, tuple[recurrent_operands.CellOptions, Values]] = {
    "half_an_input_gate": (FULL, {"recurrent_to_input_weights": None}),
    "half_a_peephole": (FULL, {"cell_to_output_weights": None}),
    "bias_of_no_gate": (recurrent_operands.CellOptions(cifg=True), {"input_gate_bias": ROW}),
    "no_bias_of_a_gate": (PLAIN, {"input_gate_bias": None}),
    "half_a_layer_norm": (FULL, {"cell_layer_norm_weights": None}),
    "short_bias": (PLAIN, {"forget_gate_bias": ROW[:3]}),
    "short_peephole": (FULL, {"cell_to_forget_weights": ROW[:3]}),
    "short_layer_norm": (FULL, {"output_layer_norm_weights": ROW[:3]}),
}
"""Invalid examples by name: the options of the cell, and the inputs that are changed or missing (None)."""


def _failing(
    operation: str,
    prefix: str,
    build: Callable[[recurrent_operands.CellOptions, recurrent_operands.Sizes], Values],
    extra: Values,
) -> Iterator[SpecExample]:
    compute = {
        "LSTM": oracle.lstm,
        "UNIDIRECTIONAL_SEQUENCE_LSTM": oracle.unidirectional_sequence_lstm,
        "BIDIRECTIONAL_SEQUENCE_LSTM": oracle.bidirectional_sequence_lstm,
    }[operation]
    outputs = {"LSTM": LSTM_OUTPUTS, "UNIDIRECTIONAL_SEQUENCE_LSTM": ("output",)}.get(
        operation, ("output", "bw_output")
    )
    broken = {
        **{
            name: (options, {prefix + key: value for key, value in change.items()})
            for name, (options, change) in CHANGES.items()
        },
        **{name: (FULL, change) for name, change in extra.items()},
        **{name: (FULL, change) for name, change in cases.widened(build(FULL, SIZES)).items()},
    }
    for name, (options, change) in broken.items():
        # Without projection the output has the cell's size.
        square = replace(SIZES, output=SIZES.units) if name.endswith("of_no_projection") else SIZES
        sound = build(options, square)
        results = compute(sound)[: len(outputs)]
        yield _example(name, operation, {**sound, **change}, results, outputs, variations=FAILS)


def _failures() -> list[EmittedFile]:
    settings: dict[str, Any] = {"activation": 4, **NO_CLIPS}
    layout: dict[str, Any] = {**settings, "time_major": 1}
    negative: Values = {"negative_clip": {"cell_clip": -1.0}, "negative_projection_clip": {"projection_clip": -1.0}}

    def bidirectional(options: recurrent_operands.CellOptions, sizes: recurrent_operands.Sizes) -> Values:
        return cases.bidirectional_lstm(
            recurrent_operands.Random(0), sizes, (options, options), "cross", **layout, merge_outputs=0
        )

    crossed: Values = {
        **negative,
        "fw_bias_of_no_projection": {"fw_projection_weights": None},
        "bw_bias_of_no_projection": {"bw_projection_weights": None},
        "steps_of_auxiliary_input": {"aux_input": np.ones((SIZES.steps + 1, SIZES.batch, SIZES.aux)).tolist()},
        "batch_of_auxiliary_input": {"aux_input": np.ones((SIZES.steps, SIZES.batch + 1, SIZES.aux)).tolist()},
        "size_of_auxiliary_input": {"aux_input": np.ones((SIZES.steps, SIZES.batch, SIZES.aux + 1)).tolist()},
        "no_auxiliary_input": {"aux_input": None},
        "half_the_auxiliary_weights": {"bw_aux_input_to_cell_weights": None},
    }
    return [
        _file(
            "V1_2",
            "lstm_invalid",
            _failing(
                "LSTM",
                "",
                lambda options, sizes: cases.lstm(recurrent_operands.Random(0), sizes, options, **settings),
                negative,
            ),
        ),
        _file(
            "V1_2",
            "unidirectional_sequence_lstm_invalid",
            _failing(
                "UNIDIRECTIONAL_SEQUENCE_LSTM",
                "",
                lambda options, sizes: cases.unidirectional_lstm(
                    recurrent_operands.Random(0), sizes, options, **layout
                ),
                {},
            ),
        ),
        _file(
            "V1_2",
            "bidirectional_sequence_lstm_invalid",
            _failing("BIDIRECTIONAL_SEQUENCE_LSTM", "fw_", bidirectional, crossed),
        ),
    ]


def _file(folder: str, name: str, examples: Iterator[SpecExample]) -> EmittedFile:
    return EmittedFile(folder, name, list(examples))


def files() -> list[EmittedFile]:
    """Return every file of the family."""
    stateful = ("basic", "cifg_peephole", "projection", "layer_norm_cifg_peephole_projection_bias")
    return [
        _file("V1_0", "lstm_cells", _lstm(CELLS, "", by_request=True)),
        _file("V1_0", "lstm_activations", _lstm({"basic": PLAIN}, "", ACTIVATIONS, by_request=True)),
        _file("V1_2", "lstm_half", _lstm(CELLS, recurrent_operands.RELAXED_AND_HALF)),
        _file("V1_2", "lstm_layer_norm", _lstm(NORMALIZED, ALL_FLOATS)),
        _file("V1_2", "unidirectional_sequence_lstm_cells", _unidirectional(BOTH, HALF, states=False)),
        _file("V1_3", "unidirectional_sequence_lstm_states", _unidirectional(stateful, HALF, states=True)),
        _file("V1_2", "bidirectional_sequence_lstm_linking", _bidirectional(HALF, states=False)),
        _file("V1_2", "bidirectional_sequence_lstm_unused_output", _merged_beside_unused()),
        _file("V1_3", "bidirectional_sequence_lstm_states", _bidirectional("", states=True)),
        _file("V1_0", "lstm_different_sizes", _step_of_different_sizes("")),
        _file("V1_2", "lstm_different_sizes_half", _step_of_different_sizes(recurrent_operands.RELAXED_AND_HALF)),
        _file("V1_2", "sequence_lstm_different_sizes", _sequences_of_different_sizes()),
        *_failures(),
    ]
