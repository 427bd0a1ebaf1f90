"""Driver selectors, ``KIND:ARGUMENTS``: the table of kinds, and the function of each that makes a device.

A new kind is a row of :data:`KINDS`, or an entry point of another package. :func:`create_device` makes a device in this
process, which is mostly a service process; :mod:`nnvet.adapters.drivers` opens drivers for the suite. At the end are
helpers that read the arguments of runtimes' selectors, ``name=value,name=value``.
"""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from nnvet.hal.interfaces import Device
from nnvet.transport.wire.methods import methods_of

ENTRY_POINTS: Final = "nnvet.adapters"
"""Group in which packages register kinds: the name is the kind, the object a function like ``Kind.factory``."""


INEXPRESSIBLE: Final = "adapter/inexpressible"
"""Rule with which an adapter refuses a valid model that it cannot express: the case is UNSUPPORTED, not the driver's
fault. The C API of the NNAPI, for instance, cannot express a model without inputs."""


class SelectorError(Exception):
    """Raised if a selector names no driver; the message gives the reason and advice."""


class OutOfReachError(SelectorError):
    """Raised if the link to a driver is lost and cannot be restored; the driver is not to blame for that."""


@dataclass(frozen=True)
class Kind:
    """A kind of driver. ``factory`` is ``module:function``, a function from the selector's arguments to a Device.

    Kinds without a factory are reached over a socket; ``extra`` is the extra that has to be installed for the module.
    """

    name: str
    syntax: str
    summary: str
    factory: str = ""
    extra: str = ""


KINDS: Final = (
    Kind("reference", "reference[:VARIANT]", "the bundled driver", "nnvet.reference_driver:create"),
    Kind("zoo", "zoo:BUG", "the bundled driver with a planted bug", "nnvet.reference_driver.zoo.registry:create"),
    Kind(
        "python",
        "python:MODULE:FACTORY or python:FILE.py:FACTORY",
        "what a Python function returns",
        "nnvet.adapters.python_factory:create",
    ),
    Kind(
        "litert",
        "litert[:delegate=LIB.so,fallback=none|cpu,option=value,threads=N,kernels=xnnpack|builtin|reference]",
        "the interpreter of LiteRT",
        "nnvet.adapters.litert.device:create",
        "litert",
    ),
    Kind(
        "onnxruntime",
        "onnxruntime[:provider=NAME|library=LIB.so,fallback=none|cpu,option=value,optimization=all|extended|basic|none,threads=N]",
        "sessions of ONNX Runtime",
        "nnvet.adapters.onnxruntime.device:create",
        "onnx",
    ),
    Kind(
        "openvino",
        "openvino[:DEVICE,precision=f32|f16|bf16,property=value,threads=N]",
        "models compiled by OpenVINO",
        "nnvet.adapters.openvino.device:create",
        "openvino",
    ),
    Kind(
        "torch",
        "torch[:cpu|DEVICE[:N],module=NAME,fallback=none|cpu,threads=N,relaxed=float32|float16|bfloat16,half=float32|float16]",
        "eager PyTorch",
        "nnvet.adapters.torch.device:create",
        "torch",
    ),
    Kind(
        "jax",
        "jax[:PLATFORM[:N],precision=highest|default,relaxed=float32|float16|bfloat16,half=float32|float16]",
        "functions of JAX, compiled by XLA",
        "nnvet.adapters.jax.device:create",
        "jax",
    ),
    Kind(
        "ndk",
        "ndk:LIBRARY.so[#DEVICE]",
        "a shared library that exports the C API of the NNAPI; #DEVICE: the name of one of its devices, else the first",
        "nnvet.adapters.nnapi.device:create_ndk",
        extra="ndk",
    ),
    Kind(
        "sl",
        "sl:LIBRARY.so[#DEVICE]",
        "a support library of the NNAPI; #DEVICE as with ndk",
        "nnvet.adapters.nnapi.device:create_sl",
        extra="ndk",
    ),
    Kind(
        "files",
        "files:COMMAND[,format=tflite|onnx,timeout=SECONDS,batch=N]",
        "a command that is run on a folder with model files and inputs",
        "nnvet.adapters.files.device:create",
    ),
    Kind(
        "answers",
        "answers:FOLDER",
        "the outputs that were sent back for a bundle; nnvet judge uses it",
        "nnvet.adapters.files.answers:create",
    ),
    Kind(
        "split",
        "split:[assign=capabilities|first|random-SEED|N.N.…,fallback=none|whole|partial,control=whole|parts;]SELECTOR+SELECTOR",
        "several devices in one process, each of which computes a part of a model",
        "nnvet.adapters.split.device:create",
    ),
    Kind("unix", "unix:SOCKET", "a service that listens on a socket"),
    Kind("exec", "exec:COMMAND", "a program that is started as the service"),
    Kind("tcp", "tcp:HOST:PORT[,token=FILE] or tcp:/PATH[,token=FILE]", "an agent that listens beside the driver"),
    Kind("ssh", "ssh:[USER@]HOST[:PORT]/COMMAND", "a program that an agent starts as the service, over ssh"),
    Kind(
        "adb",
        "adb:[SERIAL]/COMMAND[,push=FILE...]",
        "a program that an agent starts as the service, on a phone that adb reaches",
    ),
)
"""The built-in kinds. ``nnvet drivers`` and the README list them in this order."""


