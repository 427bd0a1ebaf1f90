"""Fixtures of compilation caching: save models in cache files, prepare from these files, judge the driver's answers.

Checks open a :class:`Cache` with :func:`working_cache` or, without the question whether caching works at all, with
:func:`fresh_cache`. Clients of stress tests and :mod:`nnvet.conformance.upgrade` use it, too. A case is UNSUPPORTED
where VTS would skip its test silently. All checks of caching also test a rule that VTS does not check: a failing
preparation notifies its callback once, with the status that it raises. Source: docs/contract/vts-tests.md 5.1.

The suite opens cache files with care, since a driver can reach their folder and put anything there. Opening a pipe
would block for ever, a link may lead to the user's files, and a file may claim to be larger than memory. Each of these
is a FAIL of the driver.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from nnvet.adapters.calls import PreparedModelRecorder, prepare_from_cache, session_of
from nnvet.conformance.kit.notified import Ledger
from nnvet.conformance.kit.outcome import CaseFailed, Outcome, fail, unsupported
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.caching.networks import CachedNetwork
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel

RULE: Final = "cache/files.kept"
"""Rule that a driver breaks which replaces a cache file by something else."""
MOST_BYTES: Final = 256 << 20
"""Limit of a cache file's size, for small models: more than the machine code of any driver."""

_CAREFUL: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags for opening a cache file: follow no link, do not wait for the other end of a pipe, pass nothing to children."""
_REPLACED: Final = {
    errno.ELOOP: "is a link now",
    errno.ENXIO: "is a pipe or a socket now",
    errno.EISDIR: "is a folder now",
    errno.ENOENT: "is not there any more",
    errno.ENOTDIR: "is not in a folder any more",
    errno.EACCES: "must not be opened any more",
}
"""Errors of opening that show that the driver has replaced a file, with the words of the message."""


def open_file(path: Path, flags: int) -> tuple[int, int]:
    """Open a cache file, which the caller has to close, and return its descriptor and size.

    :raises CaseFailed: the driver has put something else there, or it is too large.
    """
    try:
        fd = os.open(path, flags | _CAREFUL, 0o600)
    except OSError as error:
        if error.errno not in _REPLACED:
            raise
        raise _blame(path, _REPLACED[error.errno]) from error
    with ExitStack() as undo:
        undo.callback(os.close, fd)
        state = os.fstat(fd)
        if not stat.S_ISREG(state.st_mode):
            raise _blame(path, "is no regular file any more")
        if state.st_size > MOST_BYTES:
            raise _blame(path, f"has {state.st_size} bytes, more than {MOST_BYTES}")
        # The descriptor may be passed to the driver, so it has to behave like any other.
        os.set_blocking(fd, True)
        undo.pop_all()
    return fd, state.st_size


def read_file(path: Path) -> bytes:
    """Return the content of a cache file.

    :raises CaseFailed: like :func:`open_file`.
    """
    with _open_checked(path, os.O_RDONLY) as (fd, size), os.fdopen(fd, "rb", closefd=False) as file:
        return file.read(size)


def write_file(path: Path, content: bytes) -> None:
    """Replace the content of a cache file.

    :raises CaseFailed: like :func:`open_file`.
    """
    with _open_checked(path, os.O_RDWR) as (fd, _), os.fdopen(fd, "wb", closefd=False) as file:
        file.truncate(0)
        file.write(content)


def size_of_file(path: Path) -> int:
    """Return the size of a cache file in bytes.

    :raises CaseFailed: like :func:`open_file`.
    """
    with _open_checked(path, os.O_RDONLY) as (_, size):
        return size


@contextmanager
def _open_checked(path: Path, flags: int) -> Iterator[tuple[int, int]]:
    """Open a cache file for as long as the block runs; descriptor, size and errors are those of :func:`open_file`."""
    fd, size = open_file(path, flags)
    try:
        yield fd, size
    finally:
        os.close(fd)


def _blame(path: Path, what: str) -> CaseFailed:
    """Return the failure of a driver that has changed a cache file behind the suite's back."""
    return fail(RULE, f"the driver has changed a cache file itself: {path.name} {what}")


FAILED: Final = frozenset({hal.ErrorStatus.GENERAL_FAILURE})
"""Allowed statuses where the contract demands GENERAL_FAILURE."""
REFUSED: Final = frozenset({hal.ErrorStatus.GENERAL_FAILURE, hal.ErrorStatus.INVALID_ARGUMENT})
"""Allowed statuses for bad arguments of a preparation from a cache."""

