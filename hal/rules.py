"""The numbered rules of the contract.

Rules of operations are declared with the operations; the rest is the table below. Validation, drivers, test
names, reports and docs name a rule by its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from nnvet.hal.enums import OperandType
from nnvet.hal.known_extensions import known_extensions
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.binding import accepted_lengths
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Phase, ZeroSized


@dataclass(frozen=True, slots=True)
class ContractRule:
    """One rule: id, sentence, and where a break shows (``model``, ``request``, ``execution``, …)."""

    id: str
    sentence: str
    phase: str


def _group(phase: str, *entries: tuple[str, str]) -> tuple[ContractRule, ...]:
    return tuple(ContractRule(identifier, sentence, phase) for identifier, sentence in entries)


GENERAL_RULES: tuple[ContractRule, ...] = (
    *_group(
        "model",
        ("model/level", "A model needs no more than the feature level of the driver."),
        ("model/pool.valid", "Every pool has a valid descriptor, a size above 0 and a legal protection."),
        ("model/extension.name", "Extension names have lower case letters, digits, '.' and '_', and at least one '.'."),
        ("model/extension.unique", "Extension names and prefixes are unique within a model."),
        ("model/subgraph.cycle", "Subgraphs do not refer to themselves, directly or through others."),
        ("model/subgraph.reference", "A subgraph operand refers to an existing subgraph."),
        ("model/operands.empty", "Every subgraph has at least one operand."),
        ("model/operations.empty", "Every subgraph has at least one operation."),
        ("model/operand.type", "Operand types are those of the contract or of an extension."),
        ("model/operand.lifetime", "Lifetimes are those of the contract."),
        ("model/operand.subgraph", "An operand has type SUBGRAPH if and only if its lifetime is SUBGRAPH."),
        ("model/operand.dimensions.scalar", "Scalars have no dimensions."),
        ("model/operand.dimensions.constant", "Constant tensors have a known rank of at least 1 and no dimension 0."),
        ("model/operand.dimensions.overflow", "The size of a tensor fits in 32 unsigned bits."),
        ("model/operand.scale", "The scale is 0, above 0 or not negative, as the operand's type demands."),
        ("model/operand.zero_point", "The zero point lies in the range of the operand's type."),
        ("model/operand.extra_params", "Extra parameters are given if and only if the operand's type takes them."),
        ("model/operand.channel_dim", "The channel dimension exists and its size is known."),
        ("model/operand.channel_scales", "There is one scale above 0 for each index of the channel dimension."),
        ("model/operand.location.unused", "Operands without data have pool, offset, length and padding 0."),
        ("model/operand.location.values", "Copied constants lie within operand_values, with pool 0."),
        ("model/operand.location.pool", "Constants in pools lie within an existing pool."),
        ("model/operand.location.padding", "Operands of a model have no padding."),
        ("model/operand.location.length", "A constant's length is exactly the size of its type and dimensions."),
        ("model/operand.consumers", "The number of consumers counts the operation inputs that name the operand."),
        ("model/operation.type", "Operation codes are those of the contract or of an extension."),
        ("model/operation.operands", "Operations name existing operands."),
        ("model/inputs.listed", "Input indexes exist, have lifetime SUBGRAPH_INPUT, and list each such operand once."),
        (
            "model/outputs.listed",
            "Output indexes exist, have lifetime SUBGRAPH_OUTPUT, and list each such operand once.",
        ),
        (
            "model/order.read_before_write",
            "Operations come in execution order: every input is known before it is read.",
        ),
        ("model/order.written_once", "Every temporary and output is written once; nothing else is written."),
        ("model/order.never_written", "Every temporary and output is written by some operation."),
    ),
    *_group(
        "request",
        ("request/inputs.count", "There is one argument for each input of the model."),
        ("request/outputs.count", "There is one argument for each output of the model."),
        ("request/no_value", "An argument without value has no location and no dimensions."),
        ("request/pool.index", "Arguments lie in existing pools."),
        ("request/pool.bounds", "Arguments lie within their pool, padding included."),
        ("request/pool.valid", "Every pool has a valid descriptor, a size above 0 and a legal protection."),
        ("request/pool.token", "Buffer tokens are above 0."),
        ("request/length.zero", "An argument in addressable memory is not empty."),
        ("request/length", "An argument of known dimensions has exactly their size."),
        ("request/dimensions.rank", "Dimensions of an argument have the rank of the model's operand."),
        ("request/dimensions.value", "Dimensions of an argument equal the known ones of the model's operand."),
        ("request/dimensions.input", "Inputs are fully specified by model and request."),
        ("request/dimensions.output", "Outputs are fully specified where the executor demands it."),
        ("request/dimensions.overflow", "The size of an argument fits in 32 unsigned bits."),
    ),
    *_group(
        "device",
        ("device/name", "A device has a name; at feature level 3 it is VENDOR-NAME, with one hyphen."),
        ("device/capabilities.positive", "Execution time and power usage are finite and above 0."),
        ("device/capabilities.order", "Performances of operand types ascend strictly by type, SUBGRAPH left out."),
        ("device/version", "The version string is not empty."),
        ("device/type", "The device type is OTHER, CPU, GPU or ACCELERATOR."),
        ("device/extensions", "Extension names are unique, of lower case letters, digits, '.' and '_', with a '.'."),
        ("device/cache_files", "Numbers of cache files lie in 0 to 32."),
        ("device/constant", "What a device says of itself does not change."),
        ("device/restart", "What a device says of itself is the same after a restart."),
        ("client/isolation", "What one client has of a driver is of no use to another."),
        ("client/interference", "What one client does, or its death, does not disturb another."),
        ("client/leak", "Descriptors, threads and memory are given back with the objects they were for."),
    ),
    *_group(
        "prepare",
        ("prepare/preference", "The execution preference is one of the contract's."),
        ("prepare/priority", "The priority is one of the contract's."),
        ("prepare/deadline", "Deadlines are not negative, apart from the value for none."),
        ("prepare/notified_once", "A preparation is notified exactly once."),
        ("prepare/notified_at_once", "A preparation that the call refuses is notified before the call returns."),
        ("prepare/valid", "A valid model is not rejected."),
        ("prepare/invalid", "An invalid model is refused with INVALID_ARGUMENT, by whatever takes models."),
        ("prepare/supported.count", "There is one answer for each operation of the main subgraph."),
        ("prepare/launch", "A preparation with valid arguments is launched; whatever fails later is notified."),
        ("prepare/deadline.status", "Only a deadline that has passed or is near makes a preparation miss it."),
        ("prepare/coupling", "A model of unsigned 8-bit numbers and its signed twin are supported and prepared alike."),
        ("prepare/supported", "A model whose operations are all reported as supported can be prepared."),
    ),
    *_group(
        "execution",
        ("execution/status", "A valid execution succeeds."),
        ("execution/output.value", "Outputs agree with the expected values within the tolerance."),
        ("execution/output.dimensions", "Output dimensions agree with those that model and request declare."),
        ("execution/output.shapes", "Reported output shapes are complete and agree with the outputs."),
        ("execution/output.insufficient", "A buffer that is too small is reported with OUTPUT_INSUFFICIENT_SIZE."),
        ("execution/deadline", "An execution whose deadline has passed may be aborted with MISSED_DEADLINE."),
        ("execution/duration", "Durations are not negative, apart from the value for none."),
        ("execution/fence", "Fences to wait for are valid and end without an error."),
        ("execution/fence.order", "A fenced execution touches nothing before the fences it waits for have signalled."),
        ("execution/fence.state", "The returned fence signals after a success and is in error after a failure."),
        (
            "execution/fence.info",
            "Until the fence has signalled the callback answers GENERAL_FAILURE, then the outcome.",
        ),
        ("execution/duration.status", "Only a duration that is over makes a fenced execution miss it."),
        ("execution/busy", "An execution for which there is no room now fails with RESOURCE_EXHAUSTED_TRANSIENT."),
        ("execution/concurrent", "Executions at the same time give the answers of executions one after the other."),
        (
            "execution/coupling",
            "A model of unsigned 8-bit numbers and its signed twin give the same codes, 128 apart, or off by one.",
        ),
        ("execution/executors", "A request gives the same bits whichever executor runs it."),
        ("execution/priority", "Waiting executions of higher priority are preferred to others of the same client."),
        ("execution/loop_timeout", "A loop is aborted once its timeout is over, not before, and nothing else is."),
        ("execution/in_flight", "A burst or reusable execution has one execution in flight at most."),
        ("execution/memory", "An execution that needs too much memory fails with RESOURCE_EXHAUSTED."),
        (
            "execution/timing",
            "Timing is reported only when asked for, and time on the device is not above time in the driver.",
        ),
        ("execution/invalid", "An invalid request is refused with INVALID_ARGUMENT, by whatever takes requests."),
        ("execution/deadline.status", "Only a deadline that has passed or is near makes an execution miss it."),
        ("execution/notified_at_once", "An execution that the call refuses is notified before the call returns."),
        ("execution/default_arguments", "An optional argument with its default value changes nothing."),
        ("execution/oversized", "What is too large for the driver ends with an error, neither wrong nor with a crash."),
        ("execution/expected_failure", "A model or request that must fail does fail."),
        ("execution/notified_once", "An asynchronous execution is notified exactly once."),
        ("memory/map", "Memory can be mapped with its size, offset and protection."),
        ("operation/omitted", "Operands that an operation needs have values."),
    ),
    *_group(
        "memory",
        ("allocate/roles", "Device memory is allocated for at least one model and one role."),
        ("allocate/model", "Models of roles are prepared models of the same driver."),
        ("allocate/model_index", "Roles name models of the list."),
        ("allocate/io_index", "Roles name inputs and outputs that their models have."),
        ("allocate/probability", "The probability of a role is above 0 and at most 1."),
        ("allocate/role.unique", "No role is named twice, not even by a prepared model that is listed twice."),
        ("allocate/type", "All roles of device memory have the same operand type."),
        ("allocate/quantization", "All roles of device memory have the same scale, zero point and extra parameters."),
        ("allocate/dimensions", "Dimensions of all roles and of the description agree as far as they are known."),
        ("allocate/dimensions.scalar", "Device memory for a scalar is described without dimensions."),
        ("allocate/supported", "A driver that has no device memory for valid roles answers GENERAL_FAILURE."),
        ("allocate/answer", "An allocation yields a buffer and a token above 0 that no other live buffer has."),
        ("buffer/token", "Tokens in requests are those of live buffers of the driver."),
        ("buffer/role", "Device memory is used only in the roles for which it was allocated."),
        ("buffer/exclusive", "Device memory that is an output of a request has no other use in it."),
        ("buffer/dimensions", "Dimensions of an argument agree with those of its device memory."),
        ("buffer/uninitialised", "Reading uninitialised device memory fails with GENERAL_FAILURE."),
        ("buffer/output", "An output that does not fit its device memory fails with GENERAL_FAILURE."),
        ("buffer/memory", "Device memory is copied to and from valid memory."),
        ("buffer/copy", "A valid copy to or from device memory succeeds."),
        ("buffer/copy.size", "Device memory is copied to and from memory of exactly its size."),
        ("buffer/copy.dimensions", "Copies into device memory have fully known dimensions that it may have."),
        ("buffer/content", "Device memory holds what was last copied or written to it, unchanged."),
        ("buffer/failed", "After a failed copy or execution, the device memory it was to fill is uninitialised."),
        ("buffer/released", "The token of a released buffer is not valid any more."),
        ("burst/tokens", "A burst execution names one memory identifier of at least -1 for each pool."),
        ("burst/queue", "The queues of a burst hold datums, have an event flag, and are not spoilt by either end."),
        ("burst/packet", "A packet has exactly the datums that it announces, each of the kind that has to come."),
        ("burst/slot", "Every memory slot that a packet names belongs to a memory of the client."),
        ("burst/result", "Every packet is answered by one result, an error by one without shapes and timing."),
        ("burst/recovery", "After a packet that it refuses a burst executes the next one."),
        ("burst/length", "A result that fits in its queue is sent, a longer one becomes an error of two datums."),
        ("burst/sanitized", "Bytes of a result that have no meaning are 0."),
        ("burst/freed", "The memory of a freed slot is used no more, and the slot may name another one."),
    ),
    *_group(
        "cache",
        ("cache/unsupported", "A driver that needs no cache files prepares from none: GENERAL_FAILURE."),
        ("cache/save_never_fails", "Whatever is wrong with cache files or token, the model is prepared."),
        ("cache/retrieval", "From what was saved, under its token, the model can be prepared again."),
        ("cache/same_results", "A model from the cache computes what the model that was saved computes."),
        ("cache/rewritten", "Saving empties the files first and begins at their start, wherever they stand."),
        ("cache/files.count", "Preparing from a cache takes exactly as many files as the driver needs."),
        ("cache/files.handle", "Each cache file has one valid descriptor, open for reading and writing."),
        ("cache/token.size", "A cache token has 32 bytes."),
        ("cache/token", "Under a token that nothing was saved under, preparing fails with GENERAL_FAILURE."),
        ("cache/tampered_model_cache", "A model cache that is not what the driver wrote is refused: GENERAL_FAILURE."),
        ("cache/tampered_data_cache", "A data cache that is not what the driver wrote leads to wrong values at worst."),
        ("cache/checked_is_used", "What is verified or remembered of a file is what is used, whatever changes it."),
        ("cache/descriptors", "Clients may close cache files once the preparation is notified."),
        ("cache/fallback", "After preparing from a cache has failed, the same files serve to save the model."),
        ("cache/collision", "Of several models saved under one token, what is prepared is one of them."),
        ("cache/restart", "A restart of the driver leaves its cache usable or clearly not."),
    ),
    *_group(
        "extension",
        ("extension/types", "A driver reports a known extension with the operand types of its declaration."),
        (
            "extension/unknown",
            "A valid model with an unknown extension is not rejected, its operations are unsupported.",
        ),
        (
            "extension/operations",
            "A reported extension's operations are supported with the operands of their declarations, and no others.",
        ),
        (
            "extension/hints",
            "Hints of an extension make neither preparation nor execution fail, unless a token is given twice.",
        ),
        ("extension/prefix", "Which prefix a model chooses for an extension makes no difference."),
    ),
    *_group(
        "driver",
        ("driver/operation.supported", "Operations reported as unsupported are refused cleanly."),
        ("driver/exception", "A driver answers every call with a result or an error status."),
        ("driver/reply", "A driver answers with values of the types that the method returns."),
        ("driver/notification", "A notification has a status and, exactly if that is NONE, a prepared model."),
        ("driver/crash", "The driver's process survives every call."),
        ("driver/hang", "The driver answers every call in time."),
        ("driver/memory", "The driver's process has no more memory than the limit of the run."),
    ),
)


def operation_rules(declaration: OperationDeclaration) -> Iterator[ContractRule]:
    """All rules of one operation: structural ones, which follow from the declaration, then the declared ones."""
    name = declaration.name
    model, execution = Phase.MODEL.value, Phase.EXECUTION.value
    yield ContractRule(f"{name}/level", f"{name} needs feature level {declaration.level}.", model)
    yield ContractRule(f"{name}/inputs.count", f"{name} takes {accepted_lengths(declaration)} inputs.", model)
    yield ContractRule(f"{name}/outputs.count", f"{name} has the declared number of outputs.", model)
    yield ContractRule(f"{name}/types", "Operand types form one of the declared combinations.", model)
    for formal in {formal.name: formal for signature in declaration.signatures for formal in signature.inputs}.values():
        yield from _formal_rules(name, formal)
    for formal in _decisive_levels(declaration):
        yield ContractRule(f"{name}/{formal.name}.level", f"'{formal.name}' needs feature level {formal.level}.", model)
    if not declaration.free_quantization and _has_quantized_outputs(declaration):
        sentence = "Outputs of the model have the scale and zero point that follow from the inputs."
        yield ContractRule(f"{name}/output.quantization", sentence, execution)
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


def _formal_rules(operation: str, formal: Formal) -> Iterator[ContractRule]:
    where = f"{operation}/{formal.name}"
    # A tensor has at least one dimension, or its rank is not known: that bounds nothing.
    if formal.rank not in (None, (1, None)):
        low, high = formal.rank or (1, None)
        bound = str(low) if low == high else f"{low} to {high}" if high is not None else f"at least {low}"
        yield ContractRule(f"{where}.rank", f"The rank of '{formal.name}' is {bound}.", formal.rank_phase.value)
    if not formal.omissible and formal.type != OperandType.SUBGRAPH:
        yield ContractRule(f"{where}.omitted", f"'{formal.name}' has a value when it is needed.", Phase.EXECUTION.value)


def _decisive_levels(declaration: OperationDeclaration) -> list[Formal]:
    """Operands that lift the level when they are given; of several that come together the first decides."""
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
    """Every rule by id: general ones, those of operations, those of extensions' operations."""
    rules = {rule.id: rule for rule in GENERAL_RULES}
    of_extensions = [declaration for extension in known_extensions().values() for declaration in extension.operations]
    for declaration in (*declarations().values(), *of_extensions):
        rules.update((rule.id, rule) for rule in operation_rules(declaration))
    return rules
