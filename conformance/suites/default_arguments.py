"""Suite ``TestRemoveDefaultArguments``: an optional argument with its default value changes nothing.

CTS lets the runtime strip such arguments and counts those that arrive at the driver. Here the driver gets both forms of
a model, for every operation with optional arguments, and must compute the same. :func:`longer_forms` adds default
values to a test, as the declarations of the operations give them. :func:`shortest_forms` has tiny models without any of
them; no expected values are needed, since the two forms are compared with each other.

Source: docs/contract/cts-tests.md 2.12, and the pages of the operations in docs/contract/operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.conformance.kit.checks import check
from nnvet.conformance.kit.executing import basic_config, execute
from nnvet.conformance.kit.judging import check_answer, precision_rules
from nnvet.conformance.kit.outcome import Outcome, fail, passed, unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.specs import SpecCase
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import map_operands, with_added, with_operation
from nnvet.graphs.model import TestModel, TestOperand, TestOperation, TestSubgraph, element_type
from nnvet.hal.extensions import every_declaration
from nnvet.hal.operations.binding import bind
from nnvet.hal.operations.declaration import Argument, Call, Formal
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType

DEFAULTS: Final = {
    "layout": 0,
    "dilation_width": 1,
    "dilation_height": 1,
    "align_corners": 0,
    "half_pixel_centers": 0,
    "axis": -1,
}
"""Default values of optional arguments, by name of the formal operand."""


def longer_forms(test: TestModel, level: int) -> Iterator[tuple[str, TestModel]]:
    """Yield forms of a test in which one operation has more arguments, each with a description of the change.

    ``level`` is the highest feature level that an argument may need. This also works on tests without data.
    """
    for position, operation in enumerate(test.main.operations):
        call = _bind_optional(test.main, operation)
        if call is None:
            continue
        given = len(operation.inputs)
        for length in call.signature.lengths:
            added = call.signature.inputs[given:length]
            if added and all(formal.level <= level for formal in added):
                names = ", ".join(formal.name for formal in added)
                what = f"{call.declaration.name} with {length} inputs, not {given}: {names}"
                yield (
                    what,
                    replace(
                        test,
                        main=_add_arguments(test.main, position, [_make_default(formal, call) for formal in added]),
                    ),
                )


def _bind_optional(subgraph: TestSubgraph, operation: TestOperation) -> Call | None:
    """Return the call of an operation that may have optional arguments; None for any other operation."""
    declaration = every_declaration().get(operation.type)
    if declaration is None or not any(signature.lengths for signature in declaration.signatures):
        return None
    inputs, outputs = (
        [Argument(subgraph.operands[index].type, subgraph.operands[index].dimensions) for index in indexes]
        for indexes in (operation.inputs, operation.outputs)
    )
    return bind(declaration, inputs, outputs)


def _make_default(formal: Formal, call: Call) -> TestOperand:
    """Return a constant with the default value of an optional argument, or without value if it may be omitted."""
    kind = OperandType(call.row.types[formal.type] if isinstance(formal.type, str) else formal.type)
    if formal.omissible:
        return TestOperand(kind, (0,), lifetime=OperandLifeTime.CONSTANT_COPY, data=np.empty(0, element_type(kind)))
    data = np.array([DEFAULTS[formal.name]], element_type(kind))
    return TestOperand(kind, lifetime=OperandLifeTime.CONSTANT_COPY, data=data)


def _add_arguments(subgraph: TestSubgraph, position: int, arguments: list[TestOperand]) -> TestSubgraph:
    """Return the subgraph with more arguments for one operation."""
    first, old = len(subgraph.operands), subgraph.operations[position]
    longer = replace(old, inputs=(*old.inputs, *range(first, first + len(arguments))))
    return with_operation(with_added(subgraph, *arguments), position, longer)


_FLOAT: Final = OperandType.TENSOR_FLOAT32
_INT32, _FLOAT32, _BOOL = OperandType.INT32, OperandType.FLOAT32, OperandType.BOOL
_VECTOR: Final = OperandType.TENSOR_INT32
_SAME: Final = 1
"""Padding scheme with which the output is as large as the image."""
_OUTPUT: Final = OperandLifeTime.SUBGRAPH_OUTPUT
_IMAGE: Final = (1, 4, 4, 4)
"""Dimensions of the input of every model: batch, height, width, channels."""
_O = OperationType

_Arguments = tuple[tuple[int, tuple[int, ...], object], ...]
"""Type, dimensions and values of each argument."""


def _list_scalars(*values: float) -> _Arguments:
    """Return constant scalars as arguments, of type FLOAT32 or INT32."""
    return tuple((_FLOAT32 if isinstance(value, float) else _INT32, (), [value]) for value in values)


def _list_vectors(*values: Any) -> _Arguments:
    """Return constant vectors of whole numbers as arguments."""
    return tuple((_VECTOR, np.shape(value), value) for value in values)


_PADS: Final = _list_scalars(0, 0, 1, 1)
"""Explicit padding left, right, above and below: one row above and one below."""
_WINDOW: Final = _list_scalars(1, 1, 2, 2, 0)
"""Strides 1, a window of 2 by 2, no activation."""
_FILTER: Final = ((_FLOAT, (2, 2, 2, 4), np.arange(32) / 8), (_FLOAT, (2,), [0.5, -1]))
"""Filter and bias of CONV_2D with two output channels."""
_DEPTHWISE: Final = ((_FLOAT, (1, 2, 2, 4), np.arange(16) / 8), (_FLOAT, (4,), [0.5, -1, 0, 2]))
"""Filter and bias of DEPTHWISE_CONV_2D."""

_FORMS: Final[dict[str, tuple[OperationType, _Arguments, tuple[int, ...]]]] = {
    **{
        f"{operation.name}/{padding}": (operation, (*pads, *_WINDOW), output)
        for operation in (_O.AVERAGE_POOL_2D, _O.MAX_POOL_2D, _O.L2_POOL_2D)
        for padding, pads, output in (
            ("explicit", _PADS, (1, 5, 3, 4)),
            ("implicit", _list_scalars(_SAME), (1, 4, 4, 4)),
        )
    },
    "CONV_2D/explicit": (_O.CONV_2D, (*_FILTER, *_PADS, *_list_scalars(1, 1, 0)), (1, 5, 3, 2)),
    "CONV_2D/implicit": (_O.CONV_2D, (*_FILTER, *_list_scalars(_SAME, 1, 1, 0)), (1, 4, 4, 2)),
    "DEPTHWISE_CONV_2D/explicit": (
        _O.DEPTHWISE_CONV_2D,
        (*_DEPTHWISE, *_PADS, *_list_scalars(1, 1, 1, 0)),
        (1, 5, 3, 4),
    ),
    "DEPTHWISE_CONV_2D/implicit": (_O.DEPTHWISE_CONV_2D, (*_DEPTHWISE, *_list_scalars(_SAME, 1, 1, 1, 0)), _IMAGE),
    "DEPTH_TO_SPACE": (_O.DEPTH_TO_SPACE, _list_scalars(2), (1, 8, 8, 1)),
    "SPACE_TO_DEPTH": (_O.SPACE_TO_DEPTH, _list_scalars(2), (1, 2, 2, 16)),
    "SPACE_TO_BATCH_ND": (_O.SPACE_TO_BATCH_ND, _list_vectors([2, 2], [[0, 0], [0, 0]]), (4, 2, 2, 4)),
    "BATCH_TO_SPACE_ND": (_O.BATCH_TO_SPACE_ND, _list_vectors([1, 1]), _IMAGE),
    "SOFTMAX": (_O.SOFTMAX, _list_scalars(1.0), _IMAGE),
    "L2_NORMALIZATION": (_O.L2_NORMALIZATION, (), _IMAGE),
    "LOCAL_RESPONSE_NORMALIZATION": (_O.LOCAL_RESPONSE_NORMALIZATION, _list_scalars(1, 1.0, 0.5, 0.5), _IMAGE),
    "RESIZE_BILINEAR": (_O.RESIZE_BILINEAR, _list_scalars(3, 5), (1, 5, 3, 4)),
    "RESIZE_NEAREST_NEIGHBOR": (_O.RESIZE_NEAREST_NEIGHBOR, (*_list_scalars(3, 5), (_BOOL, (), [0])), (1, 5, 3, 4)),
}
"""Operations, each with its arguments after the image, and the dimensions of its output."""


def shortest_forms() -> Iterator[tuple[str, TestModel]]:
    """Return a model of each operation with optional arguments, without any of them, by name."""
    for name, (operation, arguments, output) in _FORMS.items():
        graph = GraphBuilder()
        image = graph.input(_FLOAT, _IMAGE, np.sin(np.arange(64)))
        inputs = (image, *(graph.constant(*argument) for argument in arguments))
        graph.operation(operation, inputs, graph.output(_FLOAT, output, np.zeros(output)))
        test = graph.finish(f"{name.replace('/', '_').lower()}_shortest", FeatureLevel.FL3)
        # Expected values are not needed, and have not been computed.
        yield name, map_operands(test, lambda operand: replace(operand, is_ignored=operand.lifetime == _OUTPUT))


SUITE: Final = "TestRemoveDefaultArguments"
_RULE: Final = "execution/default_arguments"
"""Rule of a driver to which a default value makes a difference."""


def _is_taken(test: TestModel) -> bool:
    """Return True for specs that must work and have an operation with an optional argument left out."""
    if test.expect_failure or test.traits.is_lifetime_variant:
        return False
    return any(True for _ in longer_forms(test, FeatureLevel.FL8))


@check(SUITE, "Operation", rules=(_RULE,), level=3, parameters=lambda: dict(shortest_forms()))
def operation(subject: Subject, test: TestModel) -> Outcome:
    """Default arguments change nothing in CTS's operations on tiny images."""
    if not any(any(output) for output in _compute_outputs(subject, test)):
        raise fail("execution/output.value", "the output of an image of sines is all zeros")
    return _check_forms(subject, test)


