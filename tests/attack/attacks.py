"""All attacks, as a table: the tests run the short form of each, ``make attack`` the long one."""

from __future__ import annotations

from typing import Final

from tests.attack.chaos import CHAOS, RUNNERS, WORKERS
from tests.attack.damage import LOGS
from tests.attack.disk import DISK
from tests.attack.drivers import DRIVERS
from tests.attack.exhaustion import DESCRIPTORS, PROCESSES
from tests.attack.figures import Attack
from tests.attack.files import FILES
from tests.attack.floods import FLOODS
from tests.attack.replies import REPLIES
from tests.attack.requests import REQUESTS
from tests.attack.schedulers import SCHEDULERS
from tests.attack.signals import SIGNALS
from tests.faults.running import FAULTS

ATTACKS: Final[tuple[Attack, ...]] = (
    *(REPLIES, REQUESTS, FLOODS, DRIVERS),
    *(CHAOS, RUNNERS, WORKERS, SCHEDULERS, SIGNALS, DISK, DESCRIPTORS, PROCESSES, LOGS, FILES),
    FAULTS,
)
