"""RandomModels: cases are data with names that mean them, judged by bounds; drivers are asked for what they support."""

import time

import numpy as np
import pytest

from nnvet.conformance.engine.catalogue import Batch, Catalogue, Series
from nnvet.conformance.engine.driver import open_subject, run_cases
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.probing import probe_claims
from nnvet.conformance.engine.selection import Selection, SelectionError, argument_of
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.suites.random_models import RandomCase, read_argument
from nnvet.driver_kit.arrays import Array
from nnvet.generators.random_graphs.options import GraphOptions, options_of, text_of
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import ChangedResults, FullDevice
from nnvet.reports.events import Verdict

T = OperandType
OT = OperationType
BOUNDS = "RandomModels/Bounds"
NNAPI = "RandomModels/Nnapi"
ODD = GraphOptions(
    operations=(1, 5),
    dimensions=(2, 7),
    elements=500,
    ranks=(2, 4),
    types=(T.TENSOR_FLOAT32, T.TENSOR_QUANT8_ASYMM),
    level=5,
    only=(OT.ADD, OT.BATCH_MATMUL),
    inputs=3,
    outputs=2,
    constants=0.25,
    relaxed=1.0,
    boundaries=0.0,
    unknown=0.5,
    remembered=0,
)


@pytest.mark.parametrize("options", [GraphOptions(), ODD])
def test_options_as_texts(options: GraphOptions) -> None:
    """A text means the options that it was made of."""
    assert options_of(text_of(options)) == options
    assert read_argument(f"{text_of(options)}/7") == RandomCase(text_of(options), 7)


def test_names() -> None:
    """Names have the options that differ from the defaults, operations as a mask of their numbers."""
    assert text_of(GraphOptions()) == "default"
    assert text_of(GraphOptions(operations=(1, 5), only=(OT.ADD, OT.CONV_2D))) == "operations=1-5,only=9"


@pytest.mark.parametrize(
    "text",
    ["default", "default/", "default/x", "default/07", "operations=9-2/1", "size=3/1", "operations=10-10/1", "/1"],
)
def test_texts_that_are_no_arguments(text: str) -> None:
    """No two names mean one case, and what means nothing is no case."""
    assert read_argument(text) is None


def test_ids_resolve() -> None:
    """Any seed and options, whether runs have them or not; wrong ones do not."""
    for name in ("default/3", "default/123456", "operations=2-3,types=float16/8"):
        case = resolve(Catalogue(), f"{BOUNDS}/{name}")
        assert case.id == f"{BOUNDS}/{name}"
        assert argument_of(case).make().name == name
    with pytest.raises(SelectionError, match="no case"):
        resolve(Catalogue(), f"{BOUNDS}/operations=0-3/8")


def test_cases_of_runs() -> None:
    """A usual run has twenty-five, the full matrix some hundred."""
    own = list(checks()[BOUNDS].cases())
    assert len(own) == 800
    assert len(list(Selection().apply(own))) == 25


def test_series() -> None:
    """Numbers in a row, a text each, of which none is begun when the time is over."""
    selection = Selection((f"{BOUNDS}/*",))
    batch = Batch(BOUNDS, series=Series(("default", "relaxed=1.0"), 5))
    assert [case.id for case in batch.cases(selection)] == [f"{BOUNDS}/default/5", f"{BOUNDS}/relaxed=1.0/6"]
    assert not list(Batch(BOUNDS, series=Series(("default",), 5, time.monotonic())).cases(selection))


def cases(check: str, seeds: range, options: str = "operations=1-6") -> list[Case]:
    """Cases of a series."""
    return list(Batch(check, series=Series((options,) * len(seeds), seeds.start)).cases(Selection()))


def ended(listed: list[Case], target: Target) -> list[Finished]:
    """Return the ends of cases."""
    return [event for event in run_cases(listed, target) if isinstance(event, Finished)]


@pytest.mark.parametrize(
    ("check", "options"),
    [(BOUNDS, "operations=1-6"), (NNAPI, "operations=1-6"), (BOUNDS, "operations=1-6,unknown=0.5")],
)
def test_the_bundled_driver_passes(check: str, options: str) -> None:
    """By bounds, and by the criteria of the NNAPI; where it has to find dimensions itself, too."""
    found = ended(cases(check, range(25), options), Target("reference", in_process=True))
    assert {(finished.outcome.verdict, finished.outcome.reason) for finished in found} == {(Verdict.PASS, "")}


def test_evidence() -> None:
    """Passed cases say what they cover, how much is undecided and how near the bounds results come."""
    (found,) = ended(
        cases(BOUNDS, range(1), "operations=1-1,types=float32,only=1"), Target("reference", in_process=True)
    )
    evidence = found.outcome.evidence
    assert evidence["covers"][0].startswith("ADD TENSOR_FLOAT32 ")
    assert evidence["elements"] > 0
    assert evidence["undecided"] == 0
    assert 0 <= evidence["accuracy"]["ADD"] <= 1


class Keeping(FullDevice):
    """The bundled driver, which keeps what it is given."""

    def __init__(self) -> None:
        """Nothing yet."""
        super().__init__()
        self.models: list[Model] = []

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Keep the model."""
        self.models.append(model)
        return super().build(model, config)


@pytest.mark.parametrize(("options", "is_known"), [("operations=4-4", True), ("operations=4-4,unknown=0.5", False)])
def test_models_of_unknown_dimensions(options: str, is_known: bool) -> None:
    """Reach the driver without the dimensions, which pass all the same."""
    device = Keeping()
    found = ended(cases(BOUNDS, range(3), options), Target("keeping", in_process=True, factory=lambda: device))
    assert {finished.outcome.verdict for finished in found} == {Verdict.PASS}
    assert len(device.models) == 3
    assert is_known is not any(0 in operand.dimensions for model in device.models for operand in model.main.operands)


class Alternating:
    """A kernel whose results differ from time to time, each of them right."""

    def __init__(self) -> None:
        """The first result is the right one."""
        self._times = 0

    def __call__(self, _: Call, result: Array) -> Array:
        """The next number of the type, every second time."""
        self._times += 1
        return result if self._times % 2 else np.nextafter(result, result.dtype.type(np.inf))


def test_results_that_do_not_repeat() -> None:
    """The second execution gives other bits, though both are within the bounds."""
    target = Target("again", in_process=True, factory=lambda: ChangedResults((OT.EXP,), Alternating()))
    only = text_of(GraphOptions(operations=(1, 1), types=(T.TENSOR_FLOAT16,), only=(OT.EXP,), boundaries=0.0))
    (found,) = ended(cases(BOUNDS, range(1), only), target)
    assert found.outcome.verdict is Verdict.FAIL
    assert "other results" in found.outcome.reason


def test_supported_operations() -> None:
    """A limited driver is asked for what it supports alone, a full one for everything, and passes all of it."""
    wanted = GraphOptions(operations=(1, 4))
    with open_subject(Target("reference", in_process=True)) as subject:
        assert probe_claims(subject, wanted).options(wanted) == [wanted]
    target = Target("reference:minimal", in_process=True)
    with open_subject(target) as subject:
        support = probe_claims(subject, wanted)
    options = support.options(wanted)
    assert options
    assert all(option.only for option in options)
    assert "not supported, and not asked for" in str(support)
    found = [finished for each in options for finished in ended(cases(BOUNDS, range(4), text_of(each)), target)]
    assert {finished.outcome.verdict for finished in found} == {Verdict.PASS}
