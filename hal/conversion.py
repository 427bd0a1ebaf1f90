"""Models, requests and configurations in the form that another level has, and what is lost on the way.

Every structure of :mod:`nnvet.hal.types` has the fields of all levels. Here a field that a level lacks goes back to its
default, and consumers are counted where HIDL wants them. What breaks at the level stays as it is and is told: like
the HAL's own converters, these complain and go on. Source: HAL contract 4, 5, 8, 10; sample driver sheet 11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from nnvet.hal.compliance import foreign_parts
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.levels import LAST_HIDL_LEVEL, request_parts
from nnvet.hal.types import (
    DataLocation,
    ExecutionConfig,
    Model,
    Operand,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Subgraph,
)
from nnvet.hal.validation.model import required_level

S = TypeVar("S", bound=msgspec.Struct)
Config = TypeVar("Config", PrepareModelConfig, ExecutionConfig)

FIELD_LEVELS: Final[Mapping[type[msgspec.Struct], Mapping[str, FeatureLevel]]] = {
    Model: {
        "relax_computation_float32_to_float16": FeatureLevel.FL2,
        "extension_name_to_prefix": FeatureLevel.FL3,
        "referenced": FeatureLevel.FL4,
    },
    Operand: {"extra_params": FeatureLevel.FL3},
    DataLocation: {"padding": FeatureLevel.FL5},
    PrepareModelConfig: {
        "preference": FeatureLevel.FL2,
        "model_cache": FeatureLevel.FL3,
        "data_cache": FeatureLevel.FL3,
        "cache_token": FeatureLevel.FL3,
        "priority": FeatureLevel.FL4,
        "deadline_ns": FeatureLevel.FL4,
        "compilation_hints": FeatureLevel.FL8,
        "extension_name_to_prefix": FeatureLevel.FL8,
    },
    ExecutionConfig: {
        "measure_timing": FeatureLevel.FL3,
        "loop_timeout_duration_ns": FeatureLevel.FL4,
        "execution_hints": FeatureLevel.FL8,
        "extension_name_to_prefix": FeatureLevel.FL8,
    },
}
"""First level of every field that not all levels have; consumers aside, which are counted."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a level cannot hold.

    ``breaks``: the result means nothing to a driver of the level, which has to refuse it. Otherwise it has been
    left out, and the rest is good.
    """

    where: str
    what: str
    breaks: bool

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.where}: {self.what}"


def convert_model(model: Model, level: int) -> tuple[Model, tuple[Loss, ...]]:
    """A valid model as ``level`` has it, with numbers of consumers at HIDL levels and without them at AIDL levels.

    Pools are shared with the original, not copied.

    :raises HalError: INVALID_ARGUMENT for a model that is valid at no level.
    """
    required_level(model)
    fitted, lost = _fitted(model, level)
    losses = [_dropped("model", name, level) for name in lost]
    losses += [Loss(where, what, breaks=True) for where, what in foreign_parts(fitted, level)]
    subgraphs = []
    for number, subgraph in enumerate((fitted.main, *fitted.referenced)):
        place = f"subgraph {number - 1}" if number else "main subgraph"
        operands = [_fitted(operand, level) for operand in subgraph.operands]
        for index, (_, names) in enumerate(operands):
            losses += [_dropped(f"{place}, operand {index}", name, level) for name in names]
        subgraphs.append(replace(subgraph, operands=tuple(operand for operand, _ in operands)))
    converted = replace(fitted, main=subgraphs[0], referenced=tuple(subgraphs[1:]))
    return (with_consumers if level <= LAST_HIDL_LEVEL else without_consumers)(converted), tuple(losses)


def convert_request(request: Request, model: Model, level: int) -> tuple[Request, tuple[Loss, ...]]:
    """A valid request for ``model`` as ``level`` has it. Pools are shared with the original, not copied."""
    losses: list[Loss] = []

    def fitted(side: str, arguments: tuple[RequestArgument, ...]) -> Iterator[RequestArgument]:
        for index, argument in enumerate(arguments):
            location, names = _fitted(argument.location, level)
            losses.extend(_dropped(f"{side} {index}", name, level) for name in names)
            yield replace(argument, location=location)

    inputs, outputs = tuple(fitted("input", request.inputs)), tuple(fitted("output", request.outputs))
    converted = replace(request, inputs=inputs, outputs=outputs)
    foreign = (f"{what} {levels}" for levels, what in request_parts(converted, model) if level not in levels)
    return converted, (*losses, *(Loss("request", what, breaks=True) for what in foreign))


def convert_config(config: Config, level: int) -> tuple[Config, tuple[Loss, ...]]:
    """How to prepare or to execute, as ``level`` can be told."""
    fitted, names = _fitted(config, level)
    return fitted, tuple(_dropped(type(config).__name__, name, level) for name in names)


def with_consumers(model: Model) -> Model:
    """Copy with the number of consumers of every operand: how often operations of its subgraph list it as input."""

    def counted(subgraph: Subgraph) -> Subgraph:
        counts = Counter(index for operation in subgraph.operations for index in operation.inputs)
        operands = enumerate(subgraph.operands)
        return replace(
            subgraph, operands=tuple(replace(one, number_of_consumers=counts[index]) for index, one in operands)
        )

    return replace(model, main=counted(model.main), referenced=tuple(map(counted, model.referenced)))


def without_consumers(model: Model) -> Model:
    """Copy without numbers of consumers, which no AIDL level has."""

    def stripped(subgraph: Subgraph) -> Subgraph:
        return replace(subgraph, operands=tuple(replace(one, number_of_consumers=None) for one in subgraph.operands))

    return replace(model, main=stripped(model.main), referenced=tuple(map(stripped, model.referenced)))


def _fitted(value: S, level: int) -> tuple[S, list[str]]:
    """Copy with defaults in the fields that ``level`` lacks, and the names of those that had something else."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(type(value))}
    lacking = [name for name, first in FIELD_LEVELS[type(value)].items() if level < first]
    lost = [name for name in lacking if getattr(value, name) != defaults[name]]
    return replace(value, **{name: defaults[name] for name in lost}), lost


def _dropped(where: str, name: str, level: int) -> Loss:
    return Loss(where, f"feature level {int(level)} has no {name}; it is left out", breaks=False)
