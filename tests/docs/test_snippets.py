"""Programs on the pages are programs: each compiles, and runs with what its page says is there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.generators.specs import SpecCase, load_spec
from nnvet.hal.validation.subgraph import fits
from tests.adapters.models import add_model, add_pool, add_request
from tests.docs.pages import ROOT, Fence, fences, pages
from tests.models.toys.folder import write_toys

PROGRAMS: Final = [found for page in pages() for found in fences(page) if found.language == "python"]
SPECS: Final = {"extensions.md": 2, "spec-format.md": 32}
"""Pages with a spec, and how many cases it makes: spec-format.md says so; an example without variations makes two, the
second with its inputs inside of the graph."""


def is_spec(found: Fence) -> bool:
    """Return True if a block is in the language of specs, whose names nobody imports."""
    return "Example(" in found.text


def test_all_programs_compile() -> None:
    """There is none with a mistake in its syntax, and none that is not seen."""
    assert len(PROGRAMS) > 10
    for found in PROGRAMS:
        compile(found.text, found.place, "exec")


@pytest.mark.parametrize("page", SPECS)
def test_specs_are_specs(page: str, tmp_path: Path) -> None:
    """The spec of a page makes its cases, and each can be built."""
    (found,) = [found for found in PROGRAMS if found.place.startswith(f"docs/{page}:") and is_spec(found)]
    path = tmp_path / "V1_2" / "scaled_sum.mod.py"
    path.parent.mkdir()
    path.write_text(found.text)
    cases: list[SpecCase] = list(load_spec(path))
    assert len(cases) == SPECS[page]
    assert all(case.build().main.operations for case in cases)


def of_models(folder: Path) -> dict[str, Any]:
    """A model of the benchmark under the name that the page uses."""
    write_toys(folder / "models")
    (folder / "models" / "toy_asr_float.tflite").rename(folder / "net.tflite")
    return {"Path": Path}


def of_utilities(folder: Path) -> dict[str, Any]:
    """A model, a request for it, and where a trace goes."""
    return {"model": add_model(), "request": add_request(add_pool(1, 2, 3, 4)), "path": folder / "trace.json"}


def of_reports(folder: Path) -> dict[str, Any]:
    """A device, and the cases of a run."""
    del folder
    return {"device": BaseDevice(), "cases": ["spec/add/float32/sync"], "datetime": dt.datetime, "UTC": dt.UTC}


def of_specs(folder: Path) -> dict[str, Any]:
    """A folder of specs."""
    (folder / "specs").symlink_to(ROOT / "conformance" / "specs")
    return {}


def of_oracle(folder: Path) -> dict[str, Any]:
    """A model, values for its inputs, and what a driver makes of them."""
    del folder
    values = [np.ones(2, np.float32)] * 2
    return {"model": add_model(), "inputs": values, "outputs": [np.full(2, 2.0, np.float32)]}


def of_drivers(folder: Path) -> dict[str, Any]:
    """The example of the page, and a model for it."""
    (folder / "docs").symlink_to(ROOT / "docs")
    return {"model": add_model()}


def of_extensions(folder: Path) -> dict[str, Any]:
    """Return the names that the driver derives from."""
    del folder
    return {"BaseDevice": BaseDevice, "fits": fits}


def of_profiles(folder: Path) -> dict[str, Any]:
    """A statement, and a pair of keys."""
    reason = "needs securesystemslib[crypto], of the extra dev"
    keys = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519", reason=reason)
    forms = pytest.importorskip("cryptography.hazmat.primitives.serialization", reason=reason)
    pytest.importorskip("securesystemslib", reason=reason)
    key = keys.Ed25519PrivateKey.generate()
    unencrypted = forms.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, unencrypted))
    public = key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    (folder / "pub.pem").write_bytes(public)
    (folder / "out").mkdir()
    (folder / "out" / "result.json").write_text('{"_type": "https://in-toto.io/Statement/v1"}')
    return {}


SURROUNDINGS: Final[dict[str, Callable[[Path], dict[str, Any]]]] = {
    "docs/driver-utilities.md": of_utilities,
    "docs/extensions.md": of_extensions,
    "docs/models.md": of_models,
    "docs/oracle.md": of_oracle,
    "docs/profiles.md": of_profiles,
    "docs/random-graphs.md": of_drivers,
    "docs/reports.md": of_reports,
    "docs/spec-format.md": of_specs,
    "docs/tutorials/own-operation.md": lambda _: {},
    "docs/writing-a-driver.md": of_drivers,
}
"""Names that the programs of a page take for granted; a page with programs has an entry."""


@pytest.mark.parametrize("page", sorted({found.place.partition(":")[0] for found in PROGRAMS}))
def test_programs_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as somebody who follows the page would type them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page", **SURROUNDINGS[page](tmp_path)}
    for found in PROGRAMS:
        if found.place.startswith(f"{page}:") and not is_spec(found):
            exec(compile(found.text, found.place, "exec"), names)  # noqa: S102 - the pages are our own
    CHECKS.get(page, lambda _: None)(names)


def utilities_did(names: dict[str, Any]) -> None:
    """The capabilities are those that were given, and the trace is written."""
    assert names["capabilities"].relaxed_float32_to_float16_performance_scalar.exec_time == pytest.approx(0.3)
    assert Path(names["path"]).stat().st_size > 0


def extensions_did(names: dict[str, Any]) -> None:
    """The driver reports the extension that was declared."""
    (reported,) = names["WideDevice"]().get_supported_extensions()
    assert reported.name == "com.example.wide"


def operations_did(names: dict[str, Any]) -> None:
    """The page shows the whole example."""
    shown = next(found.text for found in PROGRAMS if found.place.startswith("docs/tutorials/own-operation.md:"))
    assert shown == (ROOT / "docs" / "examples" / "extension" / "gelu.py").read_text(encoding="utf-8")
    assert names["EXTENSION"].meanings.keys() == names["EXTENSION"].kernels.keys() == {names["GELU"]}


def graphs_did(names: dict[str, Any]) -> None:
    """A model is made, and the property holds."""
    assert 5 <= len(names["test"].main.operations) <= 20
    assert names["test_sums_are_right"].hypothesis


def reports_did(names: dict[str, Any]) -> None:
    """The log holds the failure."""
    del names
    assert '"verdict":"FAIL"' in Path("out/run.jsonl").read_text(encoding="utf-8")


def profiles_did(names: dict[str, Any]) -> None:
    """Check that the signed statement comes out of the envelope, and that a changed envelope is refused."""
    assert Path("result.json").read_bytes() == Path("out/result.json").read_bytes()
    forged = type(names["envelope"])(b"{}", names["envelope"].payload_type, names["envelope"].signatures)
    with pytest.raises(Exception, match="do not match threshold"):
        forged.verify([names["key"]], 1)


def drivers_did(names: dict[str, Any]) -> None:
    """The driver has prepared the model."""
    assert names["prepared"] is not None


CHECKS: Final[dict[str, Callable[[dict[str, Any]], None]]] = {
    "docs/driver-utilities.md": utilities_did,
    "docs/extensions.md": extensions_did,
    "docs/profiles.md": profiles_did,
    "docs/random-graphs.md": graphs_did,
    "docs/reports.md": reports_did,
    "docs/tutorials/own-operation.md": operations_did,
    "docs/writing-a-driver.md": drivers_did,
}
"""Checks of the effects of a page's programs."""
