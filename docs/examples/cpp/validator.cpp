#include "validator.h"

#include <algorithm>
#include <set>
#include <string>

namespace {

bool is_extension(std::int64_t code) { return code > NNVET_BASE_MAX; }

bool is_oem(std::int64_t type) {
    return type == NNVET_OPERAND_TYPE_OEM || type == NNVET_OPERAND_TYPE_TENSOR_OEM_BYTE;
}

void check(bool holds, const char* sentence, const char* rule) {
    if (!holds) throw invalid(sentence, rule);
}

bool is_constant(const Operand& operand) {
    return operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY ||
           operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_REFERENCE;
}

// hal.md 3.2. NaN fails every comparison, so that it is refused.
void check_quantization(const Operand& operand, const OperandTypeInfo& type) {
    const float scale = operand.scale;
    const bool scale_fits = type.scale == ScaleRule::zero ? scale == 0
                            : type.scale == ScaleRule::positive ? scale > 0
                                                                : scale >= 0;
    check(scale_fits, "the scale is not one of the type", "model/operand.scale");
    check(operand.zero_point >= type.least_zero_point && operand.zero_point <= type.most_zero_point,
          "the zero point is not one of the type", "model/operand.zero_point");
    const bool per_channel = operand.type == NNVET_OPERAND_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL;
    check(operand.extra == (per_channel ? Operand::Extra::channel_quant : Operand::Extra::none),
          "the extra parameters are not those of the type", "model/operand.extra_params");
    if (!per_channel) return;
    const auto rank = static_cast<std::int64_t>(operand.dimensions.size());
    check(operand.channel_dim >= 0 && operand.channel_dim < rank &&
              operand.dimensions[static_cast<std::size_t>(operand.channel_dim)] != 0,
          "the channel dimension is unknown", "model/operand.channel_dim");
    const auto channels = operand.dimensions[static_cast<std::size_t>(operand.channel_dim)];
    check(static_cast<std::int64_t>(operand.scales.size()) == channels &&
              std::all_of(operand.scales.begin(), operand.scales.end(), [](float one) { return one > 0; }),
          "there is not one scale above 0 for each channel", "model/operand.channel_scales");
}

void check_dimensions(const Operand& operand, const OperandTypeInfo* type) {
    for (std::int64_t size : operand.dimensions) {
        check(size >= 0 && size <= INT64_C(0xffffffff), "a dimension is no unsigned number",
              "model/operand.dimensions.overflow");
    }
    if (!type || is_oem(operand.type)) return;
    check(type->is_tensor || operand.dimensions.empty(), "a scalar has dimensions", "model/operand.dimensions.scalar");
    check(byte_size(*type, operand.dimensions) >= 0, "the size of a tensor does not fit in 32 bits",
          "model/operand.dimensions.overflow");
    check(!is_constant(operand) || !type->is_tensor || fully_known(operand.dimensions),
          "a constant has unknown dimensions", "model/operand.dimensions.constant");
}

// hal.md 4.1 and 4.2.
void check_location(const Model& model, const Operand& operand, const OperandTypeInfo* type) {
    const Location& at = operand.location;
    check(at.padding == 0, "an operand of a model has padding", "model/operand.location.padding");
    if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_SUBGRAPH) {
        check(at.pool == 0 && at.length == 0, "a subgraph has pool or length", "model/operand.location.unused");
        check(at.offset >= 0 && at.offset < static_cast<std::int64_t>(model.referenced.size()),
              "there is no such subgraph", "model/subgraph.reference");
        return;
    }
    if (!is_constant(operand)) {
        check(at.is_zero(), "an operand without data has a location", "model/operand.location.unused");
        return;
    }
    constexpr std::int64_t most = INT64_C(0xffffffff);
    check(at.offset >= 0 && at.offset <= most && at.length >= 0 && at.length <= most,
          "a location is not unsigned", "model/operand.location.values");
    if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY) {
        check(at.pool == 0 && at.offset + at.length <= static_cast<std::int64_t>(model.operand_values.size()),
              "a constant lies outside of operand_values", "model/operand.location.values");
    } else {
        check(at.pool >= 0 && at.pool < static_cast<std::int64_t>(model.pools.size()) &&
                  at.offset + at.length <= model.pools[static_cast<std::size_t>(at.pool)].extent(),
              "a constant lies outside of its pool", "model/operand.location.pool");
    }
    if (!type || is_oem(operand.type)) return;
    check(at.length == byte_size(*type, operand.dimensions), "a constant has another length than its type and dimensions",
          "model/operand.location.length");
}

