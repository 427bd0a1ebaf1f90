"""The short form of every attack: the suite withstands each try; ``make attack`` is longer still."""

from pathlib import Path

import pytest

from tests.attack.attacks import ATTACKS
from tests.attack.figures import Attack

pytestmark = pytest.mark.long

SEED = 1


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "-"))
def test_withstood(attack: Attack, tmp_path: Path) -> None:
    """Each try ends as it has to, and as many were made as were asked for; one that needs another user is skipped."""
    figures = attack.run(attack.short, SEED, tmp_path)
    if figures.notes.startswith("skipped: "):
        pytest.skip(figures.notes)
    assert figures.wrongs == []
    assert figures.right == figures.tried >= attack.short
    assert figures.peak_mib < attack.memory_limit_mib
