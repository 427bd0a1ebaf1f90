"""Arguments of a request that a prepared model keeps as long as their memory stays mapped."""

import gc
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError
from nnvet.hal.memory import keep_mapped, mapped
from nnvet.hal.types import BufferToken, ExecutionConfig, Request
from tests.adapters.models import add_model, add_pool, add_request, result_of

CONFIG = ExecutionConfig()


class Adds(BasePreparedModel):
    """Adds; ``wrong`` is put in the place of the results, if it is set."""

    wrong: Any = None

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """The sum of two inputs."""
        self.seen = weakref.ref(inputs[0])
        return [inputs[0] + inputs[1]] if self.wrong is None else self.wrong


class Looks(Adds):
    """Adds what is in the client's memory itself."""

    copies_inputs = True


def kept(request: Request) -> Request:
    """The same request, with memory that stays mapped."""
    return replace(
        request, pools=tuple(pool if isinstance(pool, BufferToken) else keep_mapped(pool) for pool in request.pools)
    )


@pytest.mark.parametrize("kind", [Adds, Looks])
@pytest.mark.parametrize("stays", [False, True])
def test_each_execution_sees_the_memory_as_it_is(kind: type[Adds], stays: bool) -> None:
    """1+3 and 2+4, then with another first number 10+3: by hand."""
    prepared = kind(add_model())
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        request = kept(request) if stays else request
        for first, sums in ((1.0, (4.0, 6.0)), (10.0, (13.0, 6.0)), (10.0, (13.0, 6.0))):
            with mapped(pool) as view:
                view[:4] = np.float32(first).tobytes()
            result = prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
            assert [shape.dimensions for shape in result.output_shapes] == [(2,)]
            assert result_of(pool) == sums


def test_another_request_is_another() -> None:
    """Requests with equal arguments have memory of their own; one that comes again is served from its own."""
    prepared = Looks(add_model())
    with add_pool(1, 2, 3, 4) as one, add_pool(5, 6, 7, 8) as two:
        requests = kept(add_request(one)), kept(add_request(two))
        for request in (*requests, *requests):
            prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
        assert (result_of(one), result_of(two)) == ((4.0, 6.0), (12.0, 14.0))


@pytest.mark.parametrize("wrong", [[np.zeros(3, "f4")], [np.zeros(2, "f8")], [], [np.zeros(2, "f4")] * 2, [None]])
def test_outputs_are_checked_each_time(wrong: list[Any]) -> None:
    """An output that was right in one execution is checked in the next; nothing is written then."""
    prepared = Adds(add_model())
    with add_pool(1, 2, 3, 4) as pool:
        request = kept(add_request(pool))
        prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
        prepared.wrong = wrong
        if wrong and wrong[0] is not None and wrong[0].dtype == np.float64 and len(wrong) == 1:
            # Floats of another width are rounded, as ever.
            prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
            assert result_of(pool) == (0.0, 0.0)
            return
        with pytest.raises(HalError, match="GENERAL_FAILURE"):
            prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
        assert result_of(pool) == (4.0, 6.0)


def test_a_request_that_is_gone_leaves_nothing_mapped() -> None:
    """Arrays that look into its memory go with it."""
    prepared = Looks(add_model())
    with add_pool(1, 2, 3, 4) as pool:
        request = kept(add_request(pool))
        for _ in range(2):
            prepared.execute_synchronously(request, CONFIG, NO_DEADLINE)
        assert prepared.seen() is not None
        del request
        gc.collect()
        assert prepared.seen() is None


def test_several_threads_share_what_is_known() -> None:
    """Executions of one request at once end alike."""
    prepared = Looks(add_model())
    with add_pool(1, 2, 3, 4) as pool, ThreadPoolExecutor(4) as threads:
        request = kept(add_request(pool))
        runs = [threads.submit(prepared.execute_synchronously, request, CONFIG, NO_DEADLINE) for _ in range(200)]
        assert {run.result().output_sufficient_size for run in runs} == {True}
        assert result_of(pool) == (4.0, 6.0)
