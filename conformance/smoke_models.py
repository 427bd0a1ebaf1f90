"""Models of single operations for a first look at a driver: few, and unlike each other in their attributes.

Operations with most named attributes (padding, layout, activation) come first, since most can be wrong in them. The
first model of an operation has as many of them as possible that are not plain, such as padding SAME; each further one,
be it of another type, as many values as possible that none had before. Steps of 2 count like names, with padding SAME
once more, and results of one row or column only where there are no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_CANDIDATES: Final = (6, 30)
"""Models that are made for each that is chosen, of operations without named attributes and with some."""
_MORE_SEEDS: Final = range(100, 220)
"""Seeds of models that are compared with one that fails."""
_PLAIN: Final = frozenset({"NONE", "VALID", "NHWC"})
_STEPS: Final = frozenset(
    {("stride_width", "2"), ("stride_height", "2"), ("dilation_width", "2"), ("dilation_height", "2")}
)
"""Numbers that are as telling as values with names: most networks have them, and padding SAME depends on them."""
_FIRST_KINDS: Final = (
    OperandType.TENSOR_FLOAT32,
    OperandType.TENSOR_QUANT8_ASYMM,
    OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType.TENSOR_FLOAT16,
)
_SAME: Final = ("padding", "SAME")
_MOST_AT_ONCE: Final = 2
"""Models of an operation that come in a row, as long as they have named values that none had before."""
_ENOUGH: Final = (6, 16, 5)
"""Cases that fail and that pass, each, and both together, or failing ones alone, after which they are not made more."""
_MOST_FAILING: Final = 30


class SmokeModel(NamedTuple):
    """A model by operation, type and attributes; ``argument`` is that of its case.

    ``is_wide``: its first result extends along all axes but one at most, so that elements can be in wrong places.
    """

    operation: OperationType
    kind: OperandType
    argument: str
    attributes: Mapping[str, str]
    is_wide: bool

    @property
    def about(self) -> str:
        """Operation and type in words."""
        return f"{self.operation.name} of {self.kind.name}"


def smoke_models(claimed: Mapping[OperationType, Sequence[OperandType]], level: int) -> Iterator[SmokeModel]:
    """Yield models: of the first type of each operation, then the second, and so on, and then all of them again."""
    most = max(map(len, claimed.values()), default=0)
    claimed = {operation: sorted(kinds, key=_turn) for operation, kinds in claimed.items()}
    seen: dict[OperationType, set[tuple[str, str]]] = {operation: set() for operation in claimed}
    left = {(operation, kind): list(range(_SEEDS)) for operation, kinds in claimed.items() for kind in kinds}
    for _, turn in product(range(_SEEDS), range(most)):
        for operation, kinds in sorted(claimed.items(), key=lambda item: (-_named(item[0]), item[0])):
            for _ in range(_MOST_AT_ONCE if turn < len(kinds) and left[operation, kinds[turn]] else 0):
                known = _telling(seen[operation])
                yield _most_unlike(operation, kinds[turn], level, left[operation, kinds[turn]], seen[operation])
                if _telling(seen[operation]) == known:
                    break


def models_beside(failed: SmokeModel, level: int) -> Iterator[SmokeModel]:
    """Yield further models of the operation and type of one that fails."""
    return (_model(failed.operation, failed.kind, level, seed) for seed in _MORE_SEEDS)


def is_decided(ended: Iterable[Finished]) -> bool:
    """Return True if enough models of an operation fail and pass to say what tells them apart."""
    verdicts = [finished.outcome.verdict for finished in ended]
    passed = sum(verdict is Verdict.PASS for verdict in verdicts)
    failed = len(verdicts) - passed
    each, both, alone = _ENOUGH
    if not passed:
        return failed >= alone
    return failed >= _MOST_FAILING or (min(passed, failed) >= each and len(verdicts) >= both)


def common_cause(ended: Sequence[Finished], models: Mapping[str, SmokeModel]) -> str:
    """Say in a sentence what failing cases of one operation have in common; empty if nothing tells them apart.

    ``models`` are those of the cases by id.
    """
    results = [_result(finished, models[finished.case]) for finished in ended if finished.case in models]
    failed = [result for result in results if result.verdict in DRIVER_FAULTS]
    passed = [result for result in results if result.verdict is Verdict.PASS]
    if failed and not passed:
        return f"{failed[0].operations[0]}: all {len(failed)} models of it fail, whatever their attributes"
    return next(map(str, contrasts_between(failed, passed, are_drawn=True)), "")


def _most_unlike(
    operation: OperationType, kind: OperandType, level: int, left: list[int], seen: set[tuple[str, str]]
) -> SmokeModel:
    """Choose the next model among the first candidates; its seed is taken from those that are left."""
    candidates = {seed: _model(operation, kind, level, seed) for seed in left[: _CANDIDATES[_named(operation) > 0]]}
    known = _telling(seen)

    def worth(seed: int) -> tuple[bool, int, int, int]:
        attributes = candidates[seed].attributes.items()
        telling = _telling(attributes)
        # Some faults need two attributes at once, a new one and one that was seen.
        both = 2 * len(telling - known) + len(telling)
        return candidates[seed].is_wide, both, len(attributes - seen), -seed

    chosen = max(candidates, key=worth)
    left.remove(chosen)
    seen.update(candidates[chosen].attributes.items())
    return candidates[chosen]


def _turn(kind: OperandType) -> int:
    """Place of a type: the first ones are those that networks have most, unlike each other."""
    return _FIRST_KINDS.index(kind) if kind in _FIRST_KINDS else len(_FIRST_KINDS)


def _named(operation: OperationType) -> int:
    """Return the number of named attributes that an operation may have."""
    signatures = declarations()[operation].signatures
    return len({formal.name for signature in signatures for formal in signature.inputs} & NAMED.keys())


def _telling(attributes: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those with a name that is not the plain one, and steps of windows that are not 1, with padding once more."""
    found = {pair for pair in attributes if (pair[0] in NAMED and pair[1] not in _PLAIN) or pair in _STEPS}
    return found | ({(name, f"{value} with SAME") for name, value in found & _STEPS} if _SAME in found else set())


@cache
def _model(operation: OperationType, kind: OperandType, level: int, seed: int) -> SmokeModel:
    options = text_of(GraphOptions(operations=(1, 1), types=(kind,), level=level, only=(operation,)))
    case = RandomCase(options, seed)
    test = case.make()
    extents = test.main.outputs[0].dimensions
    is_wide = sum(extent > 1 for extent in extents) >= len(extents) - 1
    return SmokeModel(operation, kind, f"{options}/{seed}", attributes_of_test(test), is_wide)


def _result(finished: Finished, model: SmokeModel) -> CaseFinished:
    labels = {
        "operations": [model.operation.name],
        "operand_types": [model.kind.name],
        ATTRIBUTES: dict(model.attributes),
    }
    return CaseFinished(finished.case, finished.outcome.verdict, labels=labels)
