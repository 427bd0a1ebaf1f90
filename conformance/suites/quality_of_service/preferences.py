"""Suite ``PreferenceTest``: models prepared with other preferences and priorities compute the same results. Not in VTS.

All other suites prepare with FAST_SINGLE_ANSWER and medium priority. Only this suite checks a driver for clients that
execute a model repeatedly, or save power. A preference may change the driver's algorithm, but not its correctness, so
results are compared with the error bounds of :mod:`nnvet.oracle.bounds`. Source: docs/contract/hal.md 6.2. The effect
of priorities is observed in :mod:`nnvet.conformance.suites.quality_of_service.priorities`.

A case is named by the preference, the kind of its model and a seed, ``PreferenceTest/Results/LOW_POWER/dense/17``;
:class:`PreferenceCase` makes the model from that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from nnvet.conformance.kit.bounded import run_bounded
from nnvet.conformance.kit.checks import OUTPUT_RULES, ModelTest, check
from nnvet.conformance.kit.judging import bounded_tolerances
from nnvet.conformance.kit.outcome import Outcome
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.generate import declared
from nnvet.generators.random_graphs.golden import estimates, tells
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.networks import image_network, recurrent_network
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.reducer.evaluation import complete
from nnvet.graphs.model import TestModel
from nnvet.hal.types import ExecutionPreference, OperandType, OperationType, PrepareModelConfig, Priority

_O = OperationType
_T = OperandType
_SUITE: Final = "PreferenceTest"
_LEVEL: Final = 2
"""First feature level with preferences."""
_PRIORITY_LEVEL: Final = 4
"""First feature level (HAL 1.3) with priorities."""
_SEEDS: Final = 200
"""Seeds of each preference and kind in the full matrix."""
_DRAWS: Final = 100
"""Models drawn until one has an output that shows whether it was computed."""
_NETWORKS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
"""Types of networks for which drivers have fast paths."""
_IMAGES: Final = GraphOptions(
    operations=(5, 12),
    dimensions=(1, 40),
    elements=10_000,
    ranks=(4,),
    types=_NETWORKS,
    constants=0.99,
    only=(_O.CONV_2D, _O.DEPTHWISE_CONV_2D, _O.AVERAGE_POOL_2D, _O.MAX_POOL_2D, _O.ADD, _O.RELU6, _O.RESHAPE),
)
"""Options of graphs with the operations of image networks, nearly all of whose further operands are constants."""
_CELLS: Final = (
    *(_O.LSTM, _O.UNIDIRECTIONAL_SEQUENCE_LSTM, _O.RNN, _O.UNIDIRECTIONAL_SEQUENCE_RNN, _O.SVDF),
    _O.FULLY_CONNECTED,
)
"""Operations of recurrent networks."""
GRAPHS: Final[Mapping[str, GraphOptions]] = {
    "images": _IMAGES,
    "images-of-unknown-size": replace(_IMAGES, unknown=0.5),
    "dense": replace(
        _IMAGES,
        ranks=(2,),
        only=(_O.FULLY_CONNECTED, _O.ADD, _O.MUL, _O.RELU, _O.LOGISTIC, _O.TANH, _O.HARD_SWISH, _O.SOFTMAX),
    ),
    "cells": replace(
        _IMAGES,
        operations=(3, 6),
        elements=500,
        ranks=(2, 3),
        types=(_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16),
        only=_CELLS,
    ),
    "any": GraphOptions(operations=(3, 10)),
}
"""Options of random graphs by kind. All kinds but "any" have operations that occur together in networks."""
NETWORKS: Final[Mapping[str, Callable[[Chooser, int, str], TestModel]]] = {
    "networks": image_network,
    "recurrent-networks": recurrent_network,
}
"""Makers of chains of layers, by kind. Graphs seldom have two operations that a driver joins."""
KINDS: Final = (*NETWORKS, *GRAPHS)
"""All kinds of models, in the order of the cases."""
_OPEN: Final = GraphOptions(unknown=0.2)
"""Options that decide which dimensions of such a network are unknown."""
_OPEN_TURN: Final = 5
"""Every fifth network has unknown dimensions."""
_USUAL_SEEDS: Final[Mapping[ExecutionPreference, Mapping[str, int]]] = {
    ExecutionPreference.LOW_POWER: dict.fromkeys(KINDS, 2) | {"networks": 3},
    ExecutionPreference.SUSTAINED_SPEED: dict.fromkeys(KINDS, 6) | {"networks": 18, "recurrent-networks": 12},
}
"""Seeds of a usual run, by preference and kind."""


class PreferenceCase(NamedTuple):
    """A preference, the kind of a model and its seed, which also decides on the priority."""

    preference: ExecutionPreference
    kind: str
    seed: int

    @property
    def name(self) -> str:
        """Return the argument of the case."""
        return f"{self.preference.name}/{self.kind}/{self.seed}"

    def make(self) -> TestModel:
        """Make the model. It is the same for all preferences, and one of its outputs shows whether it was computed."""
        for draw in range(_DRAWS):
            chooser = SeededChooser(f"{_SUITE}/{self.kind}/{self.seed}/{draw}")
            if self.kind in NETWORKS:
                test = NETWORKS[self.kind](chooser, self.seed, self.name)
            else:
                test = random_model(chooser, GRAPHS[self.kind], self.name)
            if any(map(tells, estimates(test))):
                break
        return test

    def declared(self, test: TestModel) -> TestModel | None:
        """Return the form of the model with unknown dimensions that is prepared; None to prepare the model itself."""
        if self.kind in NETWORKS:
            return declared(test, _OPEN) if self.seed % _OPEN_TURN == _OPEN_TURN - 1 else None
        return declared(test, GRAPHS[self.kind])

    def config(self, level: int) -> PrepareModelConfig:
        """Return the arguments of preparation on a driver of ``level``; the priority changes from seed to seed."""
        priority = Priority(self.seed % len(Priority)) if level >= _PRIORITY_LEVEL else Priority.MEDIUM
        return PrepareModelConfig(preference=self.preference, priority=priority)


def read_argument(text: str) -> PreferenceCase | None:
    """Return the case that an argument names; None if it names none."""
    preference, _, rest = text.partition("/")
    kind, _, seed = rest.partition("/")
    try:
        case = PreferenceCase(ExecutionPreference[preference], kind, int(seed))
    except (KeyError, ValueError):
        return None
    return case if kind in KINDS and case.preference in _USUAL_SEEDS and case.name == text else None


def _list_cases() -> Mapping[str, PreferenceCase]:
    """Return all cases of the full matrix, by the arguments of the cases."""
    cases = (
        PreferenceCase(preference, kind, seed)
        for preference in _USUAL_SEEDS
        for kind in KINDS
        for seed in range(_SEEDS)
    )
    return {case.name: case for case in cases}


def _run_named(subject: Subject, test: TestModel) -> Outcome:
    """Judge a model that is prepared according to its name."""
    case = read_argument(test.name)
    assert case is not None, test.name  # noqa: S101 - the names are those of the cases, which the reducer keeps
    return run_bounded(subject, test, case.declared(test), case.config(subject.feature_level))


def _run_any(subject: Subject, test: TestModel) -> None:
    """Run a model for the reducer, which needs no evidence of a pass."""
    _run_named(subject, test)


@check(
    _SUITE,
    "Results",
    rules=OUTPUT_RULES,
    parameters=_list_cases,
    reads=read_argument,
    level=_LEVEL,
    usual=lambda case: case.seed < _USUAL_SEEDS[case.preference][case.kind],
    model_test=ModelTest(lambda case: complete(case.make())[0], _run_any, bounded_tolerances),
)
def results(subject: Subject, case: PreferenceCase) -> Outcome:
    """Every element is within its error bound, and a second execution gives the same bits, with every preference."""
    return _run_named(subject, case.make())
