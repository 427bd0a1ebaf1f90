#include "reader.h"

#include <sys/mman.h>

namespace {

Failure wrong(const std::string& what) { return invalid("an argument is not of its type: " + what, "wire/arguments"); }

void expect(const Value& value, Value::Kind kind, const char* what) {
    if (value.kind != kind) throw wrong(what);
}

const Value& required(const Value& structure, const char* name) {
    const Value* value = structure.field(name);
    if (!value) throw wrong(std::string(name) + " is absent");
    return *value;
}

double real(const Value& value) {
    if (value.kind == Value::Kind::integer) return static_cast<double>(value.number);
    expect(value, Value::Kind::real, "a float");
    return value.fraction;
}

// Scales are float32 in the contract, whatever number format the message uses.
float scale(const Value& value) { return static_cast<float>(real(value)); }

bool boolean(const Value& value) {
    expect(value, Value::Kind::boolean, "a bool");
    return value.number != 0;
}

const std::string& text(const Value& value) {
    expect(value, Value::Kind::text, "a str");
    if (!is_utf8(value.bytes)) throw wrong("a str that is not UTF-8");
    return value.bytes;
}

// Reads an optional field. If it is absent, the default stays ("Structures", column "If absent").
template <typename T, typename Read>
void optional(const Value& structure, const char* name, T& target, Read read) {
    if (const Value* value = structure.field(name)) target = read(*value);
}

}  // namespace

std::int64_t Reader::integer(const Value& value) const {
    expect(value, Value::Kind::integer, "an int");
    return value.number;
}

const std::vector<Value>& Reader::array(const Value& value) const {
    expect(value, Value::Kind::array, "an array");
    return value.items;
}

Integers Reader::integers(const Value& value) const {
    return list<std::int64_t>(value, [this](const Value& item) { return integer(item); });
}

std::int64_t Reader::reference_or_nil(const Value& value) const {
    if (value.kind == Value::Kind::nil) return 0;
    expect(value, Value::Kind::reference, "a reference");
    return value.number;
}

DescriptorPtr Reader::descriptor(const Value& value) const {
    expect(value, Value::Kind::descriptor, "a descriptor");
    if (value.number == NNVET_WIRE_NO_DESCRIPTOR) return std::make_shared<Descriptor>(-1);
    if (value.number >= static_cast<std::int64_t>(descriptors_.size())) throw wrong("no descriptor has this index");
    return descriptors_[static_cast<std::size_t>(value.number)];
}

Descriptors Reader::descriptor_list(const Value& value) const {
    return list<DescriptorPtr>(value, [this](const Value& item) { return descriptor(item); });
}

std::string Reader::binary(const Value& value) const {
    expect(value, Value::Kind::binary, "a bin");
    return value.bytes;
}

Memory Reader::memory(const Value& value, bool token_allowed) const {
    expect(value, Value::Kind::map, "a memory");
    const auto number = [this](const Value& item) { return integer(item); };
    const std::string& tag = text(required(value, "type"));
    Memory memory;
    if (tag == NNVET_TAG_BUFFER_TOKEN && token_allowed) {
        memory.kind = Memory::Kind::token;
        memory.token = integer(required(value, NNVET_FIELD_BUFFER_TOKEN_TOKEN));
        return memory;
    }
    memory.handle = descriptor(required(value, NNVET_FIELD_ASHMEM_HANDLE));
    if (tag == NNVET_TAG_ASHMEM) {
        memory.size = integer(required(value, NNVET_FIELD_ASHMEM_SIZE));
        memory.protection = PROT_READ | PROT_WRITE;
    } else if (tag == NNVET_TAG_MAPPABLE_FILE) {
        memory.kind = Memory::Kind::mappable_file;
        memory.size = integer(required(value, NNVET_FIELD_MAPPABLE_FILE_LENGTH));
        memory.protection = PROT_READ | PROT_WRITE;
        optional(value, NNVET_FIELD_MAPPABLE_FILE_PROT, memory.protection, number);
        optional(value, NNVET_FIELD_MAPPABLE_FILE_OFFSET, memory.offset, number);
    } else if (tag == NNVET_TAG_HARDWARE_BUFFER) {
        memory.kind = Memory::Kind::hardware_buffer;
        memory.size = integer(required(value, NNVET_FIELD_HARDWARE_BUFFER_WIDTH));
        memory.protection = PROT_READ | PROT_WRITE;
        memory.format = kBlob;
        optional(value, NNVET_FIELD_HARDWARE_BUFFER_FORMAT, memory.format, number);
        std::int64_t unused = 0;
        for (const char* name : {NNVET_FIELD_HARDWARE_BUFFER_HEIGHT, NNVET_FIELD_HARDWARE_BUFFER_LAYERS,
                                 NNVET_FIELD_HARDWARE_BUFFER_USAGE, NNVET_FIELD_HARDWARE_BUFFER_STRIDE}) {
            optional(value, name, unused, number);
        }
    } else {
        throw wrong("a memory of another type");
    }
    return memory;
}