void check_operand(const Model& model, const Operand& operand) {
    const OperandTypeInfo* type = operand_type(operand.type);
    check(type || is_extension(operand.type), "the operand type does not exist", "model/operand.type");
    check(operand.lifetime >= NNVET_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE &&
              operand.lifetime <= NNVET_OPERAND_LIFE_TIME_SUBGRAPH,
          "the lifetime does not exist", "model/operand.lifetime");
    check((operand.type == NNVET_OPERAND_TYPE_SUBGRAPH) == (operand.lifetime == NNVET_OPERAND_LIFE_TIME_SUBGRAPH),
          "type and lifetime SUBGRAPH go together", "model/operand.subgraph");
    check_dimensions(operand, type);
    if (!type) {  // hal.md 3.3
        check(operand.scale == 0, "an extension's operand has a scale", "model/operand.scale");
        check(operand.zero_point == 0, "an extension's operand has a zero point", "model/operand.zero_point");
        check(operand.extra != Operand::Extra::channel_quant, "an extension's operand has scales of channels",
              "model/operand.extra_params");
    } else if (!is_oem(operand.type)) {
        check_quantization(operand, *type);
    }
    check_location(model, operand, type);
}

bool in_range(std::int64_t index, std::size_t size) { return index >= 0 && index < static_cast<std::int64_t>(size); }

bool in_range(const Integers& indexes, std::size_t size) {
    return std::all_of(indexes.begin(), indexes.end(), [size](std::int64_t one) { return in_range(one, size); });
}

const Operand& at(const Subgraph& graph, std::int64_t index) {
    return graph.operands[static_cast<std::size_t>(index)];
}

// Returns true if the operands have the types of the formals, with the variables replaced by the types of one row.
bool types_fit(const Subgraph& graph, const Integers& operands, const std::vector<const Formal*>& formals,
               const Span<int>* row) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const int kind = formals[i]->type;
        if (kind == kAnyType) continue;
        const int wanted = kind > kAnyType ? kind : (*row)[static_cast<std::size_t>(kFirstVariable - kind)];
        if (wanted != kAnyType && at(graph, operands[i]).type != wanted) return false;
    }
    return true;
}

bool ranks_fit(const Subgraph& graph, const Integers& operands, const std::vector<const Formal*>& formals) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto rank = static_cast<int>(at(graph, operands[i]).dimensions.size());
        if (!formals[i]->rank_in_model || rank == 0) continue;
        if (rank < formals[i]->least_rank || rank > formals[i]->most_rank) return false;
    }
    return true;
}

bool has(const Span<int>& numbers, std::size_t number) {
    return std::find(numbers.begin(), numbers.end(), static_cast<int>(number)) != numbers.end();
}

