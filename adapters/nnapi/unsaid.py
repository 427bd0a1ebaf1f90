"""The table of what the HAL can say and the C API cannot, which docs/drivers.md has for readers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, NoReturn

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.errors import HalError, invalid


class Unsaid(Enum):
    """One thing that cannot be said: its name in messages and on the page, why, and the rules that nobody can break."""

    INPUTS = "models without inputs", "`identifyInputsAndOutputs` refuses them"
    LIFETIMES = (
        "lists of inputs and outputs that contradict lifetimes",
        "lifetimes follow from the calls that are made",
        "model/operand.lifetime",
    )
    CONSUMERS = "numbers of consumers", "they are not given", "model/operand.consumers"
    CONSTANTS = (
        "places of constants in a buffer, and of operands without data",
        "constants are pointers, and operands without data have no location",
        "model/operand.location.values",
        "model/operand.location.unused",
        "model/operand.location.padding",
    )
    EMPTY = "constants without bytes", "a pointer to nothing is a mistake, and a null pointer is an omitted operand"
    LARGE = (
        "operands of 2^32 bytes or more of OEM types and of extensions",
        "`addOperand` refuses what is so large, whatever its type",
    )
    OEM = (
        "extra parameters of operands of OEM types",
        "channel scales belong to channel-quantised tensors, and data to types of extensions: others are refused",
    )
    ORDER = (
        "operations before those whose results they read",
        "the library sorts the operations",
        "model/order.read_before_write",
    )
    SUBGRAPHS = (
        "subgraphs that do not exist or contain themselves",
        "a model refers to finished models only",
        "model/subgraph.reference",
        "model/subgraph.cycle",
    )
    LOOPS = (
        "`IF` and `WHILE` on operands of unknown size",
        "the CPU of a library alone runs them: it may take such a `WHILE`, and claim such an `IF` and not compile it",
        "WHILE/known_sizes",
    )
    NAMES = (
        "wrong names and prefixes of extensions",
        "names stand with the types that are used; the library chooses the prefixes",
        "model/extension.name",
        "model/extension.unique",
    )
    NAMELESS = (
        "types, operations and hints of an extension that has no name",
        "they are asked for by name",
        "extension/hints",
    )
    UNKNOWN_EXTENSION = (
        "operands and operations of an extension that no device of the library has",
        "its types are not registered: `addOperand` answers BAD_DATA",
    )
    MEMORY = (
        "memory that is closed, shorter than it says, or has no protection that allows its use",
        "a client has to see to it: a library may fail in any way, and die",
        "model/pool.valid",
        "request/pool.valid",
        "buffer/memory",
    )
    HARDWARE_BUFFERS = "hardware buffers", "there is no AHardwareBuffer on this system"
    OBJECTS = (
        "numbers of pools and models, tokens of device memory, memory identifiers of bursts",
        "memories and compilations are objects, not numbers",
        "request/pool.index",
        "request/pool.token",
    )
    NO_VALUE = (
        "arguments without value that have a location or dimensions",
        "such an argument is a null pointer",
        "request/no_value",
    )
    PADDING = (
        "padding, if the length of any argument is not that of its data, or a padded one's dimensions are not known",
        "an argument has one length, with the padding in it: a wrong request would become a right one",
    )
    NUMBERS = (
        "numbers that their C types do not have, such as negative places, sizes and times",
        "they cannot be passed",
        "prepare/deadline",
        "execution/deadline",
        "execution/duration",
        "WHILE/timeout",
    )
    PREFERENCES = "negative preferences", "the C API has preferences from 0 on, and looks at their end alone"
    PRIORITIES = (
        "priorities that are none of the HAL's and numbers of the C API's (90, 100, 110)",
        "they would be another priority",
    )
    UNLAWFUL = "requests for models that the library ought to have refused", "nothing is known of their arguments"
    COPIES = (
        "dimensions of a copy into device memory other than its own",
        "a copy has none; one that is bound to fail is tried in its place, so that no content is left",
    )
    OPEN_BUFFERS = (
        "device memory of unknown dimensions",
        "a copy into it has no dimensions of its own: `allocate` answers GENERAL_FAILURE",
    )
    CACHES = "preparing from cache files alone", "a compilation has a model, so this answers GENERAL_FAILURE"

    def __init__(self, what: str, why: str, *rules: str) -> None:
        """Keep the parts."""
        self.what = what
        self.why = why
        self.rules = rules


_BY_RULE: Final = {rule: entry for entry in Unsaid for rule in entry.rules}


def refuse(unsaid: Unsaid, detail: str = "") -> NoReturn:
    """Say that the C API has no words for something.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible``.
    """
    raise invalid(f"the C API cannot express {detail or unsaid.what}: {unsaid.why}", INEXPRESSIBLE)


def refuse_broken(broken: Iterable[HalError]) -> None:
    """Refuse what breaks a rule that no client of the C API can break."""
    for error in broken:
        entry = _BY_RULE.get(error.rule)
        if entry is not None:
            raise invalid(f"{error.message} ({error.rule}): {entry.why}", INEXPRESSIBLE) from error
