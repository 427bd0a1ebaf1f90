"""Drivers that die at some starts of their process, and count starts or deaths in a folder that a test names."""

import os
import signal
from pathlib import Path

from nnvet.hal.interfaces import Device
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Request
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import with_prepared_model
from nnvet.reference_driver.zoo.runs import crash, end_by


def stillborn() -> Device:
    """The process dies before there is a device."""
    end_by(signal.SIGSEGV)


def mortal() -> Device:
    """The driver ``zoo:run-crash``, which starts only as often as there are files in a folder."""
    lives = sorted(Path(os.environ["NNVET_TEST_LIVES"]).iterdir())
    if not lives:
        end_by(signal.SIGSEGV)
    lives[0].unlink()
    return crash()


def unsteady() -> Device:
    """The driver ``zoo:run-crash``, which dies at its first start and at its third."""
    folder = Path(os.environ["NNVET_TEST_STARTS"])
    number = len(list(folder.iterdir())) + 1
    (folder / str(number)).touch()
    if number in (1, 3):
        end_by(signal.SIGSEGV)
    return crash()


def moody() -> Device:
    """A driver that dies of its third execution, but only if no driver of this kind has done so before."""

    class Prepared(ReferencePreparedModel):
        left = 2

        def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
            """Die once."""
            mark = Path(os.environ["NNVET_TEST_MOOD"])
            Prepared.left -= 1
            if Prepared.left < 0 and not mark.exists():
                mark.touch()
                os._exit(6)
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Prepared)