void check_signature(const Subgraph& graph, const Operation& operation, const OperationInfo& info) {
    const auto outputs = expand(info.outputs, operation.outputs.size());
    const bool counted = info.output_counts.size() ? has(info.output_counts, operation.outputs.size())
                                                   : outputs.size() >= 1 && (info.outputs[0].variadic ||
                                                         outputs.size() == info.outputs.size());
    check(counted && outputs.size() == operation.outputs.size(), "another number of outputs", "operation/outputs.count");
    bool counts = false, types = false;
    for (const Signature& signature : info.signatures) {
        const auto inputs = expand(signature.inputs, operation.inputs.size());
        if (inputs.size() != operation.inputs.size()) continue;
        const bool variadic = std::any_of(signature.inputs.begin(), signature.inputs.end(),
                                          [](const Formal& one) { return one.variadic; });
        const bool accepted = variadic || (signature.lengths.size() ? has(signature.lengths, inputs.size())
                                                                    : inputs.size() == signature.inputs.size());
        if (!accepted) continue;
        counts = true;
        for (const Span<int>& row : info.rows) {
            if (!types_fit(graph, operation.inputs, inputs, &row)) continue;
            if (!types_fit(graph, operation.outputs, outputs, &row)) continue;
            types = true;
            if (ranks_fit(graph, operation.inputs, inputs) && ranks_fit(graph, operation.outputs, outputs)) return;
        }
    }
    check(counts, "another number of inputs", "operation/inputs.count");
    check(types, "the types do not go together", "operation/types");
    throw invalid("a rank is not allowed", "operation/rank");
}

void check_operation(const Model& model, const Subgraph& graph, const Operation& operation) {
    check(in_range(operation.inputs, graph.operands.size()) && in_range(operation.outputs, graph.operands.size()),
          "an operation names an operand that does not exist", "model/operation.operands");
    if (is_extension(operation.type) || operation.type == NNVET_OPERATION_TYPE_OEM_OPERATION) return;
    const OperationInfo* info = operation_info(operation.type);
    check(info, "the operation code does not exist", "model/operation.type");
    check_signature(graph, operation, *info);
    validate_operation_rules(model, graph, operation);
}

// hal.md 7.2, 4.
void check_listed(const Subgraph& graph, const Integers& indexes, std::int64_t lifetime, const char* rule) {
    const std::set<std::int64_t> listed(indexes.begin(), indexes.end());
    check(in_range(indexes, graph.operands.size()) && listed.size() == indexes.size(),
          "a list of inputs or outputs names no operand, or one twice", rule);
    for (std::size_t i = 0; i < graph.operands.size(); ++i) {
        check((graph.operands[i].lifetime == lifetime) == (listed.count(static_cast<std::int64_t>(i)) != 0),
              "a list of inputs or outputs contradicts lifetimes", rule);
    }
}

// hal.md 7.2, 5 and 4.3.
void check_order(const Subgraph& graph) {
    std::vector<bool> known;
    for (const Operand& operand : graph.operands) {
        known.push_back(operand.lifetime != NNVET_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE &&
                        operand.lifetime != NNVET_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT);
    }
    Integers consumers(graph.operands.size(), 0);
    for (const Operation& operation : graph.operations) {
        for (std::int64_t index : operation.inputs) {
            check(known[static_cast<std::size_t>(index)], "an operand is read before it is written",
                  "model/order.read_before_write");
            ++consumers[static_cast<std::size_t>(index)];
        }
        for (std::int64_t index : operation.outputs) {
            check(!known[static_cast<std::size_t>(index)], "an operand is written that has a value",
                  "model/order.written_once");
            known[static_cast<std::size_t>(index)] = true;
        }
    }
    check(std::find(known.begin(), known.end(), false) == known.end(), "an operand is never written",
          "model/order.never_written");
    for (std::size_t i = 0; i < graph.operands.size(); ++i) {
        check(!graph.operands[i].consumers || *graph.operands[i].consumers == consumers[i],
              "the number of consumers is wrong", "model/operand.consumers");
    }
}

void check_subgraph(const Model& model, const Subgraph& graph) {
    check(!graph.operands.empty(), "a subgraph has no operands", "model/operands.empty");
    check(!graph.operations.empty(), "a subgraph has no operations", "model/operations.empty");
    for (const Operand& operand : graph.operands) check_operand(model, operand);
    for (const Operation& operation : graph.operations) check_operation(model, graph, operation);
    check_listed(graph, graph.inputs, NNVET_OPERAND_LIFE_TIME_SUBGRAPH_INPUT, "model/inputs.listed");
    check_listed(graph, graph.outputs, NNVET_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT, "model/outputs.listed");
    check_order(graph);
}

