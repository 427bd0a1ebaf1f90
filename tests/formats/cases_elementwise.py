"""Element-wise operators and changes of type."""

from __future__ import annotations

from typing import Any

from tests.formats.case_forms import Case, T, b, c, f, i32, pos, q, s, w, w8

SIG8: dict[str, Any] = {"scale": 1 / 256, "zp": 0}
NORM: dict[str, Any] = {"scale": 1 / 128, "zp": 128}

CASES = [
    *(
        Case(op, [f(2, 3), f(3)], [f(2, 3)], {"activation": code})
        for op in ("ADD", "SUB", "MUL", "DIV")
        for code in range(4)
    ),
    *(
        Case(op, [q(2, 3), q(1, 3, scale=0.1, zp=7)], [q(2, 3, scale=0.2, zp=90)], {"activation": 1})
        for op in ("ADD", "SUB", "MUL")
    ),
    *(Case(op, [s(2, 3), s(2, 3, scale=0.1, zp=7)], [s(2, 3, scale=0.2, zp=10)]) for op in ("ADD", "SUB", "MUL")),
    *(Case(op, [i32(2, 3), i32(2, 3)], [i32(2, 3)]) for op in ("ADD", "SUB", "MUL")),
    Case("ADD", [f(1, 2), c(2.5, "float32")], [f(1, 2)], name="scalar constant"),
    Case("ADD_N", [f(2, 3), f(2, 3), f(2, 3)], [f(2, 3)]),
    *(
        Case(op, [f(2, 3)], [f(2, 3)])
        for op in (
            "ABS",
            "NEG",
            "EXP",
            "FLOOR",
            "SIN",
            "ELU",
            "RELU",
            "RELU6",
            "RELU_N1_TO_1",
            "LOGISTIC",
            "TANH",
            "HARD_SWISH",
            "SQUARE",
            "LOG_SOFTMAX",
            "L2_NORMALIZATION",
        )
    ),
    *(Case(op, [pos(2, 3)], [f(2, 3)]) for op in ("LOG", "SQRT", "RSQRT")),
    *(Case(op, [q(2, 9)], [q(2, 9)]) for op in ("RELU", "RELU6", "RELU_N1_TO_1")),
    *(Case(op, [s(2, 9)], [s(2, 9)]) for op in ("RELU", "RELU6")),
    Case("LOGISTIC", [q(2, 9)], [q(2, 9, **SIG8)]),
    Case("LOGISTIC", [s(2, 9)], [s(2, 9, scale=1 / 256, zp=-128)]),
    Case("TANH", [q(2, 9)], [q(2, 9, **NORM)]),
    Case("TANH", [s(2, 9)], [s(2, 9, scale=1 / 128, zp=0)]),
    Case("HARD_SWISH", [q(2, 9)], [q(2, 9, scale=0.04, zp=20)]),
    Case("HARD_SWISH", [s(2, 9)], [s(2, 9, scale=0.04, zp=20)]),
    Case("LEAKY_RELU", [f(2, 3)], [f(2, 3)], {"alpha": 0.1}),
    Case("LEAKY_RELU", [q(2, 9)], [q(2, 9, scale=0.04, zp=20)], {"alpha": 0.1}),
    Case("LEAKY_RELU", [s(2, 9)], [s(2, 9, scale=0.04, zp=20)], {"alpha": 0.3}),
    Case("PRELU", [f(1, 2, 3, 2), w(1, 1, 2)], [f(1, 2, 3, 2)]),
    Case("PRELU", [q(1, 2, 3, 2), w8(1, 1, 2, scale=0.01, zero_point=100)], [q(1, 2, 3, 2, scale=0.06, zp=99)]),
    Case("POW", [pos(2, 3), f(2, 3)], [f(2, 3)]),
    Case("SQUARED_DIFFERENCE", [f(2, 3), f(1, 3)], [f(2, 3)]),
    Case("FLOOR_DIV", [f(2, 3), pos(2, 3)], [f(2, 3)]),
    Case("FLOOR_DIV", [i32(2, 3), c([[3, -4, 5]])], [i32(2, 3)]),
    *(Case(op, [f(2, 3), f(2, 3)], [f(2, 3)]) for op in ("MAXIMUM", "MINIMUM")),
    *(Case(op, [q(2, 3), q(1, 3)], [q(2, 3)], codes=0) for op in ("MAXIMUM", "MINIMUM")),
    *(
        Case(op, [f(2, 3), f(1, 3)], [b(2, 3)])
        for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    ),
    *(Case(op, [i32(2, 30), i32(2, 30)], [b(2, 30)]) for op in ("EQUAL", "LESS")),
    *(Case(op, [q(2, 30), q(2, 30)], [b(2, 30)]) for op in ("NOT_EQUAL", "GREATER")),
    *(Case(op, [b(2, 3), b(2, 3)], [b(2, 3)]) for op in ("LOGICAL_AND", "LOGICAL_OR")),
    Case("LOGICAL_NOT", [b(2, 3)], [b(2, 3)]),
    Case("SELECT", [b(2, 3), f(2, 3), f(2, 3)], [f(2, 3)]),
    Case("SELECT_V2", [b(2, 3), q(2, 3), q(2, 3)], [q(2, 3)], codes=0),
    Case("CAST", [i32(2, 3)], [f(2, 3)], {"in_data_type": 2, "out_data_type": 0}),
    Case("CAST", [f(2, 3)], [i32(2, 3)], {"in_data_type": 0, "out_data_type": 2}),
    Case("QUANTIZE", [f(2, 3)], [q(2, 3)]),
    Case("QUANTIZE", [f(2, 3)], [s(2, 3)]),
    Case("QUANTIZE", [q(2, 9)], [s(2, 9, scale=0.05, zp=-8)], codes=0, version=2, name="shifted"),
    Case("DEQUANTIZE", [q(2, 3)], [f(2, 3)]),
    Case("DEQUANTIZE", [s(2, 3)], [f(2, 3)], version=2),
    Case("DEQUANTIZE", [T((2, 3), "float16")], [f(2, 3)], version=3, name="computed float16"),
]
