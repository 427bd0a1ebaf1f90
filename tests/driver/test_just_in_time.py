"""Additions of executions to the bundled driver's data cache. Values are computed by hand: 1 + 1 + 1 + 1 = 4."""

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import prepare_from_cache
from nnvet.conformance.suites.caching.networks import chain
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import pack_request
from nnvet.graphs.model import TestModel
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import NO_DEADLINE, ExecutionConfig, OperandType, OperationType
from nnvet.reference_driver import create
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.prepared import ReferencePreparedModel
from tests.driver.cache_files import TOKEN, CacheFiles, outputs_of

SUM = chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, 3)
PRODUCT = chain(OperationType.MUL, OperandType.TENSOR_FLOAT32, 2)
FOUR = [[4.0]]
CONSTANTS = 16
"""Bytes of constants of SUM: the activation and three numbers."""


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReferenceDevice:
    """A device that has never cached anything."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return create("")


@pytest.fixture
def cache(tmp_path: Path) -> CacheFiles:
    """Files that do not exist yet."""
    return CacheFiles(tmp_path)


def loaded(device: ReferenceDevice, cache: CacheFiles) -> ReferencePreparedModel:
    """Return the model that was saved."""
    prepared = cache.load(device)
    assert isinstance(prepared, ReferencePreparedModel)
    return prepared


def plans(prepared: ReferencePreparedModel) -> int:
    """Plans that a model has."""
    steps = prepared.compiled.main.operations
    return sum(len(step.plans) for step in steps if isinstance(step, CompiledOperation))


def run(prepared: PreparedModel, test: TestModel = SUM) -> list[list[float]]:
    """Execute once."""
    return [array.tolist() for array in outputs_of(prepared, test)]


def descriptor_is_open(path: Path) -> bool:
    """Return True if this process has the file open."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.exists()]
    return any(link.samefile(path) for link in links)


def test_the_first_execution_adds_plans(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Constants stay; behind them is what later models begin with. The descriptor is closed then."""
    prepared = cache.save(device, SUM)
    constants = cache.data.read_bytes()
    assert len(constants) == CONSTANTS
    assert descriptor_is_open(cache.data)
    assert plans(loaded(device, cache)) == 0
    assert run(prepared) == FOUR
    updated = cache.data.read_bytes()
    assert updated[:CONSTANTS] == constants
    assert len(updated) > CONSTANTS
    assert not descriptor_is_open(cache.data)
    from_cache = loaded(device, cache)
    assert plans(from_cache) == 3
    assert run(from_cache) == FOUR
    assert cache.data.read_bytes() == updated


def test_loaded_models_add_plans_too(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A model that was saved and never executed gets its plans from a model prepared from the cache."""
    cache.save(device, SUM)
    assert run(loaded(device, cache)) == FOUR
    assert plans(loaded(device, cache)) == 3


def test_a_locked_file_is_updated_later(device: ReferenceDevice, cache: CacheFiles) -> None:
    """While somebody has locked the data cache executions leave it alone; the first one after that does not."""
    prepared = cache.save(device, SUM)
    with cache.data.open("r+b") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert run(prepared) == FOUR
        assert cache.data.stat().st_size == CONSTANTS
    assert run(prepared) == FOUR
    assert plans(loaded(device, cache)) == 3


def test_the_file_is_free_after_the_update(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Saving and updating leave no lock behind, not even on the client's own descriptors."""
    with cache.opened() as (model_cache, data_cache):
        cache.save(device, SUM)
        assert run(prepare_from_cache(device, model_cache, data_cache, TOKEN)) == FOUR
        for path in (cache.model, cache.data):
            with path.open("r+b") as other:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_another_models_data_is_left_alone(device: ReferenceDevice, cache: CacheFiles) -> None:
    """If the data cache has got other constants meanwhile, an execution of the first model adds nothing."""
    first = cache.save(device, SUM)
    cache.save(device, PRODUCT, bytes(32))
    others = cache.data.read_bytes()
    assert run(first) == FOUR
    assert cache.data.read_bytes() == others


def test_a_token_used_anew_is_left_alone(device: ReferenceDevice, cache: CacheFiles, tmp_path: Path) -> None:
    """An execution does not add to what the driver knows of its token if that names another model by now."""
    first = cache.save(device, SUM)
    other = CacheFiles(tmp_path / "other")
    other.model.parent.mkdir()
    other.save(device, PRODUCT)
    assert run(first) == FOUR
    assert cache.data.stat().st_size == CONSTANTS
    assert run(other.load(device), PRODUCT) == [[1.0]]


@pytest.mark.parametrize("damage", [lambda plans: plans[:-1], lambda plans: bytes(len(plans))], ids=["cut", "zeros"])
def test_damaged_plans_are_made_anew(
    device: ReferenceDevice, cache: CacheFiles, damage: Callable[[bytes], bytes]
) -> None:
    """Plans that are not what was written are not used; the next execution writes them again."""
    run(cache.save(device, SUM))
    good = cache.data.read_bytes()
    cache.data.write_bytes(good[:CONSTANTS] + damage(good[CONSTANTS:]))
    damaged = loaded(device, cache)
    assert plans(damaged) == 0
    assert run(damaged) == FOUR
    assert cache.data.read_bytes() == good


def one_more(*values: float) -> TestModel:
    """Each of some floats plus 1, in a model that does not know how many there are."""
    graph = GraphBuilder()
    floats = OperandType.TENSOR_FLOAT32
    ones, activation = graph.constant(floats, (1,), [1.0]), graph.scalar(OperandType.INT32, 0)
    data, sums = graph.input(floats, (0,), values), graph.output(floats, (0,), values)
    graph.operation(OperationType.ADD, (data, ones, activation), sums)
    return graph.finish("one_more")


def run_one_more(prepared: PreparedModel, *values: float) -> list[float]:
    """Execute with that many floats."""
    packed = pack_request(one_more(*values))
    (argument,) = packed.request.inputs
    request = replace(packed.request, inputs=(replace(argument, dimensions=(len(values),)),))
    prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
    sums = packed.output_arrays(one_more(*values).main.outputs)[0].tolist()
    packed.close()
    return list(sums)


def test_plans_belong_to_shapes(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A model from the cache has the plan for the shape that was executed, and makes others when they come."""
    saved = cache.save(device, one_more(1.0))
    assert run_one_more(saved, 1.0, 2.0) == [2.0, 3.0]
    from_cache = loaded(device, cache)
    assert plans(from_cache) == 1
    assert run_one_more(from_cache, 1.0, 2.0, 3.0) == [2.0, 3.0, 4.0]
    assert run_one_more(from_cache, 5.0, 6.0) == [6.0, 7.0]
    assert plans(from_cache) == 2
