"""Spec files of the operations of an extension that brings their meaning: each type, rank and form, several times.

Expected values are the oracle's. ``python -m nnvet.generators.corpus --extension NAME --folder DIR`` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.extensions import signatures_of_extensions
from nnvet.generators.random_graphs.generate import single_operation
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.specs.dump import dump_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.hal.levels import version_name

_SMALL = SizeLimits(6, 100)


def extension_texts(extension: str, count: int) -> dict[str, str]:
    """Return the text of each spec file by its path: ``count`` of each form, type and rank.

    :raises ValueError: no known extension of that name brings the meaning of an operation.
    """
    texts = {}
    for signature in signatures_of_extensions():
        if not signature.name.startswith(f"{extension}::"):
            continue
        for kind in signature.types:
            for rank in signature.ranks:
                for number in range(count):
                    short = f"{signature.name.partition('::')[2]}_{kind.name}_rank{rank}_{number}".lower()
                    name = f"{extension}/{short}"
                    test = single_operation(SeededChooser(name), name, signature, kind, rank, _SMALL)
                    path = f"{version_name(signature.level)}/{re.sub('[^a-z0-9_]', '_', short)}{SPEC_SUFFIX}"
                    texts[path] = dump_spec(with_golden_results(replace(test, name=short)))
    if not texts:
        raise ValueError(f"no known extension {extension!r} brings the meaning of an operation")
    return texts


def write_extension(extension: str, folder: Path, count: int) -> list[str]:
    """Write the spec files of an extension into a folder; returns their paths there."""
    texts = extension_texts(extension, count)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return sorted(texts)
