"""Refusal of everything that the C API cannot express, with a rule that is not a verdict on the library.

Everything else is passed on, valid or not, and the library decides. A model, request or configuration is examined
completely before any part of it is passed on: :mod:`nnvet.adapters.nnapi.compilation` calls :func:`check_model` and
:func:`check_config`, :mod:`nnvet.adapters.nnapi.execution` calls :func:`check_request`. The table of :class:`Unsaid`
lists the things that the HAL can express and the C API cannot; docs/drivers.md prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import zip_longest
from typing import Final, NoReturn

from nnvet.adapters.nnapi.declarations import PRIORITIES
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal import types as hal
from nnvet.hal.arguments import check_time
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.errors import HalError, errors_of, invalid
from nnvet.hal.operand_types import combine, fully_known, is_extension, is_tensor
from nnvet.hal.validation import broken_rules, broken_rules_of_request, validate_model
from nnvet.hal.validation.operands import MAX_BYTES, OEM_TYPES, byte_size
from nnvet.hal.validation.subgraph import CONTROL_FLOW, WRITTEN


class Unsaid(Enum):
    """A thing that the C API cannot express: its name in messages and on the page, the reason, and the rules on it.

    The C API leaves it unsaid, hence the name: no argument of any function could carry it.
    """

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
        "only the CPU device of a library runs them: another one may accept both, and then fail to compile the `IF`",
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
    PREFERENCES = "negative preferences", "the C API has preferences from 0 on; it only checks their upper limit"
    PRIORITIES = (
        "priorities that are none of the HAL's and numbers of the C API's (90, 100, 110)",
        "they would be another priority",
    )
    UNLAWFUL = (
        "requests for invalid models that the library has accepted",
        "the adapter cannot know what their arguments mean",
    )
    COPIES = (
        "dimensions of a copy into device memory other than its own",
        "a copy has none; the adapter makes a copy of a wrong size fail instead, so that no content is left",
    )
    OPEN_BUFFERS = (
        "device memory of unknown dimensions",
        "a copy into it has no dimensions of its own: `allocate` answers GENERAL_FAILURE",
    )
    CACHES = "preparing from cache files alone", "a compilation has a model, so this answers GENERAL_FAILURE"

    def __init__(self, what: str, why: str, *rules: str) -> None:
        """Keep the name, the reason, and the rules that a client of the C API cannot break because of it."""
        self.what = what
        self.why = why
        self.rules = rules


_BY_RULE: Final = {rule: unsaid for unsaid in Unsaid for rule in unsaid.rules}
"""The thing that cannot be expressed, for each rule that is therefore impossible to break."""


def refuse(unsaid: Unsaid, detail: str = "") -> NoReturn:
    """Raise the error for a thing that the C API cannot express.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible``.
    """
    raise invalid(f"the C API cannot express {detail or unsaid.what}: {unsaid.why}", INEXPRESSIBLE)


def refuse_broken(broken: Iterable[HalError]) -> None:
    """Raise an error like :func:`refuse` if no client of the C API could break one of the ``broken`` rules."""
    for error in broken:
        unsaid = _BY_RULE.get(error.rule)
        if unsaid is not None:
            raise invalid(f"{error.message} ({error.rule}): {unsaid.why}", INEXPRESSIBLE) from error


SIZES: Final = range(2**63)
"""Range of sizes and offsets in memory; the upper half of the C type exceeds every memory."""
UINT32: Final = range(2**32)
_INT32: Final = range(-(2**31), 2**31)
"""Ranges of the C types ``uint32_t`` and ``int32_t``."""
_LISTED: Final = (
    hal.OperandLifeTime.TEMPORARY_VARIABLE,
    hal.OperandLifeTime.SUBGRAPH_INPUT,
    hal.OperandLifeTime.SUBGRAPH_OUTPUT,
)
"""Lifetimes that follow from the lists of inputs and outputs, since the C API does not state them."""


def check_model(model: hal.Model) -> bool:
    """Refuse a model that the C API cannot express; return True if the model is valid.

    An invalid model that can be expressed is the library's to refuse.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible``.
    """
    is_valid = True
    try:
        validate_model(model)
    except HalError:
        is_valid = False
        # If no order is possible, as with a cycle, the library has to refuse the model.
        is_sortable = all(_is_sortable(graph) for graph in (model.main, *model.referenced))
        refuse_broken(error for error in broken_rules(model) if is_sortable or error.rule not in Unsaid.ORDER.rules)
    names = {entry.prefix for entry in model.extension_name_to_prefix}
    for subgraph in (model.main, *model.referenced):
        if not subgraph.input_indexes:
            refuse(Unsaid.INPUTS)
        _check_subgraph_numbers(subgraph)
        _check_lifetimes(subgraph)
        codes = [operand.type for operand in subgraph.operands]
        for code in codes + [operation.type for operation in subgraph.operations]:
            if is_extension(code) and code >> hal.EXTENSION_TYPE_LOW_BITS_TYPE not in names:
                refuse(Unsaid.NAMELESS, f"code {code:#x} of an extension that has no name")
        for operand in subgraph.operands:
            place = operand.location
            if operand.lifetime in CONSTANTS and not place.length:
                refuse(Unsaid.EMPTY)
            if operand.lifetime == hal.OperandLifeTime.CONSTANT_REFERENCE and place.pool_index >= len(model.pools):
                refuse(Unsaid.OBJECTS, f"a constant in pool {place.pool_index} of {len(model.pools)}")
    return is_valid


def check_config(config: hal.PrepareModelConfig) -> None:
    """Refuse a configuration that the C API cannot express; raises like :func:`check_model`."""
    check_duration(config.deadline_ns, "deadline", "prepare/deadline")
    if config.preference < 0:
        refuse(Unsaid.PREFERENCES, f"preference {config.preference}")
    if config.priority not in PRIORITIES and config.priority in PRIORITIES.values():
        refuse(Unsaid.PRIORITIES, f"priority {config.priority}")
    check_range((config.preference, config.priority), _INT32, "a preference or priority")
    _check_hints(config.compilation_hints, config.extension_name_to_prefix)


def check_request(
    request: hal.Request, config: hal.ExecutionConfig, model: hal.Model, *, is_valid: bool, unspecified_outputs: bool
) -> bool:
    """Refuse a request that the C API cannot express; return True if the request is valid.

    ``is_valid`` is the result of :func:`check_model` for the model; without ``unspecified_outputs`` the sizes of all
    outputs have to be known. Raises like :func:`check_model`.
    """
    if not is_valid:
        refuse(Unsaid.UNLAWFUL)
    broken = list(broken_rules_of_request(request, model, unspecified_outputs=unspecified_outputs))
    refuse_broken(broken)
    main = model.main
    # The C API has a single switch for padding, which holds for all arguments.
    is_padded = any(argument.location.padding for argument in (*request.inputs, *request.outputs))
    for arguments, indexes in ((request.inputs, main.input_indexes), (request.outputs, main.output_indexes)):
        for argument, index in zip_longest(arguments, indexes[: len(arguments)]):
            operand = None if index is None else main.operands[index]
            _check_argument(argument, len(request.pools))
            if is_padded and operand is not None and not argument.has_no_value:
                _check_length(argument, operand)
    check_duration(config.loop_timeout_duration_ns, "loop timeout", "WHILE/timeout")
    _check_hints(config.execution_hints, config.extension_name_to_prefix)
    return not broken


def check_duration(value: int, what: str, rule: str) -> None:
    """Refuse a negative duration or deadline, by the rule that it breaks; raises like :func:`check_model`."""
    refuse_broken(errors_of([lambda: check_time(value, what, rule)]))


def check_range(numbers: Iterable[int], allowed: range, what: str) -> None:
    """Refuse numbers outside of their C type; raises like :func:`check_model`."""
    for number in numbers:
        # Compare with the bounds: for a member of an enumeration, ``in`` would go through the range number by number.
        if not allowed.start <= number < allowed.stop:
            refuse(Unsaid.NUMBERS, f"{number} of {what}")


def has_open_control_flow(model: hal.Model) -> bool:
    """Return True if operands of an IF or WHILE of a valid model, or of their subgraphs, have unknown sizes."""
    graphs = (model.main, *model.referenced)
    return any(
        is_tensor(operand.type) and not fully_known(operand.dimensions)
        for graph in graphs
        for operation in graph.operations
        if operation.type in CONTROL_FLOW
        for operand in _operands_around(operation, graph, model)
    )


def _operands_around(operation: hal.Operation, graph: hal.Subgraph, model: hal.Model) -> Iterator[hal.Operand]:
    """Yield the operands of an IF or WHILE, and inputs and outputs of the subgraphs that it runs."""
    for index in (*operation.inputs, *operation.outputs):
        operand = graph.operands[index]
        yield operand
        if operand.lifetime == hal.OperandLifeTime.SUBGRAPH:
            # The location of such an operand is the index of its subgraph (docs/contract/hal.md).
            inner = model.referenced[operand.location.offset]
            yield from (inner.operands[place] for place in (*inner.input_indexes, *inner.output_indexes))


def _is_sortable(graph: hal.Subgraph) -> bool:
    """Return True if the operations can be sorted so that each one reads only values already written."""
    known = [operand.lifetime not in WRITTEN for operand in graph.operands]
    waiting: dict[int, list[int]] = {}
    missing = [0] * len(graph.operations)
    for position, operation in enumerate(graph.operations):
        for index in {index for index in operation.inputs if 0 <= index < len(known) and not known[index]}:
            waiting.setdefault(index, []).append(position)
            missing[position] += 1
    ready = [position for position, count in enumerate(missing) if not count]
    done = 0
    while ready:
        done += 1
        for index in graph.operations[ready.pop()].outputs:
            for position in waiting.pop(index, ()):
                missing[position] -= 1
                if not missing[position]:
                    ready.append(position)
    return done == len(graph.operations)


def _check_subgraph_numbers(subgraph: hal.Subgraph) -> None:
    """Check that the C types have all numbers of a subgraph, and refuse sizes and parameters of opaque types."""
    for operand in subgraph.operands:
        check_range((operand.type, operand.zero_point), _INT32, "an operand")
        check_range(operand.dimensions, UINT32, "dimensions")
        if isinstance(operand.extra_params, hal.SymmPerChannelQuantParams):
            check_range((operand.extra_params.channel_dim,), UINT32, "a channel dimension")
        check_range((operand.location.offset, operand.location.length), SIZES, "a location")
        # The library has to check the sizes of all other types; the HAL has no rule for these.
        is_opaque = is_extension(operand.type) or operand.type == hal.OperandType.TENSOR_OEM_BYTE
        if is_opaque and byte_size(hal.OperandType.TENSOR_OEM_BYTE, operand.dimensions) > MAX_BYTES:
            refuse(Unsaid.LARGE)
        if operand.type in OEM_TYPES and operand.extra_params is not None:
            refuse(Unsaid.OEM)
    for operation in subgraph.operations:
        check_range((operation.type,), _INT32, "an operation")
        check_range((*operation.inputs, *operation.outputs), UINT32, "an operation's operands")
    check_range((*subgraph.input_indexes, *subgraph.output_indexes), UINT32, "a model's inputs and outputs")


def _check_lifetimes(subgraph: hal.Subgraph) -> None:
    """Check that the lists of inputs and outputs agree with the lifetimes, because the C API only has the lists."""
    listed = dict.fromkeys(subgraph.input_indexes, hal.OperandLifeTime.SUBGRAPH_INPUT)
    listed |= dict.fromkeys(subgraph.output_indexes, hal.OperandLifeTime.SUBGRAPH_OUTPUT)
    for index, operand in enumerate(subgraph.operands):
        meant = listed.get(index, hal.OperandLifeTime.TEMPORARY_VARIABLE)
        if operand.lifetime in _LISTED and operand.lifetime != meant:
            what = f"lifetime {operand.lifetime} of operand {index}, which the lists make {meant.name}"
            refuse(Unsaid.LIFETIMES, what)


def _check_hints(hints: Sequence[hal.TokenValuePair], named: Sequence[hal.ExtensionNameAndPrefix]) -> None:
    """Check that the extension of each hint has a name, which stands in the C API's call instead of the prefix."""
    names = {entry.prefix: entry.name for entry in named}
    for hint in hints:
        if not names.get(hint.token >> hal.EXTENSION_TYPE_LOW_BITS_TYPE, ""):
            refuse(Unsaid.NAMELESS, f"hint {hint.token:#x} of an extension that has no name")
    if any("\0" in name for name in names.values()):
        refuse(Unsaid.NAMES, "a name with a zero byte")


def _check_argument(argument: hal.RequestArgument, pools: int) -> None:
    """Check the numbers of an argument of a request with so many ``pools``."""
    place = argument.location
    check_range((place.offset, place.length, place.padding), SIZES, "a location")
    check_range(argument.dimensions, UINT32, "dimensions")
    if argument.has_no_value:
        return
    if not 0 <= place.pool_index < pools:
        refuse(Unsaid.OBJECTS, f"pool {place.pool_index} of {pools}")


def _check_length(argument: hal.RequestArgument, operand: hal.Operand) -> None:
    """Check the length of an argument, because a library takes everything beyond the data for padding."""
    place = argument.location
    known = combine(operand.dimensions, argument.dimensions)
    is_sized = known is not None and not is_extension(operand.type) and 0 not in known
    is_ambiguous = byte_size(operand.type, known or ()) != place.length if is_sized else place.padding > 0
    if is_ambiguous:
        refuse(Unsaid.PADDING, f"padding beside {place.length} bytes, which may not be the data's")
