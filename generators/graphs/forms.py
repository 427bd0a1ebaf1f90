"""Other forms of a test model: signed codes, outputs of unknown size, other results. The original stays as it is.

Source: docs/contract/spec-format.md 11.
"""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.editor import map_operands, with_operands
from nnvet.generators.graphs.model import Array, TestModel, TestOperand
from nnvet.hal.types import OperandLifeTime, OperandType


def convert_quant8_asymm_operands_to_signed(model: TestModel) -> TestModel:
    """The same test over TENSOR_QUANT8_ASYMM_SIGNED: zero points and bytes of TENSOR_QUANT8_ASYMM less 128."""

    def signed(operand: TestOperand) -> TestOperand:
        if operand.type != OperandType.TENSOR_QUANT8_ASYMM:
            return operand
        data = None if operand.data is None else (operand.data.astype(np.int16) - 128).astype(np.int8)
        zero_point = operand.zero_point - 128
        return replace(operand, type=OperandType.TENSOR_QUANT8_ASYMM_SIGNED, zero_point=zero_point, data=data)

    return map_operands(model, signed)


def with_unknown_output_dimensions(model: TestModel, *, referenced: bool = False) -> TestModel:
    """Dynamic output shape form: every dimension of every output 0, the rank kept.

    Only the main outputs, as in VTS; with ``referenced`` those of referenced subgraphs too, as in CTS.
    """

    def unknown(operand: TestOperand) -> TestOperand:
        if operand.lifetime != OperandLifeTime.SUBGRAPH_OUTPUT:
            return operand
        return replace(operand, dimensions=(0,) * len(operand.dimensions))

    everywhere = map_operands(model, unknown)
    return everywhere if referenced else replace(everywhere, referenced=model.referenced)


def with_expected_outputs(model: TestModel, results: Sequence[Array]) -> TestModel:
    """The test with other expected results: flat arrays of the outputs' element types, in output order."""
    main = model.main
    pairs = zip(main.output_indexes, results, strict=True)
    changed = {index: replace(main.operands[index], data=result) for index, result in pairs}
    return replace(model, main=with_operands(main, changed))