Location Reader::location(const Value& value) const {
    expect(value, Value::Kind::map, "a DataLocation");
    const auto number = [this](const Value& item) { return integer(item); };
    Location location;
    optional(value, NNVET_FIELD_DATA_LOCATION_POOL_INDEX, location.pool, number);
    optional(value, NNVET_FIELD_DATA_LOCATION_OFFSET, location.offset, number);
    optional(value, NNVET_FIELD_DATA_LOCATION_LENGTH, location.length, number);
    optional(value, NNVET_FIELD_DATA_LOCATION_PADDING, location.padding, number);
    return location;
}

void Reader::extra_params(const Value& value, Operand& operand) const {
    if (value.kind == Value::Kind::nil) return;
    expect(value, Value::Kind::map, "extra parameters");
    const std::string& tag = text(required(value, "type"));
    if (tag == NNVET_TAG_SYMM_PER_CHANNEL_QUANT_PARAMS) {
        operand.extra = Operand::Extra::channel_quant;
        operand.scales = list<float>(required(value, NNVET_FIELD_SYMM_PER_CHANNEL_QUANT_PARAMS_SCALES), scale);
        operand.channel_dim = integer(required(value, NNVET_FIELD_SYMM_PER_CHANNEL_QUANT_PARAMS_CHANNEL_DIM));
    } else if (tag == NNVET_TAG_EXTENSION_PARAMS) {
        operand.extra = Operand::Extra::extension;
        binary(required(value, NNVET_FIELD_EXTENSION_PARAMS_DATA));
    } else {
        throw wrong("extra parameters of another type");
    }
}

Operand Reader::operand(const Value& value) const {
    expect(value, Value::Kind::map, "an Operand");
    const auto number = [this](const Value& item) { return integer(item); };
    Operand operand;
    operand.type = integer(required(value, NNVET_FIELD_OPERAND_TYPE));
    optional(value, NNVET_FIELD_OPERAND_DIMENSIONS, operand.dimensions, [this](auto& item) { return integers(item); });
    optional(value, NNVET_FIELD_OPERAND_SCALE, operand.scale, scale);
    optional(value, NNVET_FIELD_OPERAND_ZERO_POINT, operand.zero_point, number);
    optional(value, NNVET_FIELD_OPERAND_LIFETIME, operand.lifetime, number);
    optional(value, NNVET_FIELD_OPERAND_LOCATION, operand.location, [this](auto& item) { return location(item); });
    if (const Value* extra = value.field(NNVET_FIELD_OPERAND_EXTRA_PARAMS)) extra_params(*extra, operand);
    const Value* consumers = value.field(NNVET_FIELD_OPERAND_NUMBER_OF_CONSUMERS);
    if (consumers && consumers->kind != Value::Kind::nil) operand.consumers = integer(*consumers);
    return operand;
}

Subgraph Reader::subgraph(const Value& value) const {
    expect(value, Value::Kind::map, "a Subgraph");
    Subgraph graph;
    graph.operands = list<Operand>(required(value, NNVET_FIELD_SUBGRAPH_OPERANDS),
                                   [this](const Value& item) { return operand(item); });
    graph.operations = list<Operation>(required(value, NNVET_FIELD_SUBGRAPH_OPERATIONS), [this](const Value& item) {
        expect(item, Value::Kind::map, "an Operation");
        return Operation{integer(required(item, NNVET_FIELD_OPERATION_TYPE)),
                         integers(required(item, NNVET_FIELD_OPERATION_INPUTS)),
                         integers(required(item, NNVET_FIELD_OPERATION_OUTPUTS))};
    });
    graph.inputs = integers(required(value, NNVET_FIELD_SUBGRAPH_INPUT_INDEXES));
    graph.outputs = integers(required(value, NNVET_FIELD_SUBGRAPH_OUTPUT_INDEXES));
    return graph;
}

std::vector<ExtensionName> Reader::extension_names(const Value& value) const {
    return list<ExtensionName>(value, [this](const Value& item) {
        expect(item, Value::Kind::map, "an ExtensionNameAndPrefix");
        return ExtensionName{text(required(item, NNVET_FIELD_EXTENSION_NAME_AND_PREFIX_NAME)),
                             integer(required(item, NNVET_FIELD_EXTENSION_NAME_AND_PREFIX_PREFIX))};
    });
}

Integers Reader::hint_tokens(const Value& value) const {
    return list<std::int64_t>(value, [this](const Value& item) {
        expect(item, Value::Kind::map, "a TokenValuePair");
        binary(required(item, NNVET_FIELD_TOKEN_VALUE_PAIR_VALUE));
        return integer(required(item, NNVET_FIELD_TOKEN_VALUE_PAIR_TOKEN));
    });
}