WORKS: Final = (
    "cache/files.count",
    "cache/same_results",
    "cache/save_never_fails",
    "cache/retrieval",
    "prepare/notified_once",
    RULE,
)
"""Rules that every check of caching may find broken, because it saves, prepares from files and executes."""

Content = dict[Path, bytes]
"""Contents of files by path."""


class Files(NamedTuple):
    """Open cache files of both kinds, in the order in which the HAL's methods take them."""

    model: tuple[hal.MappableFile, ...]
    data: tuple[hal.MappableFile, ...]


@dataclass(frozen=True)
class Retrieval:
    """A driver's answer to a preparation from a cache."""

    status: hal.ErrorStatus
    prepared: PreparedModel | None = None
    message: str = ""

    def check_refused(self, rule: str, what: str, statuses: Collection[hal.ErrorStatus] = REFUSED) -> None:
        """Check that the preparation failed.

        :raises CaseFailed: with ``rule``, if it has another status than one of ``statuses``.
        """
        if self.status not in statuses:
            names = " or ".join(sorted(status.name for status in statuses))
            reason = f"preparing from a cache with {what} gives {self.status.name}, not {names}"
            raise fail(rule, reason, status=self.status.name, driver_message=self.message)


@dataclass(frozen=True)
class Cache:
    """The cache files of a case, in a folder of their own, and the network to save in them.

    At first the files are empty. ``token`` is the token under which the network is saved, ``needed`` the numbers of
    files that the driver asks for.
    """

    subject: Subject
    network: CachedNetwork
    needed: hal.NumberOfCacheFiles
    folder: Path
    token: bytes

    @property
    def model_paths(self) -> list[Path]:
        """Return the paths of the model cache."""
        return [self.folder / f"model{index}" for index in range(self.needed.num_model_cache)]

    @property
    def data_paths(self) -> list[Path]:
        """Return the paths of the data cache."""
        return [self.folder / f"data{index}" for index in range(self.needed.num_data_cache)]

    @property
    def paths(self) -> list[Path]:
        """Return the paths of the model cache, then those of the data cache."""
        return [*self.model_paths, *self.data_paths]

    @property
    def spare(self) -> Path:
        """Return the path of one file more than the driver has asked for."""
        return self.folder / "tmp"

    @property
    def is_supported(self) -> bool:
        """Return True if the driver has cache files at all."""
        return bool(self.paths)

    def wrong_counts(self) -> Iterator[tuple[str, list[Path], list[Path]]]:
        """Yield a description with model and data files: one file too many or, if there are any, one too few."""
        models, datas = self.model_paths, self.data_paths
        yield "one model cache file too many", [*models, self.spare], datas
        if models:
            yield "one model cache file too few", models[:-1], datas
        yield "one data cache file too many", models, [*datas, self.spare]
        if datas:
            yield "one data cache file too few", models, datas[:-1]

    @contextmanager
    def open_files(
        self,
        model_paths: Sequence[Path] | None = None,
        data_paths: Sequence[Path] | None = None,
        modes: Mapping[Path, int] | None = None,
        offset: int = 0,
    ) -> Iterator[Files]:
        """Open the cache files, or others instead, for reading and writing or with the given ``modes``.

        Each descriptor stands at ``offset``, in bytes.
        """
        with ExitStack() as stack:

            def open_each(paths: Sequence[Path]) -> tuple[hal.MappableFile, ...]:
                files = []
                for path in paths:
                    fd, size = open_file(path, (modes or {}).get(path, os.O_RDWR) | os.O_CREAT)
                    stack.callback(os.close, fd)
                    os.lseek(fd, offset, os.SEEK_SET)
                    files.append(hal.MappableFile(hal.Handle(fd), size))
                return tuple(files)

            yield Files(
                open_each(self.model_paths if model_paths is None else model_paths),
                open_each(self.data_paths if data_paths is None else data_paths),
            )

    def save(
        self, files: Files | None = None, token: bytes | None = None, network: CachedNetwork | None = None
    ) -> PreparedModel:
        """Prepare the network, or another one, and save it in cache files, by default those of the case.

        :raises CaseFailed: the preparation fails.
        """
        own = self.token if token is None else token
        try:
            with self._open_unless_given(files) as (model, data):
                config = hal.PrepareModelConfig(model_cache=model, data_cache=data, cache_token=own)
                return self.subject.prepare((network or self.network).model, config)
        except HalError as error:
            reason = f"a model that can be prepared without cache files cannot be prepared with these: {error}"
            raise fail("cache/save_never_fails", reason, status=error.status.name, driver_rule=error.rule) from error

    def load(
        self, files: Files | None = None, token: bytes | None = None, deadline_ns: int = hal.NO_DEADLINE
    ) -> Retrieval:
        """Prepare from cache files, those of the case by default.

        :raises CaseFailed: the driver does not notify exactly once, or notifies another status than it raises.
        """
        own, recorder = self.token if token is None else token, PreparedModelRecorder()
        device, timeout_s = self.subject.device, self.subject.timeout_s
        try:
            with self._open_unless_given(files) as (model, data):
                prepared = prepare_from_cache(
                    device, model, data, own, deadline_ns, timeout_s=timeout_s, callback=recorder
                )
        except HalError as error:
            ledger = Ledger(self.subject, "prepare")
            ledger.refused(recorder, error.status, "preparing from a cache", driver_message=error.message)
            ledger.settle()
            return Retrieval(error.status, message=error.message)
        session = session_of(device)
        if session is not None:
            session.settle()
        if len(recorder.notifications) != 1:
            statuses = [status.name for status, _ in recorder.notifications]
            raise fail("prepare/notified_once", f"preparing from a cache is notified {statuses}")
        return Retrieval(hal.ErrorStatus.NONE, prepared)

    def retrieve(self, files: Files | None = None) -> PreparedModel:
        """Prepare the saved model from the cache files, and check its results.

        :raises CaseFailed: preparing fails with another status than GENERAL_FAILURE, or results are wrong; UNSUPPORTED
            if it fails with GENERAL_FAILURE, which is allowed to a driver that has stored nothing.
        """
        with self._open_unless_given(files) as given:
            retrieval = self.load(given)
            if retrieval.prepared is not None:
                self.network.check(self.subject, retrieval.prepared)
                return retrieval.prepared
            retrieval.check_refused("cache/retrieval", "unchanged files", FAILED)
            # A client then compiles with the same files, and some drivers use the files only that way.
            self.network.check(self.subject, self.save(given), "cache/fallback")
        reason = f"the driver does not prepare what it was given to save: {retrieval.message}"
        raise unsupported(reason, "cache/retrieval")

    def _open_unless_given(self, files: Files | None) -> AbstractContextManager[Files]:
        """Return a block with the given files, which stay open afterwards, or with all files of the case."""
        return self.open_files() if files is None else nullcontext(files)

    def content(self, paths: Sequence[Path] | None = None) -> Content:
        """Return the contents of files, by default all of them."""
        return {path: read_file(path) for path in (self.paths if paths is None else paths)}


