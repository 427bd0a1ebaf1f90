"""A driver that returns the threads on which it was called as its version; reached by ``python:FILE:NAME``."""

import json
import threading
from collections.abc import Sequence
from typing import Any

from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.interfaces import Burst, PreparedModel
from nnvet.hal.types import ExecutionConfig, ExecutionResult, Model, Operation, PrepareModelConfig, Request

_seen: dict[str, set[str]] = {}


def _record(call: str) -> None:
    _seen.setdefault(call, set()).add(threading.current_thread().name)


class Recording(BaseDevice):
    """Supports everything, and adds."""

    def __init__(self) -> None:
        """Be made."""
        _record("factory")

    def get_version_string(self) -> str:
        """Names of threads by what was called on them."""
        _record("get_version_string")
        return json.dumps({call: sorted(names) for call, names in _seen.items()})

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything."""
        del model, operation
        _record("supports")
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """A sum."""
        del config
        _record("compile")
        return _Sum(model)


class _Sum(BasePreparedModel):
    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        # The client numbers its executions by what it has added.
        _record(f"compute {inputs[0][0]:.0f}")
        return [inputs[0] + inputs[1]]

    def configure_execution_burst(self) -> Burst:
        _record("configure_execution_burst")
        return _Watched(super().configure_execution_burst())

    def __del__(self) -> None:
        _record("__del__")


class _Watched:
    def __init__(self, burst: Burst) -> None:
        self._burst = burst

    def execute_synchronously(
        self, request: Request, memory_identifier_tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        return self._burst.execute_synchronously(request, memory_identifier_tokens, config, deadline_ns)

    def release_memory_resource(self, memory_identifier_token: int) -> None:
        _record("release_memory_resource")
        self._burst.release_memory_resource(memory_identifier_token)
