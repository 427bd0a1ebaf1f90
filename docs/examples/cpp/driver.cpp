#include "driver.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "validator.h"

namespace {

// A memory, mapped for reading or for writing: docs/protocol.md "Values that the types do not explain", docs/contract/hal.md 9.
// Mapped for writing only for outputs: inputs may lie in memory that is read-only.
class Mapping {
public:
    Mapping(const Memory& memory, int protection) {
        struct stat about;
        const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
        const std::int64_t before = memory.offset % page;
        std::int64_t end;
        // Access behind the end of a file raises SIGBUS. (A client that truncates the file later can still cause it: a
        // driver for untrusted clients handles SIGBUS.)
        if (memory.extent() <= 0 || __builtin_add_overflow(memory.offset, memory.size, &end) ||
            !(memory.protection & protection) || fstat(memory.handle->fd(), &about) != 0 || end > about.st_size) {
            throw failed("a memory cannot be mapped", "memory/map");
        }
        length_ = static_cast<std::size_t>(memory.size + before);
        base_ = mmap(nullptr, length_, protection, MAP_SHARED, memory.handle->fd(), memory.offset - before);
        if (base_ == MAP_FAILED) throw failed("a memory cannot be mapped", "memory/map");
        data_ = static_cast<char*>(base_) + before;
    }
    ~Mapping() { munmap(base_, length_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    char* data() const { return data_; }

private:
    void* base_ = nullptr;
    char* data_ = nullptr;
    std::size_t length_ = 0;
};

// The memory pools of a request or model. Each is mapped when it is used for the first time.
class Pools {
public:
    explicit Pools(const std::vector<Memory>& memories) : memories_(memories) {}
    const char* readable(const Location& at) { return mapped(at, PROT_READ); }
    char* writable(const Location& at) { return mapped(at, PROT_WRITE); }

private:
    char* mapped(const Location& at, int protection) {
        const Memory& memory = memories_[static_cast<std::size_t>(at.pool)];
        if (memory.kind == Memory::Kind::address) return memory.address + at.offset;
        const auto found = mappings_.try_emplace({at.pool, protection}, memory, protection).first;
        return found->second.data() + at.offset;
    }

    const std::vector<Memory>& memories_;
    std::map<std::pair<std::int64_t, int>, Mapping> mappings_;
};

Tensor tensor(const char* bytes, std::int64_t length, const Integers& dimensions) {
    // Locations need not be aligned, so bytes are copied instead of cast (hal.md 4.2).
    Tensor tensor{dimensions, std::vector<float>(static_cast<std::size_t>(length) / sizeof(float))};
    std::memcpy(tensor.values.data(), bytes, tensor.values.size() * sizeof(float));
    return tensor;
}

std::int64_t int32(const char* bytes) {
    std::int32_t number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

}  // namespace

struct PreparedModel::Operands {
    std::vector<std::optional<Tensor>> tensors;
    std::vector<std::optional<std::int64_t>> scalars;
};

bool ExecutionResult::is_sufficient() const {
    return std::all_of(shapes.begin(), shapes.end(), [](const OutputShape& one) { return one.is_sufficient; });
}

std::vector<bool> supported_operations(const Model& model) {
    std::vector<bool> answers;
    for (const Operation& operation : model.main.operations) answers.push_back(is_supported(model.main, operation));
    return answers;
}

const Operand& PreparedModel::operand(std::int64_t index) const {
    return model_.main.operands[static_cast<std::size_t>(index)];
}

PreparedModel::PreparedModel(Model model, const PrepareModelConfig&) : model_(std::move(model)) {
    Pools pools(model_.pools);
    for (const Operand& operand : model_.main.operands) {
        constants_.emplace_back();
        scalars_.emplace_back();
        const Location& at = operand.location;
        const char* bytes = nullptr;
        if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY) bytes = model_.operand_values.data() + at.offset;
        if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_REFERENCE) bytes = pools.readable(at);
        if (!bytes) continue;
        if (operand.type == NNVET_OPERAND_TYPE_TENSOR_FLOAT32) {
            constants_.back() = tensor(bytes, at.length, operand.dimensions);
        } else if (operand.type == NNVET_OPERAND_TYPE_INT32) {
            scalars_.back() = int32(bytes);
        }
    }
    model_.pools.clear();
    model_.operand_values.clear();
}

void PreparedModel::run(const Operation& operation, Operands& operands) const {
    std::vector<const std::optional<Tensor>*> inputs;
    for (std::int64_t index : operation.inputs) inputs.push_back(&operands.tensors[static_cast<std::size_t>(index)]);
    const std::int64_t last = operation.inputs.back();
    std::int64_t activation = NNVET_FUSED_ACTIVATION_FUNC_NONE;
    if (operand(last).type == NNVET_OPERAND_TYPE_INT32) {
        const auto& scalar = operands.scalars[static_cast<std::size_t>(last)];
        if (!scalar) throw failed("an operand that is needed is omitted");
        activation = *scalar;
    }
    Tensor result = compute(operation, inputs, activation);
    const std::int64_t output = operation.outputs[0];
    if (!compatible_dimensions(operand(output).dimensions, result.dimensions)) {
        throw failed("a result has other dimensions than its operand");
    }
    operands.tensors[static_cast<std::size_t>(output)] = std::move(result);
}

ExecutionResult PreparedModel::execute(const Request& request, const ExecutionConfig&, std::int64_t) const {
    const Subgraph& main = model_.main;
    Operands operands{constants_, scalars_};
    Pools pools(request.pools);
    for (std::size_t i = 0; i < main.inputs.size(); ++i) {
        const Argument& argument = request.inputs[i];
        const auto index = static_cast<std::size_t>(main.inputs[i]);
        if (argument.has_no_value) continue;
        const char* bytes = pools.readable(argument.location);
        if (main.operands[index].type == NNVET_OPERAND_TYPE_INT32) {
            operands.scalars[index] = int32(bytes);
        } else {
            const Integers& given = argument.dimensions;
            operands.tensors[index] = tensor(bytes, argument.location.length, given.empty() ? main.operands[index].dimensions : given);
        }
    }
    for (const Operation& operation : main.operations) run(operation, operands);
    ExecutionResult result;
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        const Argument& argument = request.outputs[i];
        const Tensor& value = *operands.tensors[static_cast<std::size_t>(main.outputs[i])];
        const std::size_t size = value.values.size() * sizeof(float);
        if (argument.has_no_value) throw failed("an output is omitted");
        if (!compatible_dimensions(argument.dimensions, value.dimensions)) {
            throw failed("a result has other dimensions than the request");
        }
        // Outputs that fit are written even if others do not fit: their content is then unspecified (hal.md 8.3).
        const bool fits = size <= static_cast<std::size_t>(argument.location.length);
        char* target = pools.writable(argument.location);
        if (fits && size) std::memcpy(target, value.values.data(), size);
        result.shapes.push_back({value.dimensions, fits});
    }
    return result;
}