@dataclass(frozen=True)
class Selector:
    """A parsed selector; ``str()`` returns its text."""

    kind: Kind
    arguments: str = ""

    def __str__(self) -> str:
        """Return the text that parses to the same selector."""
        return f"{self.kind.name}:{self.arguments}" if self.arguments else self.kind.name


def parse_selector(text: str) -> Selector:
    """Parse a selector.

    :raises SelectorError: the kind is unknown, or its arguments are missing.
    """
    name, _, arguments = text.partition(":")
    kinds = known_kinds()
    if name not in kinds:
        raise SelectorError(f"driver {text!r}: there is no kind {name!r}; kinds are {', '.join(sorted(kinds))}")
    kind = kinds[name]
    if not arguments and kind.syntax.startswith(f"{name}:"):
        raise SelectorError(f"driver {text!r}: arguments are missing; write {kind.syntax}")
    return Selector(kind, arguments)


def known_kinds() -> dict[str, Kind]:
    """Return all kinds by name: the built-in ones, and those that installed packages register."""
    registered = {
        point.name: Kind(point.name, f"{point.name}[:ARGUMENTS]", f"from {point.value}", point.value)
        for point in entry_points(group=ENTRY_POINTS)
    }
    return registered | {kind.name: kind for kind in KINDS}


def create_device(selector: str) -> Device:
    """Make the device of a selector in this process, without a wire.

    :raises SelectorError: if there is no such device.
    """
    parsed = parse_selector(selector)
    factory = _load_factory(parsed)
    try:
        device = factory(parsed.arguments)
    except SelectorError:
        raise
    except Exception as error:
        # nnvet's own factories explain a refusal completely; the place in the code would not help the user.
        is_ours = parsed.kind in KINDS and isinstance(error, ValueError)
        raise SelectorError(f"driver {selector!r}: {error if is_ours else describe(error)}") from error
    missing = [method.attribute for method in methods_of(Device) if not hasattr(device, method.attribute)]
    if missing:
        raise SelectorError(
            f"driver {selector!r}: the factory returned {type(device).__name__}, which is no device: "
            f"it lacks {', '.join(missing)}. Derive it from nnvet.driver_kit.base_device.BaseDevice."
        )
    return device


def describe(error: BaseException) -> str:
    """Return an exception in one line, with the place in the driver's own code where it was raised."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    text = "".join(traceback.format_exception_only(error)).strip()
    ours = (str(Path(__file__).parent), str(Path(importlib.__file__).parent), "<frozen")
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(ours)]
    return f"{text} ({places[-1].filename}, line {places[-1].lineno})" if places else text


def _load_factory(selector: Selector) -> Callable[[str], Device]:
    kind = selector.kind
    if not kind.factory:
        raise SelectorError(f"driver '{selector}': kind {kind.name} is always in a process of its own")
    module, _, function = kind.factory.partition(":")
    try:
        factory: Callable[[str], Device] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        advice = f"; install it with: pip install 'nnvet[{kind.extra}]'" if kind.extra else ""
        raise SelectorError(f"driver '{selector}': {describe(error)}{advice}") from error
    return factory


def parse_options(kind: str, arguments: str) -> dict[str, str]:
    """Return the options in ``arguments`` by name, in their order; ``kind`` only stands in error messages.

    :raises SelectorError: for a part without ``=``, or a name that occurs twice.
    """
    options: dict[str, str] = {}
    for part in filter(None, arguments.split(",")):
        name, given, value = part.partition("=")
        if not given or not name:
            raise SelectorError(f"driver '{kind}:{arguments}': {part!r} is not of the form option=value")
        if name in options:
            raise SelectorError(f"driver '{kind}:{arguments}': option {name!r} is given twice")
        options[name] = value
    return options


def take_choice(kind: str, options: dict[str, str], name: str, choices: tuple[str, ...]) -> str:
    """Remove option ``name`` and return its value; the first of ``choices`` if it is not given.

    :raises SelectorError: the value is not one of them.
    """
    value = options.pop(name, choices[0])
    if value not in choices:
        raise SelectorError(f"driver '{kind}': {name} is {value!r}; choose {', '.join(choices)}")
    return value


def take_number(kind: str, options: dict[str, str], name: str, default: int) -> int:
    """Remove option ``name`` and return its value, a number above 0; ``default`` if it is not given.

    :raises SelectorError: the value is not such a number.
    """
    value = options.pop(name, str(default))
    if not value.isdecimal() or int(value) < 1:
        raise SelectorError(f"driver '{kind}': {name} is {value!r}; give a number from 1 on")
    return int(value)
