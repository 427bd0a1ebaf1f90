"""Measures the compilation of a network as large as MobileNet v1 (1.0, 224): without, into and from a cache.

``python -m benchmarks.compilation_cache`` prints, for the float and the uint8 network, the median times through the
service process, and the bytes that the first execution adds to the data cache.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

from nnvet.adapters.drivers import open_driver
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.formats.tflite.importer import import_model
from nnvet.models.catalogue import ModelEntry
from nnvet.models.compiling import CompileLimits, compile_benchmark
from nnvet.models.contenders import BenchModel
from nnvet.models.driver import DriverContender
from tests.models.toys.layers import Layers

_PICTURE: Final = 224
_CLASSES: Final = 1001
_BLOCKS: Final = (
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *((512, 1),) * 5,
    (1024, 2),
    (1024, 1),
)
_SEED: Final = 1
_LIMITS: Final = CompileLimits(warmup_s=0.5, run_s=5.0)


def network(*, quantized: bool) -> bytes:
    """Return MobileNet v1 with random weights."""
    layers = Layers(_SEED, quantized=quantized)
    data = layers.convolution(layers.picture(_PICTURE), 32, 3, 2)
    for channels, stride in _BLOCKS:
        data = layers.convolution(layers.depthwise(data, stride), channels, 1, 1)
    return layers.classes(layers.pool(data), _CLASSES)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ[STATE_VARIABLE] = scratch
        with open_driver("reference") as driver:
            contender = DriverContender("reference", driver.device)
            for name, quantized in (("float", False), ("uint8", True)):
                path = Path(scratch) / f"{name}.tflite"
                path.write_bytes(network(quantized=quantized))
                entry = ModelEntry(name, 1.0, 1 if quantized else 4, (1, _PICTURE, _PICTURE, 3))
                with import_model(path) as imported:
                    result = compile_benchmark(contender, BenchModel(entry, path, path.read_bytes(), imported), _LIMITS)
                figures = ", ".join(
                    f"{metric} {latency.p50_s * 1e3:.1f} ms" for metric, latency in result.latencies.items()
                )
                print(f"{name}: {figures}, {result.cache_size_bytes / 1e6:.1f} MB of cache files {result.error}")


if __name__ == "__main__":
    main()
