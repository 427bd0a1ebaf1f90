// Reads the structures of docs/protocol.md "Structures" from messages, and refuses values of a wrong type (rule
// wire/arguments).
#pragma once

#include "model.h"
#include "wire.h"

struct Role {
    std::int64_t model = 0, index = 0;
    double probability = 1;
};

// Reads the arguments of one call. Arguments that are descriptors refer to those of its frame. All functions throw
// Failure with rule wire/arguments.
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
