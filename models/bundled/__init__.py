"""Neural networks that come with the project, so that the benchmark works without downloads."""

from pathlib import Path
from typing import Final

ZOO: Final = Path(__file__).parent / "zoo"
"""Folder of the bundled networks and their test data, the default of the benchmark."""

SHORT: Final = ("mobilenet_*_64*", "[!m]*")
"""Globs of the networks that a run of the suite measures as well: all except classifiers of larger pictures."""
