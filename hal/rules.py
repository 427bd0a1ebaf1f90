"""The numbered rules of the contract, each with an id and one sentence.

``GENERAL_RULES`` has the rules that belong to no single operation, by phase. Rules of operations are declared with
them. :func:`all_rules` returns both. Validation, drivers, test names, reports and docs name a rule by its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from nnvet.hal.enums import OperandType
from nnvet.hal.extensions import known_extensions
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import accepted_inputs
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Phase, ZeroSized


@dataclass(frozen=True, slots=True)
class ContractRule:
    """One rule: id, sentence, and the place where a violation shows (``model``, ``request``, ``execution``, …).

    ``section`` is the section of ``docs/contract/hal.md`` that states a general rule; rules of operations have none.
    """

    id: str
    sentence: str
    phase: str
    section: str = ""


def _make_group(phase: str, *entries: tuple[str, str, str]) -> tuple[ContractRule, ...]:
    return tuple(ContractRule(identifier, sentence, phase, section) for identifier, section, sentence in entries)


GENERAL_RULES: tuple[ContractRule, ...] = (
    *_make_group(
        "model",
        ("model/level", "7.3", "A model needs no more than the feature level of the driver."),
        ("model/pool.valid", "7.1", "Every pool has a valid descriptor, a size above 0 and a legal protection."),
        (
            "model/extension.name",
            "3.3",
            "Extension names have lower case letters, digits, '.' and '_', and at least one '.'.",
        ),
        ("model/extension.unique", "3.3", "Extension names and prefixes are unique within a model."),
        ("model/subgraph.cycle", "7.1", "Subgraphs do not refer to themselves, directly or through others."),
        ("model/subgraph.reference", "7.1", "A subgraph operand refers to an existing subgraph."),
        ("model/operands.empty", "7.2", "Every subgraph has at least one operand."),
        ("model/operations.empty", "7.2", "Every subgraph has at least one operation."),
        ("model/operand.type", "3.1", "Operand types are those of the contract or of an extension."),
        ("model/operand.lifetime", "4.1", "Lifetimes are those of the contract."),
        ("model/operand.subgraph", "4.1", "An operand has type SUBGRAPH if and only if its lifetime is SUBGRAPH."),
        ("model/operand.dimensions.scalar", "3.1", "Scalars have no dimensions."),
        (
            "model/operand.dimensions.constant",
            "4.2",
            "Constant tensors have a known rank of at least 1 and no dimension 0.",
        ),
        ("model/operand.dimensions.overflow", "4.4", "The size of a tensor fits in 32 unsigned bits."),
        ("model/operand.scale", "3.2", "The scale is 0, above 0 or not negative, as the operand's type demands."),
        ("model/operand.zero_point", "3.2", "The zero point lies in the range of the operand's type."),
        (
            "model/operand.extra_params",
            "3.2",
            "Extra parameters are given if and only if the operand's type takes them.",
        ),
        ("model/operand.channel_dim", "3.2", "The channel dimension exists and its size is known."),
        ("model/operand.channel_scales", "3.2", "There is one scale above 0 for each index of the channel dimension."),
        ("model/operand.location.unused", "4.1", "Operands without data have pool, offset, length and padding 0."),
        ("model/operand.location.values", "4.1", "Copied constants lie within operand_values, with pool 0."),
        ("model/operand.location.pool", "4.1", "Constants in pools lie within an existing pool."),
        ("model/operand.location.padding", "4.1", "Operands of a model have no padding."),
        ("model/operand.location.length", "4.2", "A constant's length is exactly the size of its type and dimensions."),
        (
            "model/operand.consumers",
            "4.3",
            "The number of consumers counts the operation inputs that name the operand.",
        ),
        ("model/operation.type", "7.2", "Operation codes are those of the contract or of an extension."),
        ("model/operation.operands", "7.2", "Operations name existing operands."),
        (
            "model/inputs.listed",
            "7.2",
            "Input indexes exist, have lifetime SUBGRAPH_INPUT, and list each such operand once.",
        ),
        (
            "model/outputs.listed",
            "7.2",
            "Output indexes exist, have lifetime SUBGRAPH_OUTPUT, and list each such operand once.",
        ),
        (
            "model/order.read_before_write",
            "7.2",
            "Operations come in execution order: every input is known before it is read.",
        ),
        ("model/order.written_once", "7.2", "Every temporary and output is written once; nothing else is written."),
        ("model/order.never_written", "7.2", "Every temporary and output is written by some operation."),
    ),
    *_make_group(
        "request",
        ("request/inputs.count", "8.1", "There is one argument for each input of the model."),
        ("request/outputs.count", "8.1", "There is one argument for each output of the model."),
        ("request/no_value", "8.1", "An argument without value has no location and no dimensions."),
        ("request/pool.index", "8.1", "Arguments lie in existing pools."),
        ("request/pool.bounds", "8.1", "Arguments lie within their pool, padding included."),
        ("request/pool.valid", "8.2", "Every pool has a valid descriptor, a size above 0 and a legal protection."),
        ("request/pool.token", "8.2", "Buffer tokens are above 0."),
        ("request/length.zero", "8.1", "An argument in addressable memory is not empty."),
        ("request/length", "8.1", "An argument of known dimensions has exactly their size."),
        ("request/dimensions.rank", "8.1", "Dimensions of an argument have the rank of the model's operand."),
        ("request/dimensions.value", "8.1", "Dimensions of an argument equal the known ones of the model's operand."),
        ("request/dimensions.input", "8.1", "Inputs are fully specified by model and request."),
        ("request/dimensions.output", "8.1", "Outputs are fully specified where the executor demands it."),
        ("request/dimensions.overflow", "8.1", "The size of an argument fits in 32 unsigned bits."),
    ),
    *_make_group(
        "device",
        ("device/name", "10.1", "A device has a name; at feature level 3 it is VENDOR-NAME, with one hyphen."),
        ("device/capabilities.positive", "6.3", "Execution time and power usage are finite and above 0."),
        (
            "device/capabilities.order",
            "6.3",
            "Performances of operand types ascend strictly by type, SUBGRAPH left out.",
        ),
        ("device/version", "10.1", "The version string is not empty."),
        ("device/type", "10.1", "The device type is OTHER, CPU, GPU or ACCELERATOR."),
        (
            "device/extensions",
            "10.1",
            "Extension names are unique, of lower case letters, digits, '.' and '_', with a '.'.",
        ),
        ("device/cache_files", "10.1", "Numbers of cache files lie in 0 to 32."),
        ("device/constant", "10.1", "What a device says of itself does not change."),
        ("device/restart", "14", "What a device says of itself is the same after a restart."),
        ("client/isolation", "11.2", "What one client has of a driver is of no use to another."),
        ("client/interference", "11.2", "What one client does, or its death, does not disturb another."),
        ("client/leak", "11.2", "Descriptors, threads and memory are given back with the objects they were for."),
        ("client/recovery", "11.2", "What runs out under load is there again when the load has gone."),
        (
            "client/degradation",
            "11.2",
            "Latency grows with the load of others, and with time, by no more than the limits of the run.",
        ),
    ),
    *_make_group(
        "prepare",
        ("prepare/preference", "6.2", "The execution preference is one of the contract's."),
        ("prepare/priority", "6.2", "The priority is one of the contract's."),
        ("prepare/deadline", "6.6", "Deadlines are not negative, apart from the value for none."),
        ("prepare/notified_once", "10.2", "A preparation is notified exactly once."),
        (
            "prepare/notified_at_once",
            "10.2",
            "A preparation that the call refuses is notified before the call returns.",
        ),
        ("prepare/valid", "10.2", "A valid model is not rejected."),
        ("prepare/invalid", "10.2", "An invalid model is refused with INVALID_ARGUMENT, by whatever takes models."),
        ("prepare/supported.count", "10.1", "There is one answer for each operation of the main subgraph."),
        ("prepare/launch", "10.2", "A preparation with valid arguments is launched; whatever fails later is notified."),
        ("prepare/deadline.status", "6.6", "Only a deadline that has passed or is near makes a preparation miss it."),
        (
            "prepare/coupling",
            "8.4",
            "A model of unsigned 8-bit numbers and its signed twin are supported and prepared alike.",
        ),
        ("prepare/supported", "10.1", "A model whose operations are all reported as supported can be prepared."),
    ),
    *_make_group(
        "execution",
        ("execution/status", "10.4", "A valid execution succeeds."),
        ("execution/output.value", "8.4", "Outputs agree with the expected values within the tolerance."),
        (
            "execution/output.bound",
            "8.4",
            "Beyond the contract, as quality: outputs keep the operations' error bounds.",
        ),
        ("execution/output.dimensions", "8.3", "Output dimensions agree with those that model and request declare."),
        ("execution/output.shapes", "8.3", "Reported output shapes are complete and agree with the outputs."),
        ("execution/output.insufficient", "8.3", "A buffer too small is reported with OUTPUT_INSUFFICIENT_SIZE."),
        ("execution/deadline", "6.6", "An execution whose deadline has passed may be aborted with MISSED_DEADLINE."),
        ("execution/duration", "10.4.1", "Durations are not negative, apart from the value for none."),
        ("execution/fence", "10.4.1", "Fences to wait for are valid and end without an error."),
        (
            "execution/fence.order",
            "10.4.1",
            "A fenced execution touches nothing before the fences it waits for have signalled.",
        ),
        (
            "execution/fence.state",
            "10.4.1",
            "The returned fence signals after a success and is in error after a failure.",
        ),
        (
            "execution/fence.info",
            "10.5",
            "Until the fence has signalled the callback answers GENERAL_FAILURE, then the outcome.",
        ),
        ("execution/duration.status", "10.4.1", "Only a duration that is over makes a fenced execution miss it."),
        ("execution/duration.first", "10.4.1", "Of a deadline and a duration the one that is over first applies."),
        (
            "execution/busy",
            "10.4",
            "An execution for which resources are lacking now fails with RESOURCE_EXHAUSTED_TRANSIENT.",
        ),
        (
            "execution/concurrent",
            "10.4",
            "Executions at the same time give the answers of executions one after the other.",
        ),
        (
            "execution/coupling",
            "8.4",
            "A model of unsigned 8-bit numbers and its signed twin give the same codes, 128 apart, or off by one.",
        ),
        ("execution/executors", "10.4", "A request gives the same bits whichever executor runs it."),
        (
            "execution/priority",
            "10.4",
            "Waiting executions of higher priority are preferred to others of the same client.",
        ),
        (
            "execution/loop_timeout",
            "6.7",
            "A loop is aborted once its timeout is over, not before, and nothing else is.",
        ),
        ("execution/in_flight", "10.4", "A burst or reusable execution has one execution in flight at most."),
        ("execution/memory", "10.4", "An execution that needs too much memory fails with RESOURCE_EXHAUSTED."),
        (
            "execution/timing",
            "6.4",
            "Timing is reported only when asked for, and time on the device is not above time in the driver.",
        ),
        (
            "execution/invalid",
            "10.4",
            "An invalid request is refused with INVALID_ARGUMENT, by whatever takes requests.",
        ),
        ("execution/deadline.status", "6.6", "Only a deadline that has passed or is near makes an execution miss it."),
        (
            "execution/notified_at_once",
            "10.4",
            "An execution that the call refuses is notified before the call returns.",
        ),
        ("execution/default_arguments", "8.4", "An optional argument with its default value changes nothing."),
        (
            "execution/oversized",
            "10.4",
            "What is too large for the driver ends with an error, neither wrong nor with a crash.",
        ),
        ("execution/expected_failure", "10.4", "A model or request that must fail does fail."),
        ("execution/notified_once", "10.4", "An asynchronous execution is notified exactly once."),
        ("execution/repeated", "8.5", "The same inputs give the same bits, whatever was executed between."),
        ("relation/identity", "8.5", "Operations that change nothing, put into a model, change nothing."),
        ("relation/batch", "8.5", "Rows of a batch are computed alike wherever they stand, whatever is beside them."),
        ("relation/commuted", "8.5", "Operands that can be exchanged may be exchanged."),
        ("relation/activation", "8.5", "A fused activation does what the operation of its name does."),
        ("relation/layout", "8.5", "Images give the same in both layouts."),
        ("relation/channels", "8.5", "Channels are computed alike in any order."),
        ("relation/dequantize", "8.5", "Codes that are moved stand for the numbers that they stood for."),
        ("relation/constant", "8.5", "A value is the same as an input, as a constant and in a pool."),
        ("relation/whole", "8.5", "Operations give the same in whatever models and order they are put together."),
        ("memory/map", "9", "Memory can be mapped with its size, offset and protection."),
        ("operation/omitted", "8.1", "Operands that an operation needs have values."),
    ),
    *_make_group(
        "memory",
        ("allocate/roles", "11.3", "Device memory is allocated for at least one model and one role."),
        ("allocate/model", "11.3", "Models of roles are prepared models of the same driver."),
        ("allocate/model_index", "11.3", "Roles name models of the list."),
        ("allocate/io_index", "11.3", "Roles name inputs and outputs that their models have."),
        ("allocate/probability", "11.3", "The probability of a role is above 0 and at most 1."),
        ("allocate/role.unique", "11.3", "No role is named twice, not even by a prepared model that is listed twice."),
        ("allocate/type", "11.3", "All roles of device memory have the same operand type."),
        (
            "allocate/quantization",
            "11.3",
            "All roles of device memory have the same scale, zero point and extra parameters.",
        ),
        (
            "allocate/dimensions",
            "11.3",
            "Dimensions of all roles and of the description agree as far as they are known.",
        ),
        ("allocate/dimensions.scalar", "11.3", "Device memory for a scalar is described without dimensions."),
        ("allocate/supported", "11.3", "A driver that has no device memory for valid roles answers GENERAL_FAILURE."),
        ("allocate/answer", "11.3", "An allocation yields a buffer and a token above 0 that no other live buffer has."),
        ("buffer/token", "11.3", "Tokens in requests are those of live buffers of the driver."),
        ("buffer/role", "11.3", "Device memory is used only in the roles for which it was allocated."),
        ("buffer/exclusive", "11.3", "Device memory that is an output of a request has no other use in it."),
        ("buffer/dimensions", "11.3", "Dimensions of an argument agree with those of its device memory."),
        ("buffer/uninitialised", "11.3", "Reading uninitialised device memory fails with GENERAL_FAILURE."),
        ("buffer/output", "11.3", "An output that does not fit its device memory fails with GENERAL_FAILURE."),
        ("buffer/memory", "10.6", "Device memory is copied to and from valid memory."),
        ("buffer/copy", "10.6", "A valid copy to or from device memory succeeds."),
        ("buffer/copy.size", "10.6", "Device memory is copied to and from memory of exactly its size."),
        ("buffer/copy.dimensions", "10.6", "Copies into device memory have fully known dimensions that it may have."),
        ("buffer/content", "11.3", "Device memory holds what was last copied or written to it, unchanged."),
        ("buffer/failed", "11.3", "After a failed copy or execution, device memory it was to fill is uninitialised."),
        (
            "buffer/concurrent",
            "11.3",
            "Uses of one device memory at the same time neither crash the driver nor block a caller for ever.",
        ),
        ("buffer/released", "10.6", "The token of a released buffer is not valid any more."),
        ("burst/tokens", "13", "A burst execution names one memory identifier of at least -1 for each pool."),
        (
            "burst/queue",
            "12",
            "The queues of a burst hold datums, have an event flag, and are not corrupted by either end.",
        ),
        (
            "burst/packet",
            "12.2",
            "A packet has exactly the datums that it announces, each of the kind that has to come.",
        ),
        ("burst/slot", "12.3", "Every memory slot that a packet names belongs to a memory of the client."),
        ("burst/result", "12.2", "Every packet is answered by one result, an error by one without shapes and timing."),
        ("burst/recovery", "12.2", "After a packet that it refuses a burst executes the next one."),
        (
            "burst/length",
            "12.4",
            "A result that fits in its queue is sent, a longer one becomes an error of two datums.",
        ),
        ("burst/sanitized", "12.2", "Bytes of a result that have no meaning are 0."),
        ("burst/freed", "12.3", "The memory of a freed slot is used no more, and the slot may name another one."),
    ),
    *_make_group(
        "cache",
        ("cache/unsupported", "10.3", "A driver that needs no cache files prepares from none: GENERAL_FAILURE."),
        ("cache/save_never_fails", "10.3", "Whatever is wrong with cache files or token, the model is prepared."),
        ("cache/retrieval", "10.3", "From what was saved, under its token, the model can be prepared again."),
        ("cache/same_results", "10.3", "A model from the cache computes what the model that was saved computes."),
        ("cache/rewritten", "10.3", "Saving empties the files first and begins at their start, wherever they stand."),
        ("cache/files.count", "10.3", "Preparing from a cache takes exactly as many files as the driver needs."),
        ("cache/files.handle", "10.3", "Each cache file has one valid descriptor, open for reading and writing."),
        ("cache/files.kept", "10.3", "Cache files stay the regular files that the client has made, of a bounded size."),
        ("cache/token.size", "10.3", "A cache token has 32 bytes."),
        ("cache/token", "10.3", "Under a token that nothing was saved under, preparing fails with GENERAL_FAILURE."),
        (
            "cache/tampered_model_cache",
            "10.3",
            "A model cache that is not what the driver wrote is refused: GENERAL_FAILURE.",
        ),
        (
            "cache/tampered_data_cache",
            "10.3",
            "A data cache that is not what the driver wrote leads to wrong values at worst.",
        ),
        (
            "cache/checked_is_used",
            "10.3",
            "What is verified or remembered of a file is what is used, whatever changes it.",
        ),
        ("cache/descriptors", "10.3", "Clients may close cache files once the preparation is notified."),
        ("cache/fallback", "10.3", "After preparing from a cache has failed, the same files serve to save the model."),
        ("cache/collision", "10.3", "Of several models saved under one token, what is prepared is one of them."),
        ("cache/version", "10.3", "A cache that another version of the driver has written is refused or works."),
        ("cache/restart", "10.3", "A restart of the driver leaves its cache usable or clearly not."),
    ),
    *_make_group(
        "extension",
        ("extension/types", "3.3", "A driver reports a known extension with the operand types of its declaration."),
        (
            "extension/unknown",
            "3.3",
            "A valid model with an unknown extension is not rejected, its operations are unsupported.",
        ),
        (
            "extension/operations",
            "3.3",
            "A reported extension's operations are supported with the operands of their declarations, and no others.",
        ),
        (
            "extension/hints",
            "10.2",
            "Hints of an extension make neither preparation nor execution fail, unless a token is given twice.",
        ),
        ("extension/prefix", "3.3", "Which prefix a model chooses for an extension makes no difference."),
    ),
    *_make_group(
        "driver",
        ("driver/operation.supported", "10.2", "Operations reported as unsupported are refused cleanly."),
        ("driver/exception", "11.2", "A driver answers every call with a result or an error status."),
        ("driver/reply", "11.2", "A driver answers with values of the types that the method returns."),
        ("driver/notification", "11.2", "A notification has a status and, exactly if that is NONE, a prepared model."),
        (
            "driver/persistent",
            "6.1",
            "A call that has failed with a PERSISTENT status does not succeed when it is made again.",
        ),
        ("driver/crash", "11.2", "The driver's process survives every call."),
        ("driver/hang", "11.2", "The driver answers every call in time."),
        ("driver/sanitizer", "11.2", "No sanitizer reports a fault of the driver's native code."),
        ("driver/exit", "11.2", "When its client has gone, the driver's process ends in time and without a fault."),
        ("driver/log", "11.2", "The driver prints no line that tells of a fault in it."),
        (
            "driver/process",
            "11.2",
            "A library leaves the descriptors and signal handlers of its process that are not its own alone.",
        ),
        ("driver/memory", "11.2", "The driver's process has no more memory than the limit of the run."),
    ),
    *_make_group(
        "wire",
        ("wire/version", "11.4", "A service welcomes a client by a version that both speak, or not at all."),
        ("wire/frame", "11.4", "A malformed frame ends the session of its sender; well-formed messages do not."),
        ("wire/method", "11.4", "A method that does not exist is refused, and the session goes on."),
        (
            "wire/object",
            "11.4",
            "An object that does not exist, or is of another kind, is refused, and the session goes on.",
        ),
        ("wire/arguments", "11.4", "Arguments of other number or types are refused, and the session goes on."),
        ("wire/release", "11.4", "To release what does not exist, the service or the device has no effect."),
        ("wire/fields", "11.4", "Unknown fields of structures are ignored, and absent ones have their defaults."),
    ),
    *_make_group(
        "library",
        ("c_api/functions", "11.5", "A library has the functions of its feature level."),
        ("c_api/accepted", "11.5", "A call that the C API allows succeeds."),
        ("c_api/null", "11.5", "A null pointer that a function needs is answered by UNEXPECTED_NULL."),
        ("c_api/argument", "11.5", "A wrong argument is answered by BAD_DATA, or as its function says."),
        ("c_api/state", "11.5", "A call for which an object is in the wrong state is answered by BAD_STATE."),
        ("c_api/written", "11.5", "A function has the effect, and writes the values, that the C API says."),
        ("c_api/concurrent", "11.5", "Of calls at the same time each succeeds, or is refused as the C API says."),
    ),
)


def operation_rules(declaration: OperationDeclaration) -> Iterator[ContractRule]:
    """Yield all rules of one operation: structural ones, which follow from the declaration, then the declared ones."""
    name = declaration.name
    model, execution = Phase.MODEL.value, Phase.EXECUTION.value
    yield ContractRule(f"{name}/level", f"{name} needs feature level {declaration.level}.", model)
    yield ContractRule(f"{name}/inputs.count", f"{name} takes {accepted_inputs(declaration)}.", model)
    yield ContractRule(f"{name}/outputs.count", f"{name} has the declared number of outputs.", model)
    yield ContractRule(f"{name}/types", "Operand types form one of the declared combinations.", model)
    for formal in {formal.name: formal for signature in declaration.signatures for formal in signature.inputs}.values():
        yield from _list_formal_rules(name, formal)
    for formal in _list_decisive(declaration):
        yield ContractRule(f"{name}/{formal.name}.level", f"'{formal.name}' needs feature level {formal.level}.", model)
    quantization = f"{name}/output.quantization"
    derived = not declaration.free_quantization and quantization not in declaration.rule_index
    if derived and _has_quantized_outputs(declaration):
        sentence = "Outputs of the model have the scale and zero point that follow from the inputs."
        yield ContractRule(quantization, sentence, execution)
    if declaration.zero_sized is not ZeroSized.ACCEPTED:
        yield ContractRule(f"{name}/zero_sized", f"{name} takes no tensors with a dimension of 0.", execution)
    for level_rule in declaration.level_rules:
        yield ContractRule(level_rule.id, level_rule.sentence, model)
    for rule in declaration.rules:
        yield ContractRule(rule.id, rule.sentence, rule.phase.value)


def _has_quantized_outputs(declaration: OperationDeclaration) -> bool:
    return any(
        type_info(kind).is_quantized
        for formal in declaration.outputs
        for kind in (
            [r.types.get(formal.type) for r in declaration.rows] if isinstance(formal.type, str) else [formal.type]
        )
        if kind is not None
    )


def _list_formal_rules(operation: str, formal: Formal) -> Iterator[ContractRule]:
    """Yield the structural rules about one formal operand: its rank, and whether it may be omitted."""
    where = f"{operation}/{formal.name}"
    # Every tensor has at least one dimension, so that this rank bounds nothing.
    if formal.rank not in (None, (1, None)):
        low, high = formal.rank or (1, None)
        bound = str(low) if low == high else f"{low} to {high}" if high is not None else f"at least {low}"
        yield ContractRule(f"{where}.rank", f"The rank of '{formal.name}' is {bound}.", formal.rank_phase.value)
    if not formal.omissible and formal.type != OperandType.SUBGRAPH:
        yield ContractRule(f"{where}.omitted", f"'{formal.name}' has a value when it is needed.", Phase.EXECUTION.value)


def _list_decisive(declaration: OperationDeclaration) -> list[Formal]:
    """Return operands that raise the level if they are given; of operands given together the first one decides."""
    decisive: dict[str, Formal] = {}
    for signature in declaration.signatures:
        level = declaration.level
        for formal in signature.inputs:
            if formal.level > level:
                level = formal.level
                decisive[formal.name] = formal
    return list(decisive.values())


@cache
def all_rules() -> dict[str, ContractRule]:
    """Return every rule by id: general ones, those of operations, those of extensions' operations."""
    rules = {rule.id: rule for rule in GENERAL_RULES}
    of_extensions = [declaration for extension in known_extensions().values() for declaration in extension.operations]
    for declaration in (*declarations().values(), *of_extensions):
        rules.update((rule.id, rule) for rule in operation_rules(declaration))
    return rules
