"""Between the memory of requests and the arguments of the executor, with all that is known before there is data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial

from hal.arrays import Place
from hal.operations.call import Argument
from hal.types import OutputShape, Request
from reference_driver.compiled import CompiledSubgraph


class Transfer:
    """Moves inputs and outputs of requests that have the same arguments; their memory may differ."""

    def __init__(self, request: Request, main: CompiledSubgraph) -> None:
        """Combine the arguments of a request with the operands of the model."""
        self._request_inputs = request.inputs
        self._request_outputs = request.outputs
        source = main.source
        self._inputs: list[tuple[Place, Callable[..., Argument]] | Argument] = []
        for argument, index in zip(request.inputs, source.input_indexes, strict=True):
            declared = main.arguments[index]
            if argument.has_no_value:
                self._inputs.append(replace(declared, omitted=True))
            else:
                self._inputs.append((Place(argument, source.operands[index]), _maker(declared)))
        self._shapes = tuple([() if isinstance(one, Argument) else one[0].dimensions for one in self._inputs])
        self._outputs = [
            Place(argument, source.operands[index])
            for argument, index in zip(request.outputs, source.output_indexes, strict=True)
        ]
        self.declared_outputs = [
            replace(main.arguments[index], dimensions=place.dimensions)
            for place, index in zip(self._outputs, source.output_indexes, strict=True)
        ]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Dimensions of the inputs."""
        return self._shapes

    def fits(self, request: Request) -> bool:
        """Whether these are the very arguments of ``request``."""
        return request.inputs is self._request_inputs and request.outputs is self._request_outputs

    def read(self, pools: Sequence[memoryview]) -> list[Argument]:
        """All inputs with their values."""
        inputs = []
        for known in self._inputs:
            if isinstance(known, Argument):
                inputs.append(known)
            else:
                place, make = known
                value = place.read(pools)
                inputs.append(make(dimensions=value.shape, value=value))
        return inputs

    def write(self, results: Sequence[Argument], pools: Sequence[memoryview]) -> tuple[OutputShape, ...]:
        """Put all outputs into their places."""
        pairs = zip(self._outputs, results, strict=True)
        return tuple([place.write(result.array, pools) for place, result in pairs])


def _maker(declared: Argument) -> Callable[..., Argument]:
    """Makes copies of an argument; unlike ``dataclasses.replace`` it looks at the fields only once."""
    return partial(Argument, **{field.name: getattr(declared, field.name) for field in fields(declared)})
