"""Sequences of calls of the C API as data: they are sent to the process that has loaded a library, and performed there.

The suite of the C API (:mod:`nnvet.conformance.suites.c_api`) and the fuzzer of its calls write them as
:class:`CallSequence`; :mod:`nnvet.adapters.nnapi.sequence_process` sends them, and
:mod:`nnvet.adapters.nnapi.performing` makes the calls.

An argument is a number, a text that names an object or a buffer of the same sequence, None for a null pointer, or one
of the structures below. The objects ``device``, ``device0``, ``device1``, … are there from the start: the device of
the selector, and all devices of the library. Function names that begin with a dot are not functions of the library but
actions of its client, such as making a file; the constants below list them with their arguments.
"""

from __future__ import annotations

import msgspec

FILE = ".file"
"""Action that makes a file in memory. Arguments: a name, to which :class:`Descriptor` refers, and the content."""
HOLDS = ".holds"
"""Action that compares the beginning of a file. Arguments: the file's name, the expected bytes. Result 0 if equal."""
POKE = ".poke"
"""Action that changes a buffer which a call has been given. Arguments: the buffer's name, the new bytes."""
FOLDER = ".folder"
"""Action that makes an empty folder until the end of the sequence. Argument: a name, to which :class:`Path` refers."""
KEPT = ".kept"
"""Action that looks into a folder. Argument: the folder's name. Result: 0 if there is a file in it, else 1."""


class New(msgspec.Struct, frozen=True, tag=True):
    """Place into which a function writes a new object, which has this name from then on."""

    name: str


class WritablePlace(msgspec.Struct, frozen=True, tag=True):
    """Place of ``count`` numbers, each ``begin`` at first, that a function may write."""

    name: str
    ctype: str
    count: int = 1
    begin: int = 0


class Raw(msgspec.Struct, frozen=True, tag=True):
    """Bytes for a function to read."""

    content: bytes


class Data(msgspec.Struct, frozen=True, tag=True):
    """Bytes with a name, so that they can be changed later."""

    name: str
    content: bytes


class NumberArray(msgspec.Struct, frozen=True, tag=True):
    """An array for a function to read."""

    ctype: str
    values: tuple[int | float, ...]


class ObjectPointers(msgspec.Struct, frozen=True, tag=True):
    """An array of pointers to objects; None is a null pointer."""

    kind: str
    names: tuple[str | None, ...]


class OperandTypeData(msgspec.Struct, frozen=True, tag=True):
    """An ANeuralNetworksOperandType. ``count`` is the stated number of dimensions, by default the true one.

    With ``has_pointer`` the pointer to the dimensions is not null; by default it is null if there are no dimensions.
    """

    code: int
    dimensions: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    count: int | None = None
    has_pointer: bool | None = None


class Channels(msgspec.Struct, frozen=True, tag=True):
    """An ANeuralNetworksSymmPerChannelQuantParams; without ``has_pointer`` the pointer to the scales is null."""

    dimension: int
    scales: tuple[float, ...]
    has_pointer: bool = True


class TextArgument(msgspec.Struct, frozen=True, tag=True):
    """A text that ends with a zero."""

    content: str


class Path(msgspec.Struct, frozen=True, tag=True):
    """The path of a folder of the sequence."""

    name: str


class Descriptor(msgspec.Struct, frozen=True, tag=True):
    """The descriptor of a file of the sequence."""

    name: str


class Callback(msgspec.Struct, frozen=True, tag=True):
    """A function of the caller's that does nothing."""


class Written(msgspec.Struct, frozen=True, tag=True):
    """Numbers that have to be in the place called ``name`` after a call."""

    name: str
    values: tuple[int, ...]


Argument = (  # the docstring of the module lists the forms
    New
    | WritablePlace
    | Raw
    | Data
    | NumberArray
    | ObjectPointers
    | OperandTypeData
    | Channels
    | TextArgument
    | Path
    | Descriptor
    | Callback
    | int
    | float
    | bool
    | str
    | None
)


class CallStep(msgspec.Struct, frozen=True):
    """A call of ``function``; ``codes`` are the results that it may have, none for a function without a result.

    ``written`` are numbers that are compared after the call. A wrong result or number breaks ``rule``, whose source is
    ``cites``. If the step is ``optional``, another result only means that the library does not offer what later steps
    need. Calls ``beside`` this one are made at the same time, each on a thread: exactly one of all has to succeed, or
    with ``any_may_succeed`` at least one.
    """

    function: str
    arguments: tuple[Argument, ...] = ()
    codes: tuple[int, ...] = (0,)
    written: tuple[Written, ...] = ()
    rule: str = ""
    cites: str = ""
    optional: bool = False
    beside: tuple[CallStep, ...] = ()
    any_may_succeed: bool = False


class CallSequence(msgspec.Struct, frozen=True):
    """Steps in their order; the first that goes wrong ends the sequence."""

    steps: tuple[CallStep, ...]


class SequenceEnd(msgspec.Struct, frozen=True, tag=True):
    """The end of a sequence: the index of the step that went wrong, or the number of steps.

    ``results`` are those of the last step and of the calls beside it; None for a call without a result. ``missing`` is
    a function that the library lacks. ``differs`` names a difference from what the step expects.
    """

    step: int
    results: tuple[int | None, ...] = ()
    differs: str = ""
    missing: str = ""


class Library(msgspec.Struct, frozen=True, tag=True):
    """Facts about a library that decide which calls can be made; ``functions`` are those that it has.

    ``level`` is the highest feature level of its functions; ``devices`` has name, feature level and type of each
    device. ``device`` is the index of the device that the selector names.
    """

    level: int
    functions: tuple[str, ...]
    devices: tuple[tuple[str, int, int], ...]
    device: int
