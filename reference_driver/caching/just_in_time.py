"""Adds to the data cache what only an execution can tell: the plans of the operations."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

from msgspec.structs import replace

from nnvet.hal.memory import Handle
from nnvet.reference_driver.caching import files
from nnvet.reference_driver.caching.content import StoredModel, digest
from nnvet.reference_driver.caching.plans import encode_plans
from nnvet.reference_driver.caching.tokens import Entry, TokenMap
from nnvet.reference_driver.compiled import CompiledModel

_log = logging.getLogger("nnvet.reference.cache")


@dataclass
class JustInTimeUpdate:
    """Called after each execution of a cached model; the first that finds the file free updates it.

    ``turn`` and ``tokens`` are those of the cache, ``entry`` and ``stored`` what it knows of the model. ``file`` is a
    duplicate, since clients close their descriptors once the model is prepared; it is closed after the update.
    """

    turn: threading.Lock
    tokens: TokenMap
    token: bytes
    entry: Entry
    stored: StoredModel
    file: Handle
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _done: bool = False

    def __call__(self, compiled: CompiledModel) -> None:
        """Write the plans that ``compiled`` has now, unless that has been done or cannot be done."""
        if self._done or not self._busy.acquire(blocking=False):
            return
        try:
            if not self._done:
                self._done = self._try(encode_plans(compiled))
        finally:
            self._busy.release()

    def _try(self, plans: bytes) -> bool:
        """Update the file; returns whether there is no use in trying again."""
        try:
            with self.turn, files.lock_folder(self.file.fd):
                self._update(plans)
        except BlockingIOError:
            return False
        except OSError as error:
            _log.warning("the data cache is not updated: %s", error)
        self.file.close()
        return True

    def _update(self, plans: bytes) -> None:
        # Meanwhile the file may have got another model's constants.
        size = self.stored.constants_size
        if digest(files.read_at(self.file.fd, size)) != self.stored.constants_hash:
            return
        entry = replace(self.entry, plans_hash=digest(plans), plans_size=len(plans))
        if self.tokens.amend(self.token, self.entry, entry):
            files.overwrite(self.file.fd, plans, size)
