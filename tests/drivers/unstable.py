"""Drivers that go wrong although no call fails: their process is replaced, or they print an error."""

import subprocess
import sys

from nnvet.hal.interfaces import Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Request
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice
from nnvet.reference_driver.prepared import ReferencePreparedModel

_AFTER = 10
_COUNT = [0]


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])


def replaces_its_worker() -> Device:
    """After some executions another process does the work, without any failing call."""
    worker = [_started()]

    class Working(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Lose the worker once."""
            _COUNT[0] += 1
            if _COUNT[0] == _AFTER:
                worker[0].kill()
                worker[0].wait()
                worker[0] = _started()
            return super().run(request, config, deadline_ns)

    device = ReferenceDevice(VARIANTS[""])
    device.prepared_model = Working
    return device


def prints_an_error() -> Device:
    """After some executions it says that something in it is wrong."""

    class Printing(ReferencePreparedModel):
        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Print once."""
            _COUNT[0] += 1
            if _COUNT[0] == _AFTER:
                sys.stderr.write("my_driver: fatal error: lost a DMA channel\n")
                sys.stderr.flush()
            return super().run(request, config, deadline_ns)

    device = ReferenceDevice(VARIANTS[""])
    device.prepared_model = Printing
    return device
