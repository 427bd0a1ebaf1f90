// Some twenty operations on 32-bit floats and 8-bit codes, computed in double.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "objects.h"

namespace {
using Unary = double (*)(double);
using Binary = double (*)(double, double);

const std::map<int32_t, Unary> kUnary = {
    {ANEURALNETWORKS_RELU, [](double x) { return x < 0 ? 0.0 : x; }},
    {ANEURALNETWORKS_RELU1, [](double x) { return x < -1 ? -1.0 : x > 1 ? 1.0 : x; }},
    {ANEURALNETWORKS_RELU6, [](double x) { return x < 0 ? 0.0 : x > 6 ? 6.0 : x; }},
    {ANEURALNETWORKS_FLOOR, [](double x) { return std::floor(x); }},
    {ANEURALNETWORKS_LOGISTIC, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {ANEURALNETWORKS_TANH, [](double x) { return std::tanh(x); }},
    {ANEURALNETWORKS_ABS, [](double x) { return std::fabs(x); }},
    {ANEURALNETWORKS_NEG, [](double x) { return -x; }},
    {ANEURALNETWORKS_EXP, [](double x) { return std::exp(x); }},
    {ANEURALNETWORKS_DEQUANTIZE, [](double x) { return x; }},
    {ANEURALNETWORKS_QUANTIZE, [](double x) { return x; }},
};
const std::map<int32_t, Binary> kBinary = {
    {ANEURALNETWORKS_ADD, [](double x, double y) { return x + y; }},
    {ANEURALNETWORKS_SUB, [](double x, double y) { return x - y; }},
    {ANEURALNETWORKS_MUL, [](double x, double y) { return x * y; }},
    {ANEURALNETWORKS_MAXIMUM, [](double x, double y) { return x > y || std::isnan(x) ? x : y; }},
    {ANEURALNETWORKS_MINIMUM, [](double x, double y) { return x < y || std::isnan(x) ? x : y; }},
};
const std::map<int32_t, Binary> kComparison = {
    {ANEURALNETWORKS_EQUAL, [](double x, double y) { return x == y ? 1.0 : 0.0; }},
    {ANEURALNETWORKS_NOT_EQUAL, [](double x, double y) { return x != y ? 1.0 : 0.0; }},
    {ANEURALNETWORKS_LESS, [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {ANEURALNETWORKS_LESS_EQUAL, [](double x, double y) { return x <= y ? 1.0 : 0.0; }},
    {ANEURALNETWORKS_GREATER, [](double x, double y) { return x > y ? 1.0 : 0.0; }},
    {ANEURALNETWORKS_GREATER_EQUAL, [](double x, double y) { return x >= y ? 1.0 : 0.0; }},
};
constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;
constexpr int32_t kQuant = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
constexpr int32_t kSigned = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
constexpr size_t kMaxRank = 4;

bool isFused(int32_t type) {
    return type == ANEURALNETWORKS_ADD || type == ANEURALNETWORKS_SUB || type == ANEURALNETWORKS_MUL;
}
bool isCode(int32_t type) { return type == kQuant || type == kSigned; }

const uint8_t* constantBytes(const Operand& operand) {
    if (operand.place == Place::Pointer && !operand.copy.empty()) return operand.copy.data();
    if (operand.place != Place::Memory) return nullptr;
    uint8_t* mapped = const_cast<ANeuralNetworksMemory*>(&*operand.memory)->map();
    return mapped == nullptr ? nullptr : mapped + operand.offset;
}

bool isActivation(int32_t code) { return code >= 0 && code <= 3; }

// Returns true if an activation is an input or a valid constant.
bool canActivate(const Operand& operand) {
    if (operand.place == Place::Input) return true;
    const uint8_t* bytes = constantBytes(operand);
    int32_t code = -1;
    if (bytes != nullptr) std::memcpy(&code, bytes, sizeof code);
    return isActivation(code);
}

double load(const Operand& operand, const Value& value, size_t index) {
    if (operand.type == kFloat) {
        float number;
        std::memcpy(&number, value.data + 4 * index, 4);
        return number;
    }
    int code = operand.type == kQuant ? value.data[index] : static_cast<int8_t>(value.data[index]);
    return (code - operand.zeroPoint) * static_cast<double>(operand.scale);
}

void store(const Operand& operand, Value& value, size_t index, double number) {
    if (operand.type == ANEURALNETWORKS_TENSOR_BOOL8) {
        value.own[index] = number != 0;
        return;
    }
    if (operand.type == kFloat) {
        float rounded = static_cast<float>(number);
        std::memcpy(&value.own[4 * index], &rounded, 4);
        return;
    }
    double lowest = operand.type == kQuant ? 0 : -128;
    double code = std::round(number / operand.scale) + operand.zeroPoint;
    value.own[index] = static_cast<uint8_t>(static_cast<int>(std::min(std::max(code, lowest), lowest + 255)));
}

bool broadcast(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, std::vector<uint32_t>& out) {
    size_t rank = std::max(a.size(), b.size());
    out.assign(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        uint32_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) return false;
        out[rank - 1 - i] = x == 1 ? y : x;
    }
    return true;
}

size_t source(const std::vector<uint32_t>& dimensions, const std::vector<uint32_t>& out, size_t index) {
    size_t found = 0, stride = 1;
    for (size_t i = 0; i < out.size(); ++i) {
        size_t position = index % out[out.size() - 1 - i];
        index /= out[out.size() - 1 - i];
        if (i >= dimensions.size()) continue;
        uint32_t size = dimensions[dimensions.size() - 1 - i];
        if (size != 1) found += position * stride;
        stride *= size;
    }
    return found;
}

double fused(int32_t code, double number) {
    switch (code) {
        case ANEURALNETWORKS_FUSED_RELU: return number < 0 ? 0 : number;
        case ANEURALNETWORKS_FUSED_RELU1: return number < -1 ? -1 : number > 1 ? 1 : number;
        case ANEURALNETWORKS_FUSED_RELU6: return number < 0 ? 0 : number > 6 ? 6 : number;
        default: return number;
    }
}

// The code of a fused activation; false where the execution has to fail.
bool readActivation(const Value& given, bool isFloat, int32_t& code) {
    if (given.data == nullptr) return false;
    std::memcpy(&code, given.data, sizeof code);
    // On codes the reference takes any number, and so does this (docs/contract/operations/common.md 10).
    return isActivation(code) || !isFloat;
}

// FULLY_CONNECTED of 32-bit floats; docs/contract/operations/FULLY_CONNECTED.md.
int runFullyConnected(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values) {
    const Value &input = values[operation.inputs[0]], &weights = values[operation.inputs[1]];
    const Value& bias = values[operation.inputs[2]];
    int32_t code = 0;
    if (!readActivation(values[operation.inputs[3]], true, code)) return ANEURALNETWORKS_OP_FAILED;
    if (input.data == nullptr || weights.data == nullptr || bias.data == nullptr) return ANEURALNETWORKS_OP_FAILED;
    size_t rank = input.dimensions.size();
    if (rank < 2 || rank > kMaxRank || weights.dimensions.size() != 2) return ANEURALNETWORKS_OP_FAILED;
    uint32_t units = weights.dimensions[0], size = weights.dimensions[1];
    if (units == 0 || size == 0 || input.count() % size != 0) return ANEURALNETWORKS_OP_FAILED;
    if (bias.dimensions != std::vector<uint32_t>{units}) return ANEURALNETWORKS_OP_FAILED;
    Value& output = values[operation.outputs[0]];
    output.dimensions = {static_cast<uint32_t>(input.count() / size), units};
    std::vector<uint32_t> all;
    if (!combine(model.operands[operation.outputs[0]].dimensions, output.dimensions, all)) return ANEURALNETWORKS_OP_FAILED;
    // Sizes are known only now; what has more bytes than the C API can say is an error, and no reason to take memory.
    if (4 * output.count() > UINT32_MAX) return ANEURALNETWORKS_OP_FAILED;
    output.own.resize(4 * output.count());
    auto number = [&](const Value& value, uint32_t index, size_t position) {
        return load(model.operands[operation.inputs[index]], value, position);
    };
    for (size_t i = 0, count = output.count(); i < count; ++i) {
        double sum = number(bias, 2, i % units);
        for (size_t k = 0; k < size; ++k)
            sum += number(input, 0, i / units * size + k) * number(weights, 1, i % units * size + k);
        store(model.operands[operation.outputs[0]], output, i, fused(code, sum));
    }
    output.data = output.own.empty() ? reinterpret_cast<const uint8_t*>("") : output.own.data();
    return 0;
}
}  // namespace

size_t Value::count() const {
    size_t count = 1;
    for (uint32_t dimension : dimensions) count *= dimension;
    return count;
}

// Rules of the operations here that look at more than types: what the contract says of scales.
bool hasCaseOfTypes(const ANeuralNetworksModel& model, const Operation& operation) {
    auto scale = [&](uint32_t index) { return model.operands[index].scale; };
    if (operation.type == ANEURALNETWORKS_MUL && isCode(model.operands[operation.inputs[0]].type))
        return scale(operation.outputs[0]) > scale(operation.inputs[0]) * scale(operation.inputs[1]);
    return true;
}

bool isSupported(const ANeuralNetworksModel& model, const Operation& operation) {
    if (operation.inputs.empty()) return false;
    const Operand& first = model.operands[operation.inputs[0]];
    const Operand& output = model.operands[operation.outputs[0]];
    if (isControlFlow(operation.type)) {
        bool all = true;
        for (uint32_t index : operation.inputs) {
            const ANeuralNetworksModel* inner = model.operands[index].model;
            if (inner == nullptr) continue;
            for (const Operation& one : inner->operations) all = all && isSupported(*inner, one);
        }
        return all;
    }
    if (kBinary.count(operation.type) != 0) {
        if (!isFused(operation.type)) return first.type == kFloat;
        if (first.type != kFloat && !isCode(first.type)) return false;
        if (isCode(first.type) && operation.type != ANEURALNETWORKS_MUL) {
            // ADD/output.multiplier and SUB/output.multiplier.
            double larger = std::max(first.scale, model.operands[operation.inputs[1]].scale);
            if (2 * larger >= (1 << 20) * static_cast<double>(output.scale)) return false;
        }
        return canActivate(model.operands[operation.inputs[2]]);
    }
    if (operation.type == ANEURALNETWORKS_FULLY_CONNECTED)
        return first.type == kFloat && canActivate(model.operands[operation.inputs[3]]);
    if (kComparison.count(operation.type) != 0) return first.type == kFloat;
    if (operation.type == ANEURALNETWORKS_QUANTIZE) return first.type == kFloat && isCode(output.type);
    if (operation.type == ANEURALNETWORKS_DEQUANTIZE) return isCode(first.type) && output.type == kFloat;
    return kUnary.count(operation.type) != 0 && first.type == kFloat;
}

int runOperation(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
                 uint64_t loopTimeout) {
    if (isControlFlow(operation.type)) return runControlFlow(model, operation, values, loopTimeout);
    if (operation.type == ANEURALNETWORKS_FULLY_CONNECTED) return runFullyConnected(model, operation, values);
    auto operand = [&](uint32_t index) -> const Operand& { return model.operands[index]; };
    const Operand& target = operand(operation.outputs[0]);
    Value& output = values[operation.outputs[0]];
    const Value& first = values[operation.inputs[0]];
    const std::map<int32_t, Binary>& pairs = kComparison.count(operation.type) != 0 ? kComparison : kBinary;
    bool isBinary = pairs.count(operation.type) != 0;
    const Value& second = isBinary ? values[operation.inputs[1]] : first;
    if (first.data == nullptr || second.data == nullptr) return ANEURALNETWORKS_OP_FAILED;
    bool isHigh = first.dimensions.size() > kMaxRank || second.dimensions.size() > kMaxRank;
    if (isHigh && isFused(operation.type)) return ANEURALNETWORKS_OP_FAILED;
    if (!broadcast(first.dimensions, second.dimensions, output.dimensions)) return ANEURALNETWORKS_OP_FAILED;
    std::vector<uint32_t> all;
    if (!combine(target.dimensions, output.dimensions, all)) return ANEURALNETWORKS_OP_FAILED;
    output.own.resize(output.count() * (target.type == kFloat ? 4 : 1));
    int32_t code = 0;
    if (isFused(operation.type) && !readActivation(values[operation.inputs[2]], target.type == kFloat, code))
        return ANEURALNETWORKS_OP_FAILED;
    for (size_t i = 0, count = output.count(); i < count; ++i) {
        double x = load(operand(operation.inputs[0]), first, source(first.dimensions, output.dimensions, i));
        if (isBinary) {
            double y = load(operand(operation.inputs[1]), second, source(second.dimensions, output.dimensions, i));
            x = fused(code, pairs.at(operation.type)(x, y));
        } else {
            x = kUnary.at(operation.type)(x);
        }
        store(target, output, i, x);
    }
    output.data = output.own.empty() ? reinterpret_cast<const uint8_t*>("") : output.own.data();
    return 0;
}
