"""The bundled driver, but no execution is fast: reached by ``python:FILE:slow``."""

import threading

from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request
from nnvet.reference_driver.device import ReferenceDevice, create
from nnvet.reference_driver.prepared import ReferencePreparedModel

_PAUSE_S = 0.04
_never = threading.Event()


class _Prepared(ReferencePreparedModel):
    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        _never.wait(_PAUSE_S)
        return super().run(request, config, deadline_ns)


class _Slow(ReferenceDevice):
    def compile(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        return _Prepared(model, super().compile(model, config)._compiled)


def slow() -> ReferenceDevice:
    """Right in all it does; a small run takes long enough to be attacked in the middle."""
    return _Slow(create("")._variant)
