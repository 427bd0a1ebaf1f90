"""Recurrent operators, with their states in variable tensors."""

from __future__ import annotations

from tests.formats.case_forms import Case, T, f, state, w

U = 5
O_ = 4


def lstm_weights(*, cifg: bool, peephole: bool, projection: bool, inputs: int = 3) -> list[T | None]:
    """Inputs 1 to 19 of an LSTM of 5 units; 4 outputs with projection."""
    out = O_ if projection else U
    first = None if cifg else w(U, inputs, seed=11)
    recurrent = None if cifg else w(U, out, seed=12)
    peepholes: list[T | None] = [None if cifg else w(U, seed=13), w(U, seed=14), w(U, seed=15)]
    return [
        first,
        *(w(U, inputs, seed=20 + n) for n in range(3)),
        recurrent,
        *(w(U, out, seed=30 + n) for n in range(3)),
        *(peepholes if peephole else [None] * 3),
        None if cifg else w(U, seed=40),
        *(w(U, seed=41 + n) for n in range(3)),
        w(O_, U, seed=50) if projection else None,
        w(O_, seed=51) if projection else None,
        state(1, out),
        state(1, U),
    ]


LSTM = {"activation": 4, "cell_clip": 0.8, "proj_clip": 0.3}
BIDI = [*lstm_weights(cifg=False, peephole=False, projection=False)[:17]]

CASES = [
    Case("RNN", [f(1, 3), w(4, 3), w(4, 4), w(4), state(1, 4)], [f(1, 4)], {"activation": 4}),
    Case(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4)],
        [f(1, 6, 4)],
        {"activation": 1},
    ),
    Case(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        [f(6, 1, 3), w(4, 3), w(4, 4), w(4), state(1, 4)],
        [f(6, 1, 4)],
        {"activation": 4, "time_major": True},
        name="time major",
    ),
    Case(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4), w(2, 3), w(2, 2), w(2), state(1, 2), None, None, None],
        [f(1, 6, 4), f(1, 6, 2)],
        {"activation": 4},
    ),
    Case(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        [f(1, 6, 3), w(4, 3), w(4, 4), w(4), state(1, 4), w(2, 3), w(2, 2), w(2), state(1, 2), None, None, None],
        [f(1, 6, 6)],
        {"activation": 4, "merge_outputs": True},
        name="merged",
    ),
    Case("SVDF", [f(2, 3), w(4, 3), w(4, 5), w(2), state(2, 20)], [f(2, 2)], {"rank": 2, "activation": 1}),
    *(
        Case(
            "LSTM",
            [f(1, 3), *lstm_weights(cifg=cifg, peephole=peephole, projection=projection)],
            [f(1, O_ if projection else U)],
            LSTM,
            name=f"cifg={cifg} peephole={peephole} projection={projection}",
        )
        for cifg in (False, True)
        for peephole in (False, True)
        for projection in (False, True)
    ),
    Case(
        "LSTM",
        [f(1, 3), *lstm_weights(cifg=False, peephole=True, projection=True), *(w(U, seed=60 + n) for n in range(4))],
        [f(1, O_)],
        LSTM,
        name="layer norm",
    ),
    Case(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [f(1, 6, 3), *lstm_weights(cifg=False, peephole=False, projection=True)],
        [f(1, 6, O_)],
        LSTM,
    ),
    Case(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [f(6, 1, 3), *lstm_weights(cifg=True, peephole=True, projection=False)],
        [f(6, 1, U)],
        {**LSTM, "time_major": True},
        name="time major",
    ),
    Case(
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        [f(6, 1, 3), *BIDI, *BIDI, state(1, U), state(1, U), state(1, U), state(1, U), *[None] * 9],
        [f(6, 1, U), f(6, 1, U)],
        LSTM,
    ),
    Case(
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        [f(6, 1, 3), *BIDI, *BIDI, state(1, U), state(1, U), state(1, U), state(1, U), *[None] * 9],
        [f(6, 1, 2 * U)],
        {**LSTM, "merge_outputs": True},
        name="merged",
    ),
]
