"""EMBEDDING_LOOKUP, HASHTABLE_LOOKUP, LSH_PROJECTION, RANDOM_MULTINOMIAL: tables, hashes and draws.

Source: their pages in docs/contract/operations; kernels in ``reference_driver/kernels/lookup.py``.
"""

from __future__ import annotations

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Rule,
    Signature,
    ZeroSized,
    rows,
    single,
)
from nnvet.hal.operations.shapes import float_and_quant8, tensor


def _list(name: str, meaning: str, type_: str | OperandType = OperandType.TENSOR_INT32) -> Formal:
    return tensor(name, type_, 1, meaning)


def _found(call: Call) -> OutputSpec:
    """Infer an output with one row of the values for each lookup."""
    values = call["values"]
    return OutputSpec((*call["lookups"].dimensions, *values.dimensions[1:]), values.scale, values.zero_point)


EMBEDDING_LOOKUP = OperationDeclaration(
    type=OperationType.EMBEDDING_LOOKUP,
    summary="rows of a table by index",
    rows=single(
        float_and_quant8(3)
        | {OperandType.TENSOR_FLOAT32: 1, OperandType.TENSOR_INT32: 3, OperandType.TENSOR_FLOAT16: 4},
    ),
    signatures=(
        Signature(
            "lookup",
            (
                _list("lookups", "indices of rows"),
                tensor("values", "T", (2, None), "the table"),
            ),
        ),
    ),
    outputs=(Formal("output", "T", "the rows looked up"),),
    rules=(Rule("EMBEDDING_LOOKUP/lookups.values", "Indices lie in 0 … number of rows - 1."),),
    infer=lambda call: (_found(call),),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)

HASHTABLE_LOOKUP = OperationDeclaration(
    type=OperationType.HASHTABLE_LOOKUP,
    summary="rows of a table by key",
    rows=single(
        dict.fromkeys((OperandType.TENSOR_FLOAT32, OperandType.TENSOR_INT32, OperandType.TENSOR_QUANT8_ASYMM), 1)
    ),
    signatures=(
        Signature(
            "lookup",
            (
                _list("lookups", "keys of rows"),
                _list("keys", "key of each row, ascending"),
                tensor("values", "T", (1, None), "the table"),
            ),
        ),
    ),
    outputs=(
        Formal("output", "T", "the rows looked up; zero bytes where there is none"),
        Formal("hits", OperandType.TENSOR_QUANT8_ASYMM, "1 where there was a row, else 0"),
    ),
    infer=lambda call: (_found(call), OutputSpec(call["lookups"].dimensions, 1.0, 0)),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)

SPARSE_DEPRECATED, DENSE, SPARSE = 1, 2, 3
"""Projection types of LSH_PROJECTION, with their numbers from feature level 3 on."""

_FLOATS = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
_HASHED = (*_FLOATS, OperandType.TENSOR_INT32, OperandType.TENSOR_QUANT8_ASYMM)


def _projected(call: Call) -> tuple[OutputSpec, ...]:
    hashes, bits = call["hash"].dimensions
    return (OutputSpec((hashes * bits,) if call.scalar("type") == DENSE else (hashes,), 0.0, 0),)


LSH_PROJECTION = OperationDeclaration(
    type=OperationType.LSH_PROJECTION,
    summary="locality-sensitive hash of a tensor",
    rows=rows(
        *(
            (3 if OperandType.TENSOR_FLOAT16 in (hash_type, input_type) else 1, {"H": hash_type, "T": input_type})
            for hash_type in _FLOATS
            for input_type in _HASHED
        )
    ),
    signatures=(
        Signature(
            "projection",
            (
                tensor("hash", "H", 2, "seed of each bit: [hashes, bits]"),
                tensor("input", "T", (1, None), "hashed row by row"),
                tensor("weight", "H", 1, "weight of each row; for DENSE", omissible=True),
                Formal(
                    "type",
                    OperandType.INT32,
                    "1 SPARSE_DEPRECATED, 2 DENSE, 3 SPARSE",
                    values=(SPARSE_DEPRECATED, DENSE, SPARSE),
                ),
            ),
        ),
    ),
    outputs=(Formal("output", OperandType.TENSOR_INT32, "signatures: one for each hash, or one bit each"),),
    rules=(
        Rule(
            "LSH_PROJECTION/hash.bits",
            "A hash has at most 32 bits.",
            lambda call: call["hash"].dimensions[1] <= 32,
        ),
        Rule(
            "LSH_PROJECTION/type",
            "The projection type is 1, 2 or 3.",
            lambda call: call.scalar("type") in (SPARSE_DEPRECATED, DENSE, SPARSE),
        ),
        Rule(
            "LSH_PROJECTION/weight.type",
            "A DENSE projection has weights, a sparse one has none.",
            lambda call: call.has("weight") == (call.scalar("type") == DENSE),
        ),
        Rule(
            "LSH_PROJECTION/weight.length",
            "There is one weight for each row of the input.",
            lambda call: not call.has("weight") or call["weight"].dimensions == call["input"].dimensions[:1],
        ),
    ),
    infer=_projected,
    zero_sized=ZeroSized.FAILS,
)

RANDOM_MULTINOMIAL = OperationDeclaration(
    type=OperationType.RANDOM_MULTINOMIAL,
    summary="random draws from categorical distributions",
    rows=single(dict.fromkeys(_FLOATS, 3)),
    signatures=(
        Signature(
            "draw",
            (
                tensor("logits", "T", 2, "log-probabilities, not normalised: [batches, classes]"),
                Formal("samples", OperandType.INT32, "number of draws in each batch"),
                _list("seeds", "two seeds; both 0: results differ from run to run"),
            ),
        ),
    ),
    outputs=(Formal("output", OperandType.TENSOR_INT32, "classes drawn: [batches, samples]"),),
    rules=(
        Rule(
            "RANDOM_MULTINOMIAL/samples.value",
            "The number of draws is not negative.",
            lambda call: call.scalar("samples") >= 0,
        ),
        Rule(
            "RANDOM_MULTINOMIAL/seeds.length",
            "There are two seeds.",
            lambda call: call["seeds"].dimensions == (2,),
        ),
    ),
    infer=lambda call: (OutputSpec((call["logits"].dimensions[0], call.scalar("samples")), 0.0, 0),),
    zero_sized=ZeroSized.INVALID,
    omission_status=ErrorStatus.INVALID_ARGUMENT,
)
