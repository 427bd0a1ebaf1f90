"""Drivers whose faults have a place; reached by ``python:FILE:NAME``. Tests find the places by their marks."""

import faulthandler
import os
import signal
import sys
import threading
from typing import Any

from nnvet.adapters import INEXPRESSIBLE
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import failure, invalid
from nnvet.hal.types import Model, Operation, PrepareModelConfig


class Executing(BasePreparedModel):
    """Raises an exception by mistake."""

    def compute(self, inputs: Any) -> Any:
        """Divide by zero in Python, which is no refusal."""
        return [inputs[0], 1 // 0]  # PLACE: execution


class Everything(BaseDevice):
    """Claims all operations."""

    name = "everything"

    def supports(self, model: Model, operation: Operation) -> bool:
        """All."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Succeed."""
        del config
        return Executing(model)


class RaisesInCompile(Everything):
    """An exception on the thread that compiles."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Raise."""
        del model, config
        raise KeyError("weights")  # PLACE: compilation


class RefusesInCompile(Everything):
    """A refusal in words, on the thread that compiles."""

    def compile(self, model: Model, config: PrepareModelConfig) -> Any:
        """Refuse."""
        del model, config
        raise failure("no such weights", "prepare/supported")


class RaisesWhenAsked(Everything):
    """An exception in the first call, whatever the operation."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """Raise."""
        del model, operation
        sys.stderr.write("looking at an operation\n")
        raise ValueError("not\nthat one")  # PLACE: question


class DiesOfInvalidModels(Everything):
    """Dies of any model that has an operand of a type that it does not know, in native code as far as one can see."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Die, or answer."""
        sys.stderr.write("asked\n")
        try:
            return super().get_supported_operations(model)
        except BaseException:
            faulthandler.disable()
            os.kill(os.getpid(), signal.SIGSEGV)
            threading.Event().wait()
            raise


class Segfaults(Everything):
    """Dies in Python, where faulthandler sees it."""

    def supports(self, model: Model, operation: Operation) -> bool:
        """Read address 0."""
        del model, operation
        faulthandler._sigsegv()  # type: ignore[attr-defined]  # PLACE: crash
        return False


class Chatty(Segfaults):
    """Prints a line when it starts, and dies later."""

    def __init__(self) -> None:
        """Talk."""
        sys.stderr.write("hello from long ago\n")


class BehindAnApi(Everything):
    """Cannot pass on models without inputs."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Refuse a call that cannot be expressed."""
        if not model.main.input_indexes:
            raise invalid("a model has inputs", INEXPRESSIBLE)
        return super().get_supported_operations(model)
