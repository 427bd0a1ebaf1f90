"""First level of each operand type of the operations that move data, written down independently of the declarations."""

from __future__ import annotations

from nnvet.hal.enums import OperandType as T
from nnvet.hal.enums import OperationType as O

F32, F16, Q8, Q8S, I32 = (
    T.TENSOR_FLOAT32,
    T.TENSOR_FLOAT16,
    T.TENSOR_QUANT8_ASYMM,
    T.TENSOR_QUANT8_ASYMM_SIGNED,
    T.TENSOR_INT32,
)

LEVELS: dict[O, dict[T, int]] = {
    O.RESHAPE: {F32: 1, F16: 3, Q8: 1, Q8S: 4, I32: 6},
    O.SQUEEZE: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.EXPAND_DIMS: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.TRANSPOSE: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.RANK: {F32: 4, F16: 4, Q8: 4, Q8S: 4, I32: 4, T.TENSOR_BOOL8: 4, T.TENSOR_QUANT16_SYMM: 4},
    O.CONCATENATION: {F32: 1, F16: 3, Q8: 1, Q8S: 4},
    O.PACK: {F32: 6, F16: 6, Q8: 6, Q8S: 6, I32: 6},
    O.SPLIT: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.TILE: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.FILL: {F32: 4, F16: 4, I32: 4},
    O.REVERSE: {F32: 7, F16: 7, Q8: 7, Q8S: 7, I32: 7},
    O.PAD: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.PAD_V2: {F32: 3, F16: 3, Q8: 3, Q8S: 4},
    O.MIRROR_PAD: {F32: 7, F16: 7, Q8: 7, Q8S: 7, I32: 7},
    O.SLICE: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.STRIDED_SLICE: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.GATHER: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.TOPK_V2: {F32: 3, F16: 3, Q8: 3, Q8S: 4, I32: 3},
    O.DEPTH_TO_SPACE: {F32: 1, F16: 3, Q8: 1, Q8S: 4},
    O.SPACE_TO_DEPTH: {F32: 1, F16: 3, Q8: 1, Q8S: 4},
    O.BATCH_TO_SPACE_ND: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.SPACE_TO_BATCH_ND: {F32: 2, F16: 3, Q8: 2, Q8S: 4},
    O.CHANNEL_SHUFFLE: {F32: 3, F16: 3, Q8: 3, Q8S: 4},
    O.EMBEDDING_LOOKUP: {F32: 1, F16: 4, Q8: 3, Q8S: 4, I32: 3},
    O.HASHTABLE_LOOKUP: {F32: 1, Q8: 1, I32: 1},
    O.LSH_PROJECTION: {F32: 1, F16: 3, Q8: 1, I32: 1},
    O.RANDOM_MULTINOMIAL: {F32: 3, F16: 3},
    O.RESIZE_BILINEAR: {F32: 1, F16: 3, Q8: 3, Q8S: 4},
    O.RESIZE_NEAREST_NEIGHBOR: {F32: 3, F16: 3, Q8: 3, Q8S: 4},
}
