"""Selectors: every mistake gives one clear message that says what, where and what to do."""

from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters import SelectorError, create_device, open_driver
from nnvet.adapters import selector as selectors
from nnvet.adapters.selector import ENTRY_POINTS, Kind, parse_selector
from nnvet.driver_kit.base_device import BaseDevice
from tests.adapters.conftest import MISBEHAVING, selector

WRONG = {
    "no such kind": (
        "quantum:7",
        (
            "there is no kind 'quantum'; kinds are adb, answers, exec, files, .*ndk, .*python, .*sl, split, ssh, "
            "tcp, .*unix"
        ),
    ),
    "empty": ("", "there is no kind ''"),
    "unix without socket": ("unix:", r"arguments are missing; write unix:SOCKET"),
    "python without factory": ("python:some.module", "write python:MODULE:FACTORY or python:FILE.py:FACTORY"),
    "no such module": ("python:no.such.module:create", "No module named 'no'; install it"),
    "no such file": ("python:no/such/file.py:create", "there is no file /.*no/such/file.py"),
    "no such factory": (selector("Missing"), r"misbehaving\.py has no function or class 'Missing'"),
    "factory fails": (selector("fails"), r"ZeroDivisionError: no driver today \(.*misbehaving\.py, line \d+\)"),
    "factory of something else": (selector("not_a_device"), "returned str, which is no device: it lacks name, get_"),
    "no such variant": ("reference:no-such-variant", "has no variant 'no-such-variant'"),
}
UNREACHABLE = {
    "no such socket": ("unix:/no/such/socket", "/no/such/socket: No such file or directory; start the service first"),
    "no socket": (f"unix:{MISBEHAVING}", "Connection refused; start the service first"),
    "unbalanced quotes": ("exec:program 'argument", "cannot start the service: No closing quotation"),
    "no command": ("exec: ", "cannot start the service: there is no command; give a program"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("in_process", [False, True], ids=["service", "in-process"])
def test_mistakes_are_explained(text: str, message: str, in_process: bool) -> None:
    """A selector that leads nowhere is a SelectorError, the same whether the driver has a process of its own."""
    with pytest.raises(SelectorError, match=message), open_driver(text, in_process=in_process):
        pass


@pytest.mark.parametrize(("text", "message"), UNREACHABLE.values(), ids=UNREACHABLE.keys())
def test_unreachable_services_are_explained(text: str, message: str) -> None:
    """So is a service that cannot be reached."""
    with pytest.raises(SelectorError, match=message), open_driver(text):
        pass


@pytest.mark.parametrize("text", ["unix:/tmp/socket", "exec:program"])
def test_services_cannot_be_in_process(text: str) -> None:
    """A driver that is a process of its own cannot run in this one."""
    with pytest.raises(SelectorError, match="always in a process of its own"), open_driver(text, in_process=True):
        pass


def test_syntax_errors_of_a_driver_are_shown(tmp_path: Path) -> None:
    """A driver's file that cannot be compiled is named with the error."""
    path = tmp_path / "driver.py"
    path.write_text("class Driver(:\n")
    with pytest.raises(SelectorError, match=rf"{path} cannot be imported: .*SyntaxError: invalid syntax"):
        create_device(f"python:{path}:Driver")


@pytest.mark.parametrize("text", ["reference", "reference:quant", "unix:/a:b", "exec:program --option=a:b 'c d'"])
def test_selectors_are_taken_apart_and_put_together(text: str) -> None:
    """Everything behind the first colon belongs to the kind."""
    parsed = parse_selector(text)
    assert str(parsed) == text
    assert (parsed.kind.name, parsed.arguments) == (text.partition(":")[0], text.partition(":")[2])


@pytest.mark.parametrize(
    ("text", "name"), [("reference", "nnvet-reference"), ("reference:quant", "nnvet-reference-quant")]
)
def test_reference_driver_and_its_variants(text: str, name: str) -> None:
    """The bundled driver is reached by name."""
    assert create_device(text).name == name


def test_modules_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A factory in an importable module, that may be nested in a package."""
    package = tmp_path / "vendor_of_this_test"
    package.mkdir()
    (package / "npu.py").write_text(
        "from nnvet.driver_kit.base_device import BaseDevice\n\n\ndef make():\n"
        "    device = BaseDevice()\n    device.name = 'npu'\n    return device\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with open_driver("python:vendor_of_this_test.npu:make") as driver:
        assert driver.device.name == "npu"


def test_neighbours_of_a_file_cannot_shadow_the_suite(tmp_path: Path) -> None:
    """A driver's file may import its neighbours, but a neighbour called ``hal`` or ``reports`` stays unseen."""
    (tmp_path / "hal.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "reports.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "neighbour_of_this_test.py").write_text("NAME = 'with a neighbour'\n")
    (tmp_path / "driver.py").write_text(
        "import nnvet.reports.log\n"
        "from nnvet.driver_kit.base_device import BaseDevice\nfrom neighbour_of_this_test import NAME\n\n\n"
        "class Device(BaseDevice):\n    name = NAME\n"
    )
    with open_driver(f"python:{tmp_path / 'driver.py'}:Device") as driver:
        assert driver.device.name == "with a neighbour"


def registered(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Have an installed package register the kind ``vendor``."""

    def points(group: str) -> list[EntryPoint]:
        assert group == ENTRY_POINTS == "nnvet.adapters"
        return [EntryPoint("vendor", value, group), EntryPoint("reference", "no.such:thing", group)]

    monkeypatch.setattr(selectors, "entry_points", points)


def vendor_device(arguments: str) -> BaseDevice:
    """A factory as packages register it."""
    device = BaseDevice()
    device.name = f"vendor {arguments}"
    return device


def test_packages_register_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point adds a kind whose factory gets the arguments; built-in kinds cannot be replaced."""
    registered(monkeypatch, f"{__name__}:vendor_device")
    monkeypatch.setitem(__import__("sys").modules, __name__, _module())
    assert create_device("vendor:board=2").name == "vendor board=2"
    assert create_device("reference").name == "nnvet-reference"


def _module() -> Any:
    functions: dict[str, Callable[[str], BaseDevice]] = {"vendor_device": vendor_device}
    return type("Module", (), {name: staticmethod(function) for name, function in functions.items()})


def test_broken_registration_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind whose module is missing says so."""
    registered(monkeypatch, "no_such_vendor.driver:create")
    with pytest.raises(SelectorError, match=r"driver 'vendor': ModuleNotFoundError: No module named 'no_such_vendor'"):
        create_device("vendor")


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind whose optional dependency is missing says which extra to install."""
    kind = Kind("fancy", "fancy", "needs more", "no_such_library_of_this_test:create", extra="fancy")
    monkeypatch.setattr(selectors, "KINDS", (kind,))
    with pytest.raises(SelectorError, match=r"pip install 'nnvet\[fancy\]'"):
        create_device("fancy")
