#include "kernels.h"

#include <algorithm>
#include <cmath>

#include "failure.h"
#include "tables.h"

namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;

struct Kernel {
    std::int64_t type;
    float (*binary)(float, float);  // with broadcasting and a fused activation
    float (*unary)(float);
};

const Kernel kKernels[] = {
    {NNVET_OPERATION_TYPE_ADD, [](float a, float b) { return a + b; }, nullptr},
    {NNVET_OPERATION_TYPE_SUB, [](float a, float b) { return a - b; }, nullptr},
    {NNVET_OPERATION_TYPE_MUL, [](float a, float b) { return a * b; }, nullptr},
    {NNVET_OPERATION_TYPE_RELU, nullptr, [](float a) { return std::max(a, 0.0f); }},
    {NNVET_OPERATION_TYPE_RELU1, nullptr, [](float a) { return std::min(std::max(a, -1.0f), 1.0f); }},
    {NNVET_OPERATION_TYPE_RELU6, nullptr, [](float a) { return std::min(std::max(a, 0.0f), 6.0f); }},
    {NNVET_OPERATION_TYPE_FLOOR, nullptr, [](float a) { return std::floor(a); }},
};

const Kernel* kernel_of(std::int64_t type) {
    for (const Kernel& kernel : kKernels) {
        if (kernel.type == type) return &kernel;
    }
    return nullptr;
}

std::uint64_t element_count(const Integers& dimensions) {
    std::uint64_t count = 1;
    for (std::int64_t size : dimensions) {
        if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count) || count > kMostElements) {
            throw Failure(NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_PERSISTENT, "a tensor is too large");
        }
    }
    return count;
}

// Returns the shape of the result of broadcasting: aligned at the last dimension, sizes are equal or one of them is 1.
Integers broadcast(const Integers& one, const Integers& other) {
    const Integers &longer = one.size() < other.size() ? other : one, &shorter = one.size() < other.size() ? one : other;
    Integers result = longer;
    const std::size_t ahead = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& size = result[ahead + i];
        if (size == 1) size = shorter[i];
        else if (shorter[i] != 1 && shorter[i] != size) throw failed("the sizes of the inputs do not go together");
    }
    return result;
}

// Returns the stride of an input along each dimension of the result; 0 where the input is repeated.
std::vector<std::size_t> steps(const Integers& input, const Integers& result) {
    std::vector<std::size_t> steps(result.size(), 0);
    std::size_t step = 1;
    for (std::size_t i = input.size(); i-- > 0;) {
        if (input[i] != 1) steps[i + result.size() - input.size()] = step;
        step *= static_cast<std::size_t>(input[i]);
    }
    return steps;
}

Tensor combine(const Tensor& one, const Tensor& other, float (*function)(float, float)) {
    Tensor result{broadcast(one.dimensions, other.dimensions), {}};
    const std::size_t count = element_count(result.dimensions);
    const auto steps1 = steps(one.dimensions, result.dimensions), steps2 = steps(other.dimensions, result.dimensions);
    result.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t rest = i, index1 = 0, index2 = 0;
        for (std::size_t k = result.dimensions.size(); k-- > 0;) {
            const auto size = static_cast<std::size_t>(result.dimensions[k]);
            index1 += rest % size * steps1[k];
            index2 += rest % size * steps2[k];
            rest /= size;
        }
        result.values.push_back(function(one.values[index1], other.values[index2]));
    }
    return result;
}

void activate(Tensor& tensor, std::int64_t activation) {
    static const std::int64_t operations[] = {NNVET_OPERATION_TYPE_RELU, NNVET_OPERATION_TYPE_RELU1,
                                              NNVET_OPERATION_TYPE_RELU6};
    if (activation == NNVET_FUSED_ACTIVATION_FUNC_NONE) return;
    if (activation < NNVET_FUSED_ACTIVATION_FUNC_NONE || activation > NNVET_FUSED_ACTIVATION_FUNC_RELU6) {
        throw failed("there is no such activation");
    }
    const auto function = kernel_of(operations[activation - NNVET_FUSED_ACTIVATION_FUNC_RELU])->unary;
    for (float& value : tensor.values) value = function(value);
}

}  // namespace

bool is_supported(const Subgraph& graph, const Operation& operation) {
    const auto is_float = [&graph](std::int64_t index) {
        return graph.operands[static_cast<std::size_t>(index)].type == NNVET_OPERAND_TYPE_TENSOR_FLOAT32;
    };
    // The validator has checked that the types of the other inputs match this one.
    return kernel_of(operation.type) && is_float(operation.inputs[0]);
}

Tensor compute(const Operation& operation, const std::vector<const std::optional<Tensor>*>& inputs,
               std::int64_t activation) {
    const Kernel& kernel = *kernel_of(operation.type);
    const auto formals = expand(operation_info(operation.type)->signatures[0].inputs, operation.inputs.size());
    const std::size_t tensors = kernel.binary ? 2 : 1;
    for (std::size_t i = 0; i < tensors; ++i) {
        if (!*inputs[i]) throw failed("an operand that is needed is omitted");
        const auto rank = static_cast<int>((*inputs[i])->dimensions.size());
        if (rank < formals[i]->least_rank || rank > formals[i]->most_rank) throw failed("a rank is not allowed");
    }
    if (kernel.binary) {
        Tensor result = combine(**inputs[0], **inputs[1], kernel.binary);
        activate(result, activation);
        return result;
    }
    Tensor result = **inputs[0];
    for (float& value : result.values) value = kernel.unary(value);
    return result;
}