@contextmanager
def fresh_cache(subject: Subject, network: CachedNetwork, token: bytes | None = None) -> Iterator[Cache]:
    """Open cache files for a network, under the given token or one that nothing else uses.

    :raises CaseFailed: the driver asks for an impossible number of files.
    """
    needed = subject.device.get_number_of_cache_files_needed()
    for count in (needed.num_model_cache, needed.num_data_cache):
        if not 0 <= count <= hal.MAX_NUMBER_OF_CACHE_FILES:
            raise fail("cache/files.count", f"the driver asks for {count} cache files")
    with tempfile.TemporaryDirectory(prefix="nnvet-cache-", ignore_cleanup_errors=True) as folder:
        own = os.urandom(hal.BYTE_SIZE_OF_CACHE_TOKEN) if token is None else token
        cache = Cache(subject, network, needed, Path(folder), own)
        for path in (*cache.paths, cache.spare):
            path.touch(0o600)
        yield cache


@contextmanager
def working_cache(subject: Subject, network: CachedNetwork) -> Iterator[Cache]:
    """Open cache files like :func:`fresh_cache`, after checking that the driver can load what it saves.

    A driver that refuses everything would seem to detect every manipulation. The check runs once per network and
    driver.

    :raises CaseFailed: UNSUPPORTED if the driver cannot load it, or does not cache at all.
    """
    key = "caching", "retrieval", network.test.name
    if key not in subject.shared:
        subject.shared[key] = None
        with fresh_cache(subject, network) as cache:
            try:
                require_files(cache)
                cache.save()
                cache.retrieve()
            except CaseFailed as failed:
                subject.shared[key] = failed.outcome
    outcome: Outcome | None = subject.shared[key]
    if outcome is not None:
        raise CaseFailed(outcome)
    with fresh_cache(subject, network) as cache:
        yield cache


def require_files(cache: Cache) -> None:
    """Check that the driver caches.

    :raises CaseFailed: UNSUPPORTED if it does not.
    """
    if not cache.is_supported:
        raise unsupported("the driver does not cache", "cache/unsupported")


def require_model_files(cache: Cache) -> None:
    """Check that the driver has model cache files.

    :raises CaseFailed: UNSUPPORTED if it has none.
    """
    if not cache.model_paths:
        raise unsupported("the driver needs no model cache files")
