"""Models of single operations for a first look at a driver: few models, with attributes as different as possible.

:mod:`nnvet.conformance.smoke` runs the models of :func:`smoke_models` as cases of RandomModels, and compares a failing
one with those of :func:`models_beside`. Operations with many named attributes (padding, layout, activation) come first,
since more can be wrong there. The first model of an operation has as many unusual values of them as possible, such as
padding SAME; each further model has as many values as possible that no earlier one had, even if its type differs.
Strides of 2 count like named values (with padding SAME once more), and results with a single row or column are a last
resort. Here such unusual values are called notable.

A driver may claim an operation and not all of its attributes. After a model that it does not support others of the
operation are tried, first of all those with none of the attributes and values that only refused models had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final, NamedTuple

from nnvet.conformance.engine.attributes import NAMED, attributes_of_test
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.suites.random_models import RandomCase
from nnvet.generators.random_graphs.options import GraphOptions, text_of
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.catalogue import declarations
from nnvet.reports.contrast import contrasts_between
from nnvet.reports.events import ATTRIBUTES, DRIVER_FAULTS, CaseFinished, Verdict

_SEEDS: Final = 30
"""Seeds of each operation and type."""
_SPARE_SEEDS: Final = range(_SEEDS, 100)
"""Seeds that are added for an operation if the driver does not support all of its models."""
_CANDIDATES: Final = (6, 30)
"""Numbers of candidates for each chosen model, for operations without and with named attributes."""
_MORE_SEEDS: Final = range(100, 220)
"""Seeds of models that are compared with a failing one."""
_PLAIN: Final = frozenset({"NONE", "VALID", "NHWC"})
"""Named values that are usual, so nothing is learnt from them."""
_STEPS: Final = frozenset(
    {("stride_width", "2"), ("stride_height", "2"), ("dilation_width", "2"), ("dilation_height", "2")}
)
"""Numbers that count like named values: most networks have them, and padding SAME depends on them."""
_FIRST_KINDS: Final = (
    OperandType.TENSOR_FLOAT32,
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_FLOAT16,
)
"""Types that networks have most often, floats and codes in turn."""
_SAME: Final = ("padding", "SAME")
"""The attribute whose rows and columns depend on strides."""
_MOST_AT_ONCE: Final = 2
"""Most models of an operation in a row, as long as each has a named value that is new."""
_TRIES: Final = 6
"""Models that are tried one after the other until the driver supports one."""
_ENOUGH: Final = (6, 16, 5)
"""Numbers of cases after which no more models are made: failing and passing ones each, both together, failing alone."""
_MOST_FAILING: Final = 30
"""Failing cases after which no more models are made."""


class SmokeModel(NamedTuple):
    """A model by operation, type and attributes; ``argument`` is the argument of its case.

    ``is_wide``: its first result extends along all axes except at most one, so elements can be in wrong places.
    """

    operation: OperationType
    kind: OperandType
    argument: str
    attributes: Mapping[str, str]
    is_wide: bool

    @property
    def about(self) -> str:
        """Return operation and type in words."""
        return f"{self.operation.name} of {self.kind.name}"


@dataclass
class _Tried:
    """Attributes of the models of an operation that were tried, by whether the driver supports the model."""

    seen: set[tuple[str, str]] = field(default_factory=set)
    refused: list[Mapping[str, str]] = field(default_factory=list)

    def add(self, attributes: Mapping[str, str], *, is_refused: bool) -> None:
        """Note the attributes of a model."""
        if is_refused:
            self.refused.append(attributes)
        else:
            self.seen.update(attributes.items())

    def doubts(self, attributes: Mapping[str, str]) -> tuple[int, int]:
        """Count attributes of a model, as often as they were refused, and then values, that only refused models had.

        An attribute that no supported model has, such as the optional layout, explains a refusal; then values of
        the others are not doubted.
        """
        known = {name for name, _ in self.seen}
        unknown = Counter(name for refused in self.refused for name in refused.keys() - known)
        unexplained = [refused for refused in self.refused if not refused.keys() - known]
        values = {pair for refused in unexplained for pair in refused.items()} - self.seen
        return sum(unknown[name] for name in attributes), len(attributes.items() & values)


def _never_refused(_: SmokeModel) -> bool:
    """Return False: the driver is taken to support every model."""
    return False


def smoke_models(
    claimed: Mapping[OperationType, Sequence[OperandType]],
    level: int,
    is_refused: Callable[[SmokeModel], bool] = _never_refused,
) -> Iterator[SmokeModel]:
    """Yield models: of the first type of each operation, then the second, and so on, and then all of them again.

    ``is_refused`` is asked about each model before the next one is chosen: True if the driver does not support it.
    """
    most = max(map(len, claimed.values()), default=0)
    claimed = {operation: sorted(kinds, key=_rank_type) for operation, kinds in claimed.items()}
    tried = {operation: _Tried() for operation in claimed}
    left = {(operation, kind): list(range(_SEEDS)) for operation, kinds in claimed.items() for kind in kinds}
    for _, turn in product(range(_SEEDS), range(most)):
        for operation, kinds in sorted(claimed.items(), key=lambda item: (-_count_named(item[0]), item[0])):
            for _ in range(_MOST_AT_ONCE if turn < len(kinds) and left[operation, kinds[turn]] else 0):
                known = _list_notable(tried[operation].seen)
                for _ in range(_TRIES if left[operation, kinds[turn]] else 0):
                    model = _choose_most_unlike(
                        operation, kinds[turn], level, left[operation, kinds[turn]], tried[operation]
                    )
                    yield model
                    refused = is_refused(model)
                    if refused and not tried[operation].refused:
                        left[operation, kinds[turn]] += _SPARE_SEEDS
                    tried[operation].add(model.attributes, is_refused=refused)
                    if not refused or not left[operation, kinds[turn]]:
                        break
                if _list_notable(tried[operation].seen) == known:
                    break


def models_beside(failed: SmokeModel, level: int) -> Iterator[SmokeModel]:
    """Yield further models of the operation and type of a failing one."""
    return (_make_model(failed.operation, failed.kind, level, seed) for seed in _MORE_SEEDS)


def is_decided(ended: Iterable[Finished]) -> bool:
    """Return True if enough models of an operation fail, and enough pass, to tell what the failing ones share."""
    verdicts = [finished.outcome.verdict for finished in ended]
    passed = sum(verdict is Verdict.PASS for verdict in verdicts)
    failed = len(verdicts) - passed
    each, both, alone = _ENOUGH
    if not passed:
        return failed >= alone
    return failed >= _MOST_FAILING or (min(passed, failed) >= each and len(verdicts) >= both)


def common_cause(ended: Sequence[Finished], models: Mapping[str, SmokeModel]) -> str:
    """Return a sentence with what failing cases of one operation have in common; empty if nothing distinguishes them.

    ``models`` are those of the cases by id.
    """
    results = [_make_result(finished, models[finished.case]) for finished in ended if finished.case in models]
    failed = [result for result in results if result.verdict in DRIVER_FAULTS]
    passed = [result for result in results if result.verdict is Verdict.PASS]
    if failed and not passed:
        return f"{failed[0].operations[0]}: all {len(failed)} models of it fail, whatever their attributes"
    return next(map(str, contrasts_between(failed, passed, are_drawn=True)), "")


def _choose_most_unlike(
    operation: OperationType, kind: OperandType, level: int, left: list[int], tried: _Tried
) -> SmokeModel:
    """Choose the next model among the first candidates; its seed is taken from those that are left."""
    # Of many seeds, hardly any model may lack what the driver does not support.
    count = len(left) if tried.refused else _CANDIDATES[_count_named(operation) > 0]
    candidates = {seed: _make_model(operation, kind, level, seed) for seed in left[:count]}
    known = _list_notable(tried.seen)

    def worth(seed: int) -> tuple[int, int, bool, int, int, int]:
        attributes = candidates[seed].attributes.items()
        notable = _list_notable(attributes)
        # Some faults need two attributes at once: a new value and one that was seen before.
        both = 2 * len(notable - known) + len(notable)
        names, values = tried.doubts(candidates[seed].attributes)
        return -names, -values, candidates[seed].is_wide, both, len(attributes - tried.seen), -seed

    chosen = max(candidates, key=worth)
    left.remove(chosen)
    return candidates[chosen]


def _rank_type(kind: OperandType) -> int:
    """Return the rank of a type: common types of networks come first, types of different kinds alternating."""
    return _FIRST_KINDS.index(kind) if kind in _FIRST_KINDS else len(_FIRST_KINDS)


def _count_named(operation: OperationType) -> int:
    """Return the number of named attributes that an operation may have."""
    signatures = declarations()[operation].signatures
    return len({formal.name for signature in signatures for formal in signature.inputs} & NAMED.keys())


def _list_notable(attributes: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the named values that are unusual, and strides other than 1, with padding SAME once more."""
    found = {pair for pair in attributes if (pair[0] in NAMED and pair[1] not in _PLAIN) or pair in _STEPS}
    return found | ({(name, f"{value} with SAME") for name, value in found & _STEPS} if _SAME in found else set())


@cache
def _make_model(operation: OperationType, kind: OperandType, level: int, seed: int) -> SmokeModel:
    """Return the model of a seed with its attributes."""
    options = text_of(GraphOptions(operations=(1, 1), types=(kind,), level=level, only=(operation,)))
    case = RandomCase(options, seed)
    test = case.make()
    extents = test.main.outputs[0].dimensions
    is_wide = sum(extent > 1 for extent in extents) >= len(extents) - 1
    return SmokeModel(operation, kind, f"{options}/{seed}", attributes_of_test(test), is_wide)


def _make_result(finished: Finished, model: SmokeModel) -> CaseFinished:
    """Return the end of a case with the labels by which reports compare cases."""
    labels = {
        "operations": [model.operation.name],
        "operand_types": [model.kind.name],
        ATTRIBUTES: dict(model.attributes),
    }
    return CaseFinished(finished.case, finished.outcome.verdict, labels=labels)
