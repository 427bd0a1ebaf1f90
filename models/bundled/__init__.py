"""Networks that come with the project, so that the benchmark works everywhere, without data or network."""

from pathlib import Path
from typing import Final

ZOO: Final = Path(__file__).parent / "zoo"
"""Trained networks with their test data: what is measured if no folder is given."""

SHORT: Final = ("mobilenet_*_64*", "[!m]*")
"""Globs of what is measured beside a run of the suite: all but the classifiers of larger pictures."""