@check(SUITE, "Generated", rules=(_RULE,), level=3, over=_is_taken)
def generated(subject: Subject, spec: SpecCase) -> Outcome:
    """Default arguments change nothing in any spec with such an operation."""
    return _check_forms(subject, spec.build())


def _check_forms(subject: Subject, test: TestModel) -> Outcome:
    """Check that every longer form is supported if the test is, and gives the same bits."""
    answer = _ask_supported(subject, test)
    expected = _compute_outputs(subject, test)
    forms = list(longer_forms(test, subject.feature_level))
    if not forms:
        raise unsupported("all longer forms need a higher feature level", "model/level")
    for what, form in forms:
        other = _ask_supported(subject, form)
        if other != answer:
            raise fail(_RULE, f"{what}: supported are {list(other)}, not {list(answer)}", form=what)
        if _compute_outputs(subject, form) != expected:
            raise fail(_RULE, f"{what}: outputs differ", form=what)
    return passed(forms=[what for what, _ in forms])


def _ask_supported(subject: Subject, test: TestModel) -> tuple[bool, ...]:
    """Return the driver's answer about the support of a test's operations."""
    with built_model(test, subject.feature_level) as model:
        return ask_supported(subject, model)


def _compute_outputs(subject: Subject, test: TestModel) -> list[bytes]:
    """Return the bytes of the outputs that the driver computes.

    :raises CaseFailed: the driver does not support the test, or an output is wrong.
    """
    config = basic_config(subject)
    with built_model(test, subject.feature_level) as model:
        prepared = prepare_valid(subject, model)
    with open_request(test) as packed:
        (answer,) = execute(prepared, packed.request, config, subject.timeout_s)
        if check_answer(answer, test, config):
            precision_rules(test, packed.output_arrays(test.main.outputs))
        return packed.output_bytes()