// Checks that references between subgraphs have no cycle (hal.md 7.1, 4): removes subgraphs that refer to no remaining
// one, until none is left. A cycle never becomes empty.
void check_cycles(const Model& model) {
    const std::size_t count = model.referenced.size();
    std::vector<std::set<std::size_t>> referring(count);
    std::vector<std::size_t> open(count, 0), free;
    for (std::size_t i = 0; i < count; ++i) {
        for (const Operand& operand : model.referenced[i].operands) {
            if (operand.lifetime != NNVET_OPERAND_LIFE_TIME_SUBGRAPH) continue;
            check(in_range(operand.location.offset, count), "there is no such subgraph", "model/subgraph.reference");
            if (referring[static_cast<std::size_t>(operand.location.offset)].insert(i).second) ++open[i];
        }
        if (open[i] == 0) free.push_back(i);
    }
    for (std::size_t done = 0; done < free.size(); ++done) {
        for (std::size_t one : referring[free[done]]) {
            if (--open[one] == 0) free.push_back(one);
        }
    }
    check(free.size() == count, "subgraphs refer to themselves", "model/subgraph.cycle");
}

// hal.md 3.3.
void check_extensions(const Model& model) {
    std::set<std::string> names;
    std::set<std::int64_t> prefixes;
    for (const ExtensionName& one : model.extensions) {
        const bool legal = one.name.find('.') != std::string::npos &&
                           one.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == std::string::npos;
        check(legal, "the name of an extension is illegal", "model/extension.name");
        check(names.insert(one.name).second && prefixes.insert(one.prefix).second,
              "a name or prefix of an extension occurs twice", "model/extension.unique");
    }
}

// Refuses a token that occurs twice: hal.md 10.2.
void check_hints(const Integers& tokens) {
    check(std::set<std::int64_t>(tokens.begin(), tokens.end()).size() == tokens.size(), "a hint is given twice",
          "extension/hints");
}

}  // namespace

bool compatible_dimensions(const Integers& one, const Integers& other) {
    if (one.empty() || other.empty()) return true;
    return one.size() == other.size() &&
           std::equal(one.begin(), one.end(), other.begin(),
                      [](std::int64_t a, std::int64_t b) { return a == 0 || b == 0 || a == b; });
}

bool compatible(const Operand& one, const Operand& other) {
    return one.type == other.type && one.scale == other.scale && one.zero_point == other.zero_point &&
           one.extra == other.extra && one.scales == other.scales && one.channel_dim == other.channel_dim &&
           compatible_dimensions(one.dimensions, other.dimensions);
}

std::int64_t byte_size(const OperandTypeInfo& type, const Integers& dimensions) {
    std::uint64_t size = type.element_bytes;
    for (std::int64_t one : dimensions) {
        if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(one), &size) || size > UINT32_MAX) return -1;
    }
    return static_cast<std::int64_t>(size);
}

bool fully_known(const Integers& dimensions) {
    return !dimensions.empty() && std::find(dimensions.begin(), dimensions.end(), 0) == dimensions.end();
}

void validate_model(const Model& model) {
    for (const Memory& pool : model.pools) check(pool.is_valid(), "a pool is not valid", "model/pool.valid");
    check_extensions(model);
    check_cycles(model);
    for (const Subgraph& graph : model.referenced) check_subgraph(model, graph);
    check_subgraph(model, model.main);
}

void validate_deadline(std::int64_t deadline_ns) {
    check(deadline_ns >= NNVET_NO_DEADLINE, "the deadline is negative", "prepare/deadline");
}

