"""Damaged files of every kind that is read: each is read, or refused with the error that commands show as a sentence.

:mod:`tests.attack.damage` has logs, which whole commands read there.
"""

from __future__ import annotations

import datetime as dt
import io
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from nnvet.adapters.files.answers import KEY, BundleError, BundleKey, check_files, read_bundle
from nnvet.adapters.files.layout import FORMAT, MANIFEST, FileCase, FileTensor, digest, read_output, write_manifest
from nnvet.commands.actions import locate
from nnvet.commands.actions.campaign import read_campaign
from nnvet.commands.options import CommandError
from nnvet.conformance.engine.waivers import WaiverError, read_waivers
from nnvet.conformance.profiles.statement import StatementError, read_statement, write_statement
from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.importer import import_model
from nnvet.generators.specs.loader import load_spec
from nnvet.graphs.vector import VectorError, read_vector, write_vector
from nnvet.hal.errors import HalError
from nnvet.reports.findings import FindingError
from nnvet.reports.history import FILE, HistoryError, append_run, facts_of, read_history
from nnvet.reports.log import read_log
from nnvet.reports.releases import ReleaseMatrix, read_matrix
from tests.attack.apart import attack_apart
from tests.attack.damage import DAMAGES, write_log
from tests.attack.figures import Attack, Figures
from tests.formats import cases_elementwise, cases_movement, cases_recurrent
from tests.formats.case_forms import build

_LIMIT_S: Final = 7200.0
_LATE_S: Final = 20.0
_DEPTHS: Final = (60, 900, 100_000)
_SPEC: Final = Path(__file__).parents[2] / "conformance" / "specs" / "V1_0" / "add_float.mod.py"
_TENSOR: Final = FileTensor("00000/output0.bin", "y", "float32", (2, 3))
_CAMPAIGN: Final = b"""drivers = ["reference"]
out = "campaign"
[[job]]
command = "run"
name = "usual"
options = { only = ["GeneratedTest/*"], jobs = 2 }
"""
_WAIVERS: Final = f"""[[waiver]]
reason = "it is known"
expires = {dt.date(2030, 1, 1)}
case = "GeneratedTest/*"
versions = ">=2,<3"
""".encode()


@dataclass(frozen=True)
class _Kind:
    """A kind of file: whole ones, how one is read, and the error of a refusal."""

    samples: list[bytes]
    read: Callable[[bytes], object]
    refusal: type[Exception]


def attack_by_files(tries: int, seed: int, folder: Path) -> Figures:
    """Damage ``tries`` files, of each kind in turn, and read them."""
    return attack_apart(_attack, tries, seed, folder, limit_s=_LIMIT_S)


def _attack(tries: int, seed: int, folder: Path) -> Figures:
    kinds = _kinds(folder)
    for kind in kinds.values():
        for sample in kind.samples:
            kind.read(sample)
    figures, refused = Figures(), Counter[str]()
    while figures.tried < tries:
        name, kind = list(kinds.items())[figures.tried % len(kinds)]
        draw = random.Random(f"{seed}/{figures.tried}")
        damage, content = _damaged(draw, draw.choice(kind.samples))
        begin = time.monotonic()
        wrong = ""
        try:
            kind.read(content)
        except kind.refusal:
            refused[name] += 1
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            wrong = f"{type(error).__name__}: {str(error)[:300]}"
        if time.monotonic() - begin > _LATE_S:
            wrong = wrong or f"took {time.monotonic() - begin:.0f} s"
        figures.see(wrong and f"{seed}/{figures.tried}, {name}, {damage}: {wrong}")
    figures.notes = f"of {tries // len(kinds):,} of each kind were refused: " + ", ".join(
        f"{refused[name]:,} {name}" for name in kinds
    )
    return figures


def _damaged(draw: random.Random, content: bytes) -> tuple[str, bytes]:
    """Return the name of a damage that is drawn, and the content with it."""
    names = ["bytes changed", "bytes missing", "bytes inserted"]
    if content[:1] == b"{":
        names += ["nested", "values replaced"]
    name = draw.choice(names)
    if name == "nested":
        depth = draw.choice(_DEPTHS)
        return name, content.replace(b":", b":" + b'{"a":' * depth + b"1" + b"}" * depth + b',"b":', 1)
    return name, DAMAGES[name](draw, content)


