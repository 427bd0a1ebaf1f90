"""The harness ``cache``: it changes cache files and a token, and prepares a model from them.

An input chooses changes of the model cache, the data cache and the token of a saved sum. The driver has to answer with
an error or with a model that computes the sum. It must not accept another token or a changed model cache.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from nnvet.adapters.calls import prepare, prepare_from_cache
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, NothingToFuzzError, OneInput
from nnvet.fuzz.steps import StepForm, SumMemory, sum_model
from nnvet.fuzz.target import FuzzedDriver, open_fuzzed
from nnvet.fuzz.words import binary_words
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.hal.enums import BYTE_SIZE_OF_CACHE_TOKEN, NO_DEADLINE
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import ExecutionConfig, Handle, MappableFile, OwnedHandle, PrepareModelConfig

FORM: Final = StepForm(size=24, most=6)
"""The bytes of a step choose a file, a kind of change, a position and a value."""
_MOST_ADDED: Final = 16
_BLOCK: Final = 8
_WORDS: Final = (0, 1, 255, 2**16, 2**31 - 1)
_TOKEN: Final = bytes(range(1, BYTE_SIZE_OF_CACHE_TOKEN + 1))


class Saved(NamedTuple):
    """Saved state of a driver: contents of its model and data cache files, and the token."""

    model: tuple[bytes, ...]
    data: tuple[bytes, ...]
    token: bytes = _TOKEN


class CacheInput:
    """Runs the inputs of the harness on a driver."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Save a sum, and execute it, because drivers may save more after an execution.

        :raises NothingToFuzzError: the driver caches nothing, or cannot prepare the sum.
        """
        self._driver = driver
        self._memory = SumMemory()
        self._saved = self._save()

    def __call__(self, data: bytes) -> None:
        """Change the saved files and token, and prepare a model from them.

        :raises FuzzFinding: the driver dies, raises, accepts what it must refuse, or prepares a wrong model.
        """
        saved = self._saved
        changed = change_saved(FORM.sources(data)[1], saved)
        files = [_file(content) for content in (*changed.model, *changed.data)]
        split = len(changed.model)
        device, timeout_s = self._driver.device, self._driver.timeout_s
        prepared = self._driver.ask(
            lambda: prepare_from_cache(device, files[:split], files[split:], changed.token, timeout_s=timeout_s)
        )
        if isinstance(prepared, HalError):
            # The adapter could not express the call, so the driver has not seen it.
            if changed == saved and prepared.rule != INEXPRESSIBLE:
                raise FuzzFinding(FindingKind.REFUSED, "cache/retrieval", f"unchanged files are refused: {prepared}")
            return
        for is_changed, rule in (
            (changed.token != saved.token, "cache/token"),
            (changed.model != saved.model, "cache/tampered_model_cache"),
        ):
            if is_changed:
                raise FuzzFinding(FindingKind.ACCEPTED, rule, f"prepared with token {changed.token.hex()}")
        self._execute(prepared)

    def _execute(self, prepared: PreparedModel) -> None:
        self._memory.fill(1)
        result = self._driver.ask(
            lambda: prepared.execute_synchronously(self._memory.request, ExecutionConfig(), NO_DEADLINE)
        )
        if isinstance(result, HalError):
            raise FuzzFinding(FindingKind.REFUSED, "execution/status", f"a model from the cache fails: {result}")
        self._memory.check("a model from the cache")

    def _save(self) -> Saved:
        count = self._driver.device.get_number_of_cache_files_needed()
        if not count.num_model_cache:
            raise NothingToFuzzError("the driver has no cache files of models")
        files = [_file(b"") for _ in range(count.num_model_cache + count.num_data_cache)]
        model, data = files[: count.num_model_cache], files[count.num_model_cache :]
        config = PrepareModelConfig(model_cache=tuple(model), data_cache=tuple(data), cache_token=_TOKEN)
        prepared = self._driver.ask(lambda: prepare(self._driver.device, sum_model(), config))
        if isinstance(prepared, HalError):
            raise NothingToFuzzError(f"the driver does not prepare a sum of two floats: {prepared}")
        self._execute(prepared)
        return Saved(tuple(map(_content, model)), tuple(map(_content, data)))


def change_saved(steps: Sequence[PlainBytes], saved: Saved) -> Saved:
    """Return the saved state with the changes that the steps choose."""
    contents = [*saved.model, *saved.data, saved.token]
    for source in steps:
        place = source.ConsumeIntInRange(0, len(contents) - 1)
        change = CHANGES[source.ConsumeIntInRange(0, len(CHANGES) - 1)]
        contents[place] = change(contents[place], source)
    split = len(saved.model)
    return Saved(tuple(contents[:split]), tuple(contents[split:-1]), contents[-1])


def _with_byte(content: bytes, source: PlainBytes) -> bytes:
    at, value = _place(content, source), source.ConsumeIntInRange(0, 255)
    return content[:at] + bytes([value]) + content[at + 1 :]


def _with_word(content: bytes, source: PlainBytes) -> bytes:
    """Replace four or eight bytes by an extreme number, which readers of lengths and offsets may forget to check."""
    size, is_big = (4, 8)[source.ConsumeIntInRange(0, 1)], source.ConsumeIntInRange(0, 1)
    words = (*_WORDS, len(content), len(content) + 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1))
    at, value = _place(content, source), words[source.ConsumeIntInRange(0, len(words) - 1)]
    return content[:at] + value.to_bytes(size, "big" if is_big else "little") + content[at + size :]


def _longer(content: bytes, source: PlainBytes) -> bytes:
    return content + source.ConsumeBytes(1 + source.ConsumeIntInRange(0, _MOST_ADDED - 1))


def _shorter(content: bytes, source: PlainBytes) -> bytes:
    return content[: _place(content, source)]


def _without_block(content: bytes, source: PlainBytes) -> bytes:
    at = _place(content, source)
    return content[:at] + content[at + _BLOCK :]


def _with_blocks_exchanged(content: bytes, source: PlainBytes) -> bytes:
    blocks = [content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK)]
    if blocks:
        first, second = (source.ConsumeIntInRange(0, len(blocks) - 1) for _ in range(2))
        blocks[first], blocks[second] = blocks[second], blocks[first]
    return b"".join(blocks)


CHANGES: Final[tuple[Callable[[bytes, PlainBytes], bytes], ...]] = (
    _with_byte,
    _with_word,
    _longer,
    _shorter,
    _without_block,
    _with_blocks_exchanged,
)
"""Kinds of changes of a file or token."""


def _place(content: bytes, source: PlainBytes) -> int:
    return source.ConsumeIntInRange(0, max(0, len(content) - 1))


def _file(content: bytes) -> MappableFile:
    """Open an unnamed regular file for reading and writing."""
    handle: Handle = OwnedHandle(os.memfd_create("cache"))
    os.pwrite(handle.fd, content, 0)
    return MappableFile(handle, len(content))


def _content(file: MappableFile) -> bytes:
    return os.pread(file.handle.fd, os.fstat(file.handle.fd).st_size, 0)


@contextmanager
def open_cache(target: Target) -> Iterator[OneInput]:
    """Open the harness on a driver; raises like :func:`nnvet.fuzz.target.open_fuzzed`.

    The bundled driver remembers tokens in a folder; here it is a temporary one, which is removed.
    """
    before = os.environ.get(STATE_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_VARIABLE] = folder
        try:
            with open_fuzzed(target) as driver:
                yield CacheInput(driver)
        finally:
            os.environ.pop(STATE_VARIABLE)
            os.environ.update({} if before is None else {STATE_VARIABLE: before})


CACHE: Final = Harness(
    name="cache",
    summary="cache files and tokens with changed, added, missing and exchanged bytes, from which a model is prepared",
    opens=open_cache,
    seeds=lambda: FORM.seeds("cache"),
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    compares=True,
    words=binary_words,
    max_len=FORM.max_len,
)
