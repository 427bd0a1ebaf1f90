"""Folders of cases with hostile contents: no link is followed, no pipe waited for, and no more read than expected."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from nnvet.adapters.files.answers import KEY, BundleError, BundleKey, check_files, read_bundle
from nnvet.adapters.files.command import ENDED, read_end
from nnvet.adapters.files.layout import (
    ERROR,
    FORMAT,
    MANIFEST,
    FileCase,
    FilesManifest,
    FileTensor,
    digest,
    read_outputs,
)
from nnvet.hal.errors import HalError

DUE = FileTensor("0/output0.bin", "", "float32", (2,))


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _endless(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 42)


def _folder(path: Path) -> None:
    path.mkdir()


def _other(path: Path) -> None:
    secret = path.with_name("secret")
    np.zeros(2, np.float32).tofile(secret)
    path.symlink_to(secret)


PLANTED = (_pipe, _device, _endless, _folder, _other)


def bundle(folder: Path, **fields: object) -> Path:
    """A bundle of one case, with fields of its output changed in both lists."""
    due = msgspec.to_builtins(DUE) | fields
    case = {"name": "0", "model": "0/model.bin", "sha256": digest(b""), "inputs": [], "outputs": [due]}
    manifest = {"format": FORMAT, "models": "tflite", "nnvet": "0", "cases": [case]}
    content = msgspec.json.encode(manifest)
    executions = {"x": {"name": "0", "outputs": [due]}}
    key = BundleKey(FORMAT, "0", digest(content), (), (), "1/1", None, {}, {})
    (folder / "0").mkdir(parents=True)
    (folder / MANIFEST).write_bytes(content)
    (folder / KEY).write_bytes(msgspec.json.encode(msgspec.to_builtins(key) | {"executions": executions}))
    return folder


@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("name", ["0/output0.bin", "0/output0.npy", f"0/{ERROR}"])
def test_answers_are_plain_files(tmp_path: Path, plant: Callable[[Path], None], name: str) -> None:
    """Anything else is an answer that cannot be read, and the case fails."""
    bundle(tmp_path)
    plant(tmp_path / name)
    with pytest.raises(HalError, match="cannot be read"):
        read_outputs(tmp_path, "0", [DUE])


@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("name", ["0/model.bin", MANIFEST, KEY])
def test_questions_are_plain_files(tmp_path: Path, plant: Callable[[Path], None], name: str) -> None:
    """A bundle is refused unless what was sent comes back as it was."""
    folder = bundle(tmp_path)
    (folder / name).unlink(missing_ok=True)
    plant(folder / name)
    with pytest.raises(BundleError, match="cannot be read"):
        check_files(folder, read_bundle(folder)[0])


@pytest.mark.parametrize("plant", PLANTED)
def test_the_end_of_a_command_is_a_plain_file(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    """Anything else says nothing."""
    (tmp_path / "0").mkdir()
    plant(tmp_path / "0" / ENDED)
    assert read_end(tmp_path, "0") is None


@pytest.mark.parametrize(
    "fields",
    [
        {"file": "../../secret"},
        {"file": "/etc/passwd"},
        {"dtype": "object"},
        {"dtype": "f4,f4"},
        {"dtype": "no such"},
        {"shape": [-1]},
        {"shape": [1 << 40]},
        {"shape": [1 << 33, 1 << 31, 1 << 33]},
    ],
    ids=str,
)
def test_lists_are_not_believed(tmp_path: Path, fields: dict[str, object]) -> None:
    """A name that leaves the folder, and a tensor that there cannot be, are no bundle's."""
    with pytest.raises(BundleError, match="is no bundle"):
        read_bundle(bundle(tmp_path, **fields))


@pytest.mark.parametrize("name", ["../0", "/tmp", "a/../../b"])
def test_cases_stay_in_their_folder(name: str) -> None:
    """Files are copied to where a case's name says."""
    lists = FilesManifest(FORMAT, "tflite", "0", (FileCase("0", "0/m", "", (), ()),))
    plain = msgspec.to_builtins(lists)
    plain["cases"][0]["name"] = name
    with pytest.raises(msgspec.ValidationError, match="leaves the folder"):
        msgspec.convert(plain, FilesManifest)


def test_the_head_of_an_array_is_not_believed(tmp_path: Path) -> None:
    """A file of NumPy that promises terabytes, or Python objects, or is an archive; one in another order is read."""
    bundle(tmp_path)
    array = tmp_path / "0/output0.npy"
    head = b"{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }"
    for line in (head % (b"<f4", 1 << 42), head % (b"|O", 2)):
        array.write_bytes(b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + bytes(8))
        with pytest.raises(HalError, match=r"as \.npy is"):
            read_outputs(tmp_path, "0", [DUE])
    with array.open("wb") as file:
        np.savez(file, x=np.zeros(2))
    with pytest.raises(HalError, match="cannot be read"):
        read_outputs(tmp_path, "0", [DUE])
    wanted = np.arange(6, dtype=np.float32).reshape(2, 3)
    for value in (wanted, np.asfortranarray(wanted), wanted.astype(">f4")):
        np.save(array, value)
        (found,) = read_outputs(tmp_path, "0", [FileTensor(DUE.file, "", "float32", (2, 3))])
        np.testing.assert_array_equal(found, wanted)


def test_a_header_of_npy_that_no_parser_ends_is_a_failure_of_the_driver(tmp_path: Path) -> None:
    """NumPy reads the header as Python's source; errors of that parser are no errors of the suite."""
    array = tmp_path / "0/output0.npy"
    array.parent.mkdir()
    for header in ("{'descr': '<f4', 'shape': (2,", "(" * 9000, "\xff", "{" * 200 + "}" * 200):
        array.write_bytes(
            b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin-1") + bytes(8)
        )
        with pytest.raises(HalError, match="cannot be read: its header is none"):
            read_outputs(tmp_path, "0", (DUE,))


@pytest.mark.parametrize("damage", [b'{"format": "\xff"}', b'{"cases":' * 100_000])
def test_a_list_that_is_no_text_or_has_no_end_is_refused(tmp_path: Path, damage: bytes) -> None:
    """As no bundle, whichever of its two lists it is; a folder of a command has no end of a case then."""
    for name in (MANIFEST, KEY):
        folder = bundle(tmp_path / name)
        (folder / name).write_bytes(damage)
        if name == MANIFEST:
            key = msgspec.json.decode((folder / KEY).read_bytes(), type=BundleKey)
            changed = msgspec.structs.replace(key, manifest=digest(damage))
            (folder / KEY).write_bytes(msgspec.json.encode(changed))
        with pytest.raises(BundleError, match="is no bundle"):
            read_bundle(folder)
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / ENDED).write_bytes(damage[:20_000])
    assert read_end(tmp_path, "0") is None