Model Reader::model(const Value& value) const {
    expect(value, Value::Kind::map, "a Model");
    Model model;
    model.main = subgraph(required(value, NNVET_FIELD_MODEL_MAIN));
    optional(value, NNVET_FIELD_MODEL_REFERENCED, model.referenced, [this](const Value& graphs) {
        return list<Subgraph>(graphs, [this](const Value& item) { return subgraph(item); });
    });
    optional(value, NNVET_FIELD_MODEL_OPERAND_VALUES, model.operand_values,
             [this](const Value& item) { return binary(item); });
    optional(value, NNVET_FIELD_MODEL_POOLS, model.pools, [this](const Value& pools) {
        return list<Memory>(pools, [this](const Value& item) { return memory(item, false); });
    });
    // Lower precision is allowed, not required: this driver always computes in float32.
    optional(value, NNVET_FIELD_MODEL_RELAX_COMPUTATION_FLOAT32_TO_FLOAT16, model.is_relaxed, boolean);
    optional(value, NNVET_FIELD_MODEL_EXTENSION_NAME_TO_PREFIX, model.extensions,
             [this](const Value& item) { return extension_names(item); });
    return model;
}

PrepareModelConfig Reader::prepare_config(const Value& value) const {
    expect(value, Value::Kind::map, "a PrepareModelConfig");
    const auto number = [this](const Value& item) { return integer(item); };
    PrepareModelConfig config;
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_PREFERENCE, config.preference, number);
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_PRIORITY, config.priority, number);
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_DEADLINE_NS, config.deadline_ns, number);
    // This driver caches nothing: it ignores wrong cache files and tokens (hal.md 10.2), but refuses wrong types.
    std::vector<Memory> files;
    for (const char* name : {NNVET_FIELD_PREPARE_MODEL_CONFIG_MODEL_CACHE, NNVET_FIELD_PREPARE_MODEL_CONFIG_DATA_CACHE}) {
        optional(value, name, files, [this](const Value& item) {
            return list<Memory>(item, [this](const Value& file) { return memory(file, false); });
        });
    }
    std::string token;
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_CACHE_TOKEN, token, [this](auto& item) { return binary(item); });
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_COMPILATION_HINTS, config.hints,
             [this](const Value& item) { return hint_tokens(item); });
    std::vector<ExtensionName> names;
    optional(value, NNVET_FIELD_PREPARE_MODEL_CONFIG_EXTENSION_NAME_TO_PREFIX, names,
             [this](const Value& item) { return extension_names(item); });
    return config;
}

ExecutionConfig Reader::execution_config(const Value& value) const {
    expect(value, Value::Kind::map, "an ExecutionConfig");
    ExecutionConfig config;
    optional(value, NNVET_FIELD_EXECUTION_CONFIG_MEASURE_TIMING, config.measure_timing, boolean);
    optional(value, NNVET_FIELD_EXECUTION_CONFIG_LOOP_TIMEOUT_DURATION_NS, config.loop_timeout_ns,
             [this](const Value& item) { return integer(item); });
    optional(value, NNVET_FIELD_EXECUTION_CONFIG_EXECUTION_HINTS, config.hints,
             [this](const Value& item) { return hint_tokens(item); });
    std::vector<ExtensionName> names;
    optional(value, NNVET_FIELD_EXECUTION_CONFIG_EXTENSION_NAME_TO_PREFIX, names,
             [this](const Value& item) { return extension_names(item); });
    return config;
}

Argument Reader::argument(const Value& value) const {
    expect(value, Value::Kind::map, "a RequestArgument");
    Argument argument;
    optional(value, NNVET_FIELD_REQUEST_ARGUMENT_HAS_NO_VALUE, argument.has_no_value, boolean);
    optional(value, NNVET_FIELD_REQUEST_ARGUMENT_LOCATION, argument.location,
             [this](const Value& item) { return location(item); });
    optional(value, NNVET_FIELD_REQUEST_ARGUMENT_DIMENSIONS, argument.dimensions,
             [this](const Value& item) { return integers(item); });
    return argument;
}

Request Reader::request(const Value& value) const {
    expect(value, Value::Kind::map, "a Request");
    const auto read = [this](const Value& item) { return argument(item); };
    Request request;
    request.inputs = list<Argument>(required(value, NNVET_FIELD_REQUEST_INPUTS), read);
    request.outputs = list<Argument>(required(value, NNVET_FIELD_REQUEST_OUTPUTS), read);
    optional(value, NNVET_FIELD_REQUEST_POOLS, request.pools, [this](const Value& pools) {
        return list<Memory>(pools, [this](const Value& item) { return memory(item, true); });
    });
    return request;
}

Role Reader::role(const Value& value) const {
    expect(value, Value::Kind::map, "a BufferRole");
    Role role;
    role.model = integer(required(value, NNVET_FIELD_BUFFER_ROLE_MODEL_INDEX));
    role.index = integer(required(value, NNVET_FIELD_BUFFER_ROLE_IO_INDEX));
    optional(value, NNVET_FIELD_BUFFER_ROLE_PROBABILITY, role.probability, real);
    return role;
}
