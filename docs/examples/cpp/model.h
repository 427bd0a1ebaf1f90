// The structures of docs/protocol.md "Structures" that this driver reads. What is of the wrong type on the wire is
// refused here (rule wire/arguments); numbers that are illegal are kept, for the validator to refuse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wire.h"

using Integers = std::vector<std::int64_t>;

// Ashmem, MappableFile, HardwareBuffer or BufferToken: docs/contract/hal.md 9.
struct Memory {
    enum class Kind { ashmem, mappable_file, hardware_buffer, token };
    Kind kind = Kind::ashmem;
    DescriptorPtr handle;
    std::int64_t size = 0;  // of a hardware buffer: its width
    std::int64_t protection = 0, offset = 0, format = 0, token = 0;

    bool is_valid() const;
    // Bytes that locations may lie in: 0 for tokens and for hardware buffers other than BLOB (hal.md 8.1).
    std::int64_t extent() const;
};

struct Location {
    std::int64_t pool = 0, offset = 0, length = 0, padding = 0;
    bool is_zero() const { return !pool && !offset && !length && !padding; }
};

struct Operand {
    std::int64_t type = 0;
    Integers dimensions;
    double scale = 0;
    std::int64_t zero_point = 0, lifetime = 0;
    Location location;
    enum class Extra { none, channel_quant, extension } extra = Extra::none;
    std::vector<double> scales;
    std::int64_t channel_dim = 0;
    std::optional<std::int64_t> consumers;
};

struct Operation {
    std::int64_t type = 0;
    Integers inputs, outputs;
};

struct Subgraph {
    std::vector<Operand> operands;
    std::vector<Operation> operations;
    Integers inputs, outputs;
};

struct ExtensionName {
    std::string name;
    std::int64_t prefix = 0;
};

struct Model {
    Subgraph main;
    std::vector<Subgraph> referenced;
    std::string operand_values;
    std::vector<Memory> pools;
    std::vector<ExtensionName> extensions;
};

struct PrepareModelConfig {
    std::int64_t preference = 1, priority = 1, deadline_ns = -1;
    Integers hints;  // tokens alone: this driver ignores what they say
};

struct ExecutionConfig {
    bool measure_timing = false;
    std::int64_t loop_timeout_ns = -1;
    Integers hints;
};

struct Argument {
    bool has_no_value = false;
    Location location;
    Integers dimensions;
};

struct Request {
    std::vector<Argument> inputs, outputs;
    std::vector<Memory> pools;
};

struct Role {
    std::int64_t model = 0, index = 0;
    double probability = 1;
};

// Reads the arguments of a call, which are descriptors of its frame too. All throw Failure with wire/arguments.
class Reader {
public:
    explicit Reader(const Descriptors& descriptors) : descriptors_(descriptors) {}

    std::int64_t integer(const Value& value) const;
    Integers integers(const Value& value) const;
    std::int64_t reference_or_nil(const Value& value) const;  // 0 for nil
    DescriptorPtr descriptor(const Value& value) const;
    Descriptors descriptor_list(const Value& value) const;
    std::string binary(const Value& value) const;
    Model model(const Value& value) const;
    PrepareModelConfig prepare_config(const Value& value) const;
    ExecutionConfig execution_config(const Value& value) const;
    Request request(const Value& value) const;
    Memory memory(const Value& value, bool token_allowed) const;
    Role role(const Value& value) const;

    template <typename T, typename Read>
    std::vector<T> list(const Value& value, Read read) const {
        std::vector<T> items;
        for (const Value& item : array(value)) items.push_back(read(item));
        return items;
    }

private:
    const std::vector<Value>& array(const Value& value) const;
    Location location(const Value& value) const;
    Operand operand(const Value& value) const;
    void extra_params(const Value& value, Operand& operand) const;
    Subgraph subgraph(const Value& value) const;
    Argument argument(const Value& value) const;
    std::vector<ExtensionName> extension_names(const Value& value) const;
    Integers hint_tokens(const Value& value) const;

    const Descriptors& descriptors_;
};