def _kinds(folder: Path) -> dict[str, _Kind]:
    write_log(folder / "run.jsonl")
    log = read_log(folder / "run.jsonl")
    history, bundle, output = folder / "history", folder / "bundle", folder / "output"
    for made in (history, bundle, output / "00000"):
        made.mkdir(parents=True)
    append_run(history, facts_of(log))
    statement = write_statement(log, folder)
    vector = folder / "vector.json"
    write_vector(vector, load_spec(_SPEC)[0].build())
    cases = (*cases_elementwise.CASES[::7], *cases_movement.CASES[::7], *cases_recurrent.CASES[::7])
    matrix = ReleaseMatrix("onnxruntime", "onnxruntime", "2026-01-01", "x86_64", [])
    write_manifest(bundle, "tflite", [FileCase("00000", "00000/model.tflite", "", (_TENSOR,), (_TENSOR,))])
    manifest = (bundle / MANIFEST).read_bytes()
    key = BundleKey(FORMAT, "0.1.0", digest(manifest), (), (), "", None, {}, {})

    def read_files() -> None:
        check_files(bundle, read_bundle(bundle)[0])

    def read_manifest(content: bytes) -> None:
        (bundle / KEY).write_bytes(msgspec.json.encode(msgspec.structs.replace(key, manifest=digest(content))))
        _keeping(bundle / MANIFEST, read_files)(content)

    def read_key(content: bytes) -> None:
        (bundle / MANIFEST).write_bytes(manifest)
        _keeping(bundle / KEY, read_files)(content)

    array = output / "00000" / "output0.npy"
    return {
        "TFLite models": _Kind([build(case)[0] for case in cases], _convert, ModelFileError),
        "histories": _Kind(
            [(history / FILE).read_bytes()], _keeping(history / FILE, lambda: read_history(history)), HistoryError
        ),
        "statements": _Kind(
            [_on_one_line(statement.read_bytes())],
            _keeping(statement, lambda: read_statement(statement)),
            StatementError,
        ),
        "vectors": _Kind(
            [_on_one_line(vector.read_bytes())], _keeping(vector, lambda: read_vector(vector)), VectorError
        ),
        "waivers": _of_path(_WAIVERS, folder / "waivers.toml", read_waivers, WaiverError),
        "campaigns": _of_path(_CAMPAIGN, folder / "campaign.toml", read_campaign, CommandError),
        "matrices of releases": _of_path(msgspec.json.encode(matrix), folder / "matrix", read_matrix, FindingError),
        "manifests of bundles": _Kind([_on_one_line(manifest)], read_manifest, BundleError),
        "keys of bundles": _Kind([msgspec.json.encode(key)], read_key, BundleError),
        "outputs .npy": _Kind([_saved(np.save)], _keeping(array, lambda: read_output(output, _TENSOR)), HalError),
        "inputs .npz": _of_path(_saved(np.savez), folder / "inputs.npz", locate.read_arrays, CommandError),
    }


def _convert(content: bytes) -> None:
    import_model(content).close()


def _on_one_line(document: bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(document))


def _saved(save: Callable[[io.BytesIO, Any], object]) -> bytes:
    file = io.BytesIO()
    save(file, np.ones(_TENSOR.shape, _TENSOR.dtype))
    return file.getvalue()


def _keeping(path: Path, read: Callable[[], object]) -> Callable[[bytes], None]:
    def keep_and_read(content: bytes) -> None:
        path.write_bytes(content)
        read()

    return keep_and_read


def _of_path(sample: bytes, path: Path, read: Callable[[Path], object], refusal: type[Exception]) -> _Kind:
    return _Kind([sample], _keeping(path, lambda: read(path)), refusal)


FILES: Final = Attack("damaged files", attack_by_files, 200, 10_000, "read, or refused with a message, in time", 300.0)
