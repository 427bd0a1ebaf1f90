"""All attacks, as a table: the tests run the short form of each, ``make attack`` the long one."""

from __future__ import annotations

from typing import Final

from tests.attack.figures import Attack
from tests.attack.replies import REPLIES
from tests.attack.requests import REQUESTS

ATTACKS: Final[tuple[Attack, ...]] = (REPLIES, REQUESTS)
