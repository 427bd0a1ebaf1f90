// Models and requests, as in docs/protocol.md "Structures". Illegal numbers are kept as they are: the validator refuses
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.h"

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kBlob = 33;  // the format BLOB of a hardware buffer: plain bytes

// Ashmem, MappableFile, HardwareBuffer or BufferToken: docs/contract/hal.md 9. An address points into memory of this
// process: clients of the NNAPI library pass such pointers, the protocol never does.
struct Memory {
    enum class Kind { ashmem, mappable_file, hardware_buffer, token, address };
    Kind kind = Kind::ashmem;
    DescriptorPtr handle;
    std::int64_t size = 0;  // of a hardware buffer: its width
    std::int64_t protection = 0, offset = 0, format = 0, token = 0;
    char* address = nullptr;

    bool is_valid() const;
    // Number of bytes that locations may refer to: 0 for tokens and for hardware buffers other than BLOB (hal.md 8.1).
    std::int64_t extent() const;
};

struct Location {
    std::int64_t pool = 0, offset = 0, length = 0, padding = 0;
    bool is_zero() const { return !pool && !offset && !length && !padding; }
};

struct Operand {
    std::int64_t type = 0;
    Integers dimensions;
    float scale = 0;
    std::int64_t zero_point = 0, lifetime = 0;
    Location location;
    enum class Extra { none, channel_quant, extension } extra = Extra::none;
    std::vector<float> scales;
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
    bool is_relaxed = false;  // float32 may be computed with the precision of float16
};

struct PrepareModelConfig {
    std::int64_t preference = 1, priority = 1, deadline_ns = -1;
    Integers hints;  // only the tokens: this driver ignores the values of hints
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
