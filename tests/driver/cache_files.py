"""Cache files for the tests of the bundled driver's cache, and what prepared models make of a test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nnvet.adapters import prepare, prepare_from_cache
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import ExecutionConfig, Handle, MappableFile, PrepareModelConfig

TOKEN = bytes(range(32))


class CacheFiles:
    """A model and a data cache file in a folder; the driver may be reached with or without a wire."""

    def __init__(self, folder: Path) -> None:
        """Name the files; the first use makes them."""
        self.model = folder / "model"
        self.data = folder / "data"

    @contextmanager
    def opened(self, flags: int = os.O_RDWR) -> Iterator[tuple[tuple[MappableFile], tuple[MappableFile]]]:
        """Both files while the block runs."""
        descriptors = [os.open(path, flags | os.O_CREAT, 0o600) for path in (self.model, self.data)]
        model, data = (MappableFile(Handle(fd), 0) for fd in descriptors)
        try:
            yield (model,), (data,)
        finally:
            for fd in descriptors:
                os.close(fd)

    def save(self, device: Device, test: TestModel, token: bytes = TOKEN, flags: int = os.O_RDWR) -> PreparedModel:
        """Prepare a test's model and have it saved; its pools are closed before it returns."""
        model = build_model(test)
        with self.opened(flags) as (model_cache, data_cache):
            config = PrepareModelConfig(model_cache=model_cache, data_cache=data_cache, cache_token=token)
            try:
                return prepare(device, model, config, 30.0)
            finally:
                close_pools(model)

    def load(self, device: Device, token: bytes = TOKEN) -> PreparedModel:
        """Prepare what was saved."""
        with self.opened() as (model_cache, data_cache):
            return prepare_from_cache(device, model_cache, data_cache, token, timeout_s=30.0)


def outputs_of(prepared: PreparedModel, test: TestModel) -> list[Array]:
    """Return a prepared model's results for the test's inputs, as flat arrays."""
    packed = pack_request(test)
    try:
        prepared.execute_synchronously(packed.request, ExecutionConfig(), NO_DEADLINE)
        return packed.output_arrays(test.main.outputs)
    finally:
        packed.close()