void validate_prepare_config(const PrepareModelConfig& config) {
    check(config.preference >= NNVET_EXECUTION_PREFERENCE_LOW_POWER &&
              config.preference <= NNVET_EXECUTION_PREFERENCE_SUSTAINED_SPEED,
          "there is no such preference", "prepare/preference");
    check(config.priority >= NNVET_PRIORITY_LOW && config.priority <= NNVET_PRIORITY_HIGH, "there is no such priority",
          "prepare/priority");
    validate_deadline(config.deadline_ns);
    check_hints(config.hints);
}

// hal.md 8.1.
void validate_argument(const Request& request, const Argument& argument, const Operand& operand, bool may_be_unknown) {
    const Location& at = argument.location;
    if (argument.has_no_value) {
        check(at.is_zero() && argument.dimensions.empty(), "an omitted argument has a location or dimensions",
              "request/no_value");
        return;
    }
    constexpr std::int64_t most = INT64_C(0xffffffff);
    check(in_range(at.pool, request.pools.size()), "an argument names a pool that does not exist", "request/pool.index");
    for (std::int64_t number : {at.offset, at.length, at.padding}) {
        check(number >= 0 && number <= most, "a location is not unsigned", "request/pool.bounds");
    }
    const std::int64_t extent = request.pools[static_cast<std::size_t>(at.pool)].extent();
    check(at.offset + at.length + at.padding <= extent, "an argument lies outside of its pool", "request/pool.bounds");
    check(extent == 0 || at.length > 0, "an argument is empty", "request/length.zero");
    const Integers& given = argument.dimensions;
    for (std::int64_t size : given) check(size >= 0 && size <= most, "a dimension is illegal", "request/dimensions.value");
    check(given.empty() || operand.dimensions.empty() || given.size() == operand.dimensions.size(),
          "an argument has another rank than its operand", "request/dimensions.rank");
    check(given.empty() || operand.dimensions.empty() ||
              std::equal(given.begin(), given.end(), operand.dimensions.begin(),
                         [may_be_unknown](std::int64_t one, std::int64_t declared) {
                             return declared == 0 || one == declared || (may_be_unknown && one == 0);
                         }),
          "an argument has other dimensions than its operand", "request/dimensions.value");
    const OperandTypeInfo* type = operand_type(operand.type);
    if (!type) return;
    const Integers& dimensions = given.empty() ? operand.dimensions : given;
    const bool known = !type->is_tensor || fully_known(dimensions);
    check(known || may_be_unknown, "the dimensions of an argument are unknown", "request/dimensions.input");
    const std::int64_t size = byte_size(*type, dimensions);
    check(size >= 0, "the size of an argument does not fit in 32 bits", "request/dimensions.overflow");
    check(!known || at.length == 0 || at.length == size, "an argument has another length than its dimensions",
          "request/length");
}

void validate_execution(const Model& model, const Request& request, const ExecutionConfig& config,
                        std::int64_t deadline_ns, bool outputs_may_be_unknown) {
    const Subgraph& main = model.main;
    validate_deadline(deadline_ns);
    check(config.loop_timeout_ns >= -1, "the loop timeout is negative", "execution/loop_timeout");
    check_hints(config.hints);
    // hal.md 8.2. This driver has no device memory, so every buffer token is unknown.
    for (const Memory& pool : request.pools) {
        check(pool.is_valid(), "a pool is not valid", "request/pool.valid");
        check(pool.kind != Memory::Kind::token, "no buffer has this token", "buffer/token");
    }
    check(request.inputs.size() == main.inputs.size(), "another number of inputs", "request/inputs.count");
    check(request.outputs.size() == main.outputs.size(), "another number of outputs", "request/outputs.count");
    for (std::size_t i = 0; i < main.inputs.size(); ++i) {
        validate_argument(request, request.inputs[i], at(main, main.inputs[i]), false);
    }
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        validate_argument(request, request.outputs[i], at(main, main.outputs[i]), outputs_may_be_unknown);
    }
}
