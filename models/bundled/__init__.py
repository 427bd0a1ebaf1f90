"""Networks that come with the project, so that the benchmark works everywhere, without data or network."""

from pathlib import Path
from typing import Final

ZOO: Final = Path(__file__).parent / "zoo"
"""Folder of the bundled networks and their test data, which are measured if no other folder is given."""

SHORT: Final = ("mobilenet_*_64*", "[!m]*")
"""Globs of the networks that a run of the suite also measures: all except the classifiers of larger pictures."""
