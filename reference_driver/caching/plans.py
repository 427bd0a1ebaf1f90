"""Plans of a compiled model's operations as bytes. A plan holds the output shapes found by the first execution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from nnvet.hal.operations.declaration import Argument, OutputSpec
from nnvet.reference_driver.compiled import CompiledModel, CompiledOperation, CompiledSubgraph

_Shapes = tuple[tuple[int, ...], ...]


class _Output(msgspec.Struct, frozen=True, array_like=True):
    dimensions: tuple[int, ...]
    scale: float
    zero_point: int


class _Plan(msgspec.Struct, frozen=True, array_like=True):
    """A plan of operation ``operation`` of subgraph ``subgraph``, where 0 is the main one."""

    subgraph: int
    operation: int
    shapes: _Shapes
    specs: tuple[OutputSpec, ...]
    outputs: tuple[_Output, ...]


def _plain(value: object) -> object:
    """Return NumPy's numbers, which shape inference may produce, as Python's numbers."""
    return value.item()  # type: ignore[attr-defined] # all else has a form of its own


_ENCODER: Final = Encoder(enc_hook=_plain)
_DECODER: Final = Decoder(tuple[_Plan, ...])


def encode_plans(model: CompiledModel) -> bytes:
    """Return all present plans of a model as bytes."""
    return _ENCODER.encode(
        tuple(
            _Plan(position, index, shapes, tuple(specs), tuple(_output(output) for output in outputs))
            for position, index, _, step in _steps(model)
            for shapes, (specs, outputs) in list(step.plans.items())
        )
    )


def restore_plans(model: CompiledModel, data: bytes) -> None:
    """Give a model the plans that :func:`encode_plans` returned for an equal model.

    :raises msgspec.DecodeError: for any other bytes.
    """
    steps = {(position, index): (subgraph, step) for position, index, subgraph, step in _steps(model)}
    for plan in _DECODER.decode(data):
        subgraph, step = steps[plan.subgraph, plan.operation]
        declared = [subgraph.arguments[index] for index in step.operation.outputs]
        outputs = [
            replace(operand, dimensions=output.dimensions, scale=output.scale, zero_point=output.zero_point)
            for operand, output in zip(declared, plan.outputs, strict=True)
        ]
        step.plans[plan.shapes] = (plan.specs, outputs)


def _output(argument: Argument) -> _Output:
    return _Output(argument.dimensions, argument.scale, argument.zero_point)


def _steps(model: CompiledModel) -> Iterator[tuple[int, int, CompiledSubgraph, CompiledOperation]]:
    for position, subgraph in enumerate((model.main, *model.referenced)):
        for index, step in enumerate(subgraph.operations):
            if isinstance(step, CompiledOperation):
                yield position, index, subgraph, step
