"""The kind ``answers``: a driver that returns the outputs that somebody has computed for a bundle; it computes nothing.

A bundle is a folder of cases that is sent to somebody without nnvet, the runner, who runs the cases and sends the
outputs back. :mod:`nnvet.conformance.bundles` makes a bundle by running the cases on a device that records all
executions. To judge the outputs, nnvet runs the same cases on the device of this module, which looks up each execution
by a digest of its model and inputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from nnvet.adapters.files.command import read_end
from nnvet.adapters.files.layout import FORMAT, MANIFEST, FilesManifest, FileTensor, digest, read_outputs
from nnvet.adapters.selector import INEXPRESSIBLE, SelectorError
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import failure
from nnvet.hal.memory import mapped
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reports.files import LARGEST, MALFORMED, read_foreign

KEY: Final = "judge.json"
"""The file with the facts that only nnvet needs to judge the outputs. The sender of the bundle may keep it back."""


class BundledExecution(msgspec.Struct, frozen=True):
    """An execution of the bundle: the name of its case, and all outputs of the HAL's model."""

    name: str
    outputs: tuple[FileTensor, ...]


class BundleKey(msgspec.Struct, frozen=True):
    """The judge's part of a bundle: the selection of its cases, as in a run's log, and the digest of the ``manifest``.

    ``executions`` are found by :func:`execution_key`. ``refused`` has, by :func:`model_key`, the models that files of
    the format cannot express, with a reason for each operation, which is empty if the operation is not at fault.
    """

    format: str
    nnvet: str
    manifest: str
    only: tuple[str, ...]
    operations: tuple[str, ...]
    shard: str
    level: int | None
    executions: dict[str, BundledExecution]
    refused: dict[str, tuple[str, ...]]


class BundleError(Exception):
    """Raised if a folder is not a bundle, or was changed since it was sent; the text names the fault."""


def model_key(model: Model) -> str:
    """Return a digest of the contents of a model.

    :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
    """
    parts = (model.main, model.referenced, model.operand_values, model.relax_computation_float32_to_float16)
    found = hashlib.sha256(msgspec.msgpack.encode(parts))
    for pool in model.pools:
        with mapped(pool, writable=False) as content:
            found.update(content)
    return found.hexdigest()


def execution_key(model: str, inputs: Sequence[Array | None]) -> str:
    """Return a digest of an execution: its model's digest, and its inputs with their shapes."""
    found = hashlib.sha256(model.encode())
    for value in inputs:
        found.update(b"-" if value is None else f"{value.dtype.name}{value.shape}".encode() + value.tobytes())
    return found.hexdigest()


def read_bundle(folder: Path) -> tuple[FilesManifest, BundleKey]:
    """Return the manifest and the judge's key of a bundle.

    :raises BundleError: a file is missing, malformed, or was changed.
    """
    try:
        content = read_foreign(folder / MANIFEST, LARGEST)
        key = msgspec.json.decode(read_foreign(folder / KEY, LARGEST), type=BundleKey)
        if digest(content) != key.manifest:
            raise BundleError(f"{folder / MANIFEST} is not as it was sent: its digest is another one")
        manifest = msgspec.json.decode(content, type=FilesManifest)
    except OSError as error:
        raise BundleError(f"{error.filename} cannot be read: {error.strerror}; make it with nnvet bundle") from error
    except MALFORMED as error:
        raise BundleError(f"{folder} is no bundle: {error}") from error
    if key.format != FORMAT or manifest.format != FORMAT:
        raise BundleError(f"{folder}: the format is {key.format!r}, not {FORMAT!r}")
    return manifest, key


def check_files(folder: Path, manifest: FilesManifest) -> None:
    """Compare models and inputs that were sent back with their digests; it does not matter if files are missing.

    :raises BundleError: a file was changed.
    """
    for case in manifest.cases:
        for file, known in case.files.items():
            path = folder / file
            try:
                content = read_foreign(path, LARGEST)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise BundleError(f"{path} cannot be read: {error.strerror}") from error
            if digest(content) != known:
                raise BundleError(f"{path} is not as it was sent: its digest is another one")


def create(arguments: str) -> AnswersDevice:
    """Return the device of ``FOLDER``.

    :raises SelectorError: the folder is not a bundle.
    """
    folder = Path(arguments)
    try:
        return AnswersDevice(folder, *read_bundle(folder))
    except BundleError as error:
        raise SelectorError(f"driver 'answers:{arguments}': {error}") from error


class AnswersDevice(BaseDevice):
    """A device that supports only the models of a bundle."""

    def __init__(self, folder: Path, manifest: FilesManifest, key: BundleKey) -> None:
        """Take the outputs from a folder."""
        self.folder = folder
        self.key = key
        self.name = f"answers-{manifest.models}"
        self.version = f"bundle of nnvet {manifest.nnvet}"

    def plan(self, model: Model) -> _AnswersPlan:
        """Return the plan for a model, which is supported if the bundle could express it."""
        return _AnswersPlan(self, model)

    def answer(self, model: str, inputs: Sequence[Array | None]) -> list[Array] | None:
        """Return the outputs for a model's digest and inputs; None if the bundle has no such execution.

        :raises HalError: GENERAL_FAILURE if there are no outputs. If the runner's command failed on the case, the rule
            is the one that this failure breaks.
        """
        execution = self.key.executions.get(execution_key(model, inputs))
        if execution is None:
            return None
        if (end := read_end(self.folder, execution.name)) is not None:
            raise end.as_error()
        return read_outputs(self.folder, execution.name, execution.outputs)


class _AnswersPlan:
    """Plan of a model that the bundle has, for :class:`AnswersDevice`."""

    def __init__(self, device: AnswersDevice, model: Model) -> None:
        self._device = device
        self._model = model
        self._key = model_key(model)
        self._reasons = device.key.refused.get(self._key, ("",) * len(model.main.operations))

    @property
    def supported(self) -> tuple[bool, ...]:
        """True for each operation that the bundle could express."""
        return tuple([not reason for reason in self._reasons])

    @property
    def refusal(self) -> str:
        """The reason of the first operation that the bundle could not express."""
        return next((reason for reason in self._reasons if reason), "")

    def compile(self, config: PrepareModelConfig) -> BasePreparedModel:
        """Return a prepared model, which looks up the outputs when it has inputs."""
        del config
        return _AnswersPrepared(self._device, self._model, self._key)


class _AnswersPrepared(BasePreparedModel):
    """A prepared model whose executions are looked up in the bundle."""

    def __init__(self, device: AnswersDevice, model: Model, key: str) -> None:
        super().__init__(model)
        self._device = device
        self._key = key

    def compute(self, inputs: Sequence[Any]) -> list[Array]:
        """Return the outputs that were sent back for these inputs.

        :raises HalError: GENERAL_FAILURE if there are none; with the rule ``adapter/inexpressible`` if the bundle does
            not have the execution.
        """
        found = self._device.answer(self._key, inputs)
        if found is None:
            raise failure("the bundle has no such execution", INEXPRESSIBLE)
        return found
