"""Folder of mined specs: :func:`write_fragments` writes the specs and their manifest (``manifest.py``).

The fragments come from ``collection.py``. Specs that an earlier run has written into the folder are removed.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from nnvet.generators.mining.collection import PROGRAM, Fragment, combined, drawn
from nnvet.generators.mining.manifest import (
    LeftOut,
    Manifest,
    MinedFragment,
    MinedTensor,
    Spread,
    read_manifest,
    write_manifest,
)
from nnvet.generators.reducer.evaluation import NotReducibleError, complete
from nnvet.generators.specs import dump_spec
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import TestModel, Traits, operation_name
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.operand_types import type_info, type_name


def write_fragments(
    folder: Path,
    fragments: list[Fragment],
    models: Mapping[str, int],
    left_out: list[LeftOut],
) -> Manifest:
    """Write a spec for each fragment that the oracle can compute, and return the manifest of all.

    :raises OSError: a file cannot be written.
    :raises ManifestError: the folder has a manifest that cannot be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = read_manifest(folder)
    for old in before.fragments if before else ():
        (folder / f"{old.name}{SPEC_SUFFIX}").unlink(missing_ok=True)
    written: list[MinedFragment] = []
    for fragment in fragments:
        spreads = {index: _one(fragment, index) for index in fragment.spreads}
        try:
            test, _ = complete(_with_values(fragment, spreads))
        except NotReducibleError as error:
            left_out = [*left_out, LeftOut(fragment.name, str(error))]
            continue
        text = _text(fragment, test, spreads)
        (folder / f"{fragment.name}{SPEC_SUFFIX}").write_text(text, encoding="utf-8")
        written.append(_described(fragment, spreads))
    manifest = Manifest(version("nnvet"), dict(models), tuple(written), tuple(left_out))
    write_manifest(folder, manifest)
    read_manifest.cache_clear()
    return manifest


def _one(fragment: Fragment, index: int) -> Spread:
    """Return the distribution of an operand's values.

    For floats it covers all occurrences of the fragment; for codes only the occurrence whose scale the operand has.
    """
    spreads = fragment.spreads[index]
    is_float = type_info(fragment.test.main.operands[index].type).is_float
    return combined(spreads) if is_float else spreads[0]


def _arguments(fragment: Fragment, index: int, spread: Spread) -> dict[str, Any]:
    """Return the arguments of :func:`drawn` for an operand; the seed is the spec's own."""
    operand = fragment.test.main.operands[index]
    seed = zlib.crc32(f"{fragment.name}/{index}".encode())
    whole = not type_info(operand.type).is_float
    count = int(np.prod(operand.dimensions))
    return {"seed": seed, "count": count, **msgspec.structs.asdict(spread), "whole": whole}


def _with_values(fragment: Fragment, spreads: Mapping[int, Spread]) -> TestModel:
    main = fragment.test.main
    changed = {
        index: replace(
            main.operands[index],
            data=np.array(drawn(**_arguments(fragment, index, spread))).astype(
                type_info(main.operands[index].type).dtype
            ),
        )
        for index, spread in spreads.items()
    }
    return replace(fragment.test, main=with_operands(main, changed), traits=Traits(is_bounded=True))


def _text(fragment: Fragment, test: TestModel, spreads: Mapping[int, Spread]) -> str:
    programs = {}
    for index, spread in spreads.items():
        arguments = ", ".join(f"{name}={value!r}" for name, value in _arguments(fragment, index, spread).items())
        programs[index] = f"drawn({arguments})"
    named = ", ".join(f"{count} in {model}" for model, count in fragment.occurrences.items())
    remarks = (
        f"mined: occurs {named}",
        f"tensors of many elements are drawn: {len(programs)}, the others are the model's",
    )
    return dump_spec(test, remarks=remarks, programs=programs, preamble=PROGRAM)


def _described(fragment: Fragment, spreads: Mapping[int, Spread]) -> MinedFragment:
    main = fragment.test.main
    return MinedFragment(
        fragment.name,
        tuple(operation_name(operation.type) for operation in main.operations),
        dict(fragment.occurrences),
        tuple(
            MinedTensor(
                index,
                type_name(main.operands[index].type),
                main.operands[index].dimensions,
                main.operands[index].lifetime != OperandLifeTime.SUBGRAPH_INPUT,
                spread,
            )
            for index, spread in spreads.items()
        ),
    )
