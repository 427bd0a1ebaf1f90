"""DEQUANTIZE, QUANTIZE and CAST: values in another type."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from nnvet.generators.graphs.model import element_type
from nnvet.generators.random_graphs.draft import Draft
from nnvet.generators.random_graphs.operands import Quantization, random_quantization
from nnvet.generators.random_graphs.signature import signatures
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import type_info

_T = OperandType
_O = OperationType
_IDENTITIES: Final = (
    _T.TENSOR_BOOL8,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT8_ASYMM_SIGNED,
    _T.TENSOR_QUANT8_SYMM,
)
_BY_NAME: Final = {
    "float32": _T.TENSOR_FLOAT32,
    "float16": _T.TENSOR_FLOAT16,
    "quant8": _T.TENSOR_QUANT8_ASYMM,
    "int32": _T.TENSOR_INT32,
}


def _convert(draft: Draft, target: OperandType) -> None:
    source = draft.input(quantization=_scale_for(draft, draft.kind, target))
    draft.output(target, quantization=_scale_for(draft, target, draft.kind), reach=source.reach)


def _scale_for(draft: Draft, kind: OperandType, other: OperandType) -> Quantization | None:
    """Beside TENSOR_FLOAT16 scales are float16 numbers; otherwise any will do."""
    if other != _T.TENSOR_FLOAT16 or not type_info(kind).is_quantized:
        return None
    scale, zero_point = random_quantization(draft.chooser, kind)
    return float(np.float16(scale)), zero_point


def _cast(draft: Draft, target: OperandType | None = None) -> None:
    """Codes are cast as they are; what is too large becomes the largest of its type, or infinity."""
    source = draft.input()
    reach = float(np.iinfo(element_type(source.type)).max + 1) if source.scale else source.reach
    draft.output(target, reach=reach)


SIGNATURES: Final = (
    *(
        signature
        for name, target in list(_BY_NAME.items())[:2]
        for signature in signatures(
            _O.DEQUANTIZE,
            partial(_convert, target=target),
            variant=name,
            where={"O": target},
            without=(_T.TENSOR_QUANT8_SYMM_PER_CHANNEL,),
        )
    ),
    *(
        signature
        for target in (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
        for signature in signatures(_O.QUANTIZE, partial(_convert, target=target), where={"O": target})
    ),
    *(
        signature
        for name, target in _BY_NAME.items()
        for signature in signatures(
            _O.CAST, partial(_cast, target=target), range(1, 6), variant=name, where={"O": target}, only=(3,)
        )
    ),
    *(
        signature
        for target in _IDENTITIES
        for signature in signatures(
            _O.CAST,
            _cast,
            range(1, 6),
            variant=target.name.removeprefix("TENSOR_").lower(),
            where={"O": target},
            only=(4,),
        )
    ),
)
