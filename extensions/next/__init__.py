"""The extension ``nnvet.next``: operations that today's networks are made of, and that the contract lacks.

``NNVET_EXTENSIONS=nnvet.extensions.next`` makes it known. Semantics are those of ONNX; docs/next.md has a table. Each
operation has a declaration, a meaning, a generator of operands and a kernel, in modules that mirror each other; its
error bounds follow from its meaning; float16 is computed in float32, and stored as float16.
"""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import bounds, codes, declarations, kernels, meanings, operands
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.oracle.bounds.following import BY_WIDE_MEANING

NEXT: Final = ExtensionDeclaration(
    name=codes.NAME,
    operand_types=(),
    operations=declarations.DECLARATIONS,
    meanings=meanings.MEANINGS,
    bounds={operation.type: BY_WIDE_MEANING for operation in declarations.DECLARATIONS} | dict(bounds.RULES),
    generators=operands.GENERATORS,
    kernels=kernels.KERNELS,
    claims={
        "onnxruntime": "nnvet.extensions.next.onnx_claims",
        "torch": "nnvet.extensions.next.torch_claims",
    },
)
