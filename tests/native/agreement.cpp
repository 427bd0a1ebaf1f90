// Rules on operands of one operation that have to agree beyond their types: docs/contract/operations/, rules of models.
#include "objects.h"

namespace {
using Operands = std::vector<const Operand*>;

size_t rankOf(const Operand* operand) { return operand->dimensions.size(); }

bool hasScaleOf(const Operand* first, const Operand* second) {
    return first->scale == second->scale && first->zeroPoint == second->zeroPoint;
}

// NAME/quantization is about 8-bit codes: a tensor of INT32 may have a scale that its neighbour lacks.
bool agreesInCodes(const Operand* first, const Operand* second) {
    bool isOf8Bits = second->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                     second->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    return !isOf8Bits || hasScaleOf(first, second);
}

// NAME/ranks: neither is greater than 4 where both are known.
bool hasLowRanks(const Operands& inputs) {
    size_t first = rankOf(inputs[0]), second = rankOf(inputs[1]);
    return first == 0 || second == 0 || (first <= 4 && second <= 4);
}

// FULLY_CONNECTED/ranks.
bool hasRanksOfMatrices(const Operands& inputs) {
    size_t input = rankOf(inputs[0]), weights = rankOf(inputs[1]), bias = rankOf(inputs[2]);
    if (input == 0 || weights == 0 || bias == 0) return true;
    return input >= 2 && input <= 4 && weights == 2 && bias == 1;
}

// FULLY_CONNECTED/input.size and FULLY_CONNECTED/bias.length.
bool hasSizesOfMatrices(const Operands& inputs) {
    if (rankOf(inputs[0]) == 0 || rankOf(inputs[1]) == 0 || rankOf(inputs[2]) == 0) return true;
    uint32_t units = inputs[1]->dimensions[0], size = inputs[1]->dimensions[1], length = inputs[2]->dimensions[0];
    uint64_t rest = 1;  // of the number of elements, which may be beyond 64 bits
    for (uint32_t dimension : inputs[0]->dimensions) rest = size == 0 ? 0 : rest * (dimension % size) % size;
    return rest == 0 && (units == 0 || length == 0 || units == length);
}

// NAME/filter.channel_dim.
bool runsAlong(const Operand* filter, uint32_t dimension) { return !filter->hasChannels || filter->channelDim == dimension; }

// CAST/output.dimensions.
bool isDeclaredAlike(const Operand* input, const Operand* output) {
    return !isFullyKnown(output->dimensions) || input->dimensions.empty() || input->dimensions == output->dimensions;
}

// MIRROR_PAD/paddings.shape.
bool hasPaddings(const Operand* input, const Operand* paddings) {
    const std::vector<uint32_t>& shape = paddings->dimensions;
    if (shape.empty() || paddings->place == Place::Omitted) return true;
    size_t rank = rankOf(input);
    return shape.size() == 2 && (shape[1] == 0 || shape[1] == 2) && (shape[0] == 0 || rank == 0 || shape[0] == rank);
}

// REVERSE/axis.dimension.
bool hasOneAxis(const Operand* axis) {
    const std::vector<uint32_t>& shape = axis->dimensions;
    return shape.empty() || (shape.size() == 1 && shape[0] <= 1);
}

// PACK/quantization and PACK/output.rank; the first input is the axis.
bool isPacked(const Operands& inputs, const Operand* output) {
    size_t rank = rankOf(output) > 1 ? rankOf(output) - 1 : 0;
    for (size_t i = 1; i < inputs.size(); ++i) {
        if (!agreesInCodes(inputs[i], output)) return false;
        size_t own = rankOf(inputs[i]);
        if (own != 0 && rank != 0 && own != rank) return false;
        if (own != 0) rank = own;
    }
    return true;
}

// REVERSE and MIRROR_PAD: NAME/quantization and NAME/output.rank.
bool isAlike(const Operand* input, const Operand* output) {
    size_t before = rankOf(input), after = rankOf(output);
    return agreesInCodes(input, output) && (before == 0 || after == 0 || before == after);
}

// Returns true if an outer operand may stand for an operand of a subgraph: docs/contract/hal.md 7.4.
bool fits(const Operand* outer, const Operand& inner) {
    if (outer->type != inner.type || !hasScaleOf(outer, &inner)) return false;
    const std::vector<uint32_t>&a = outer->dimensions, &b = inner.dimensions;
    if (a.empty() || b.empty()) return true;
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && a[i] != 0 && b[i] != 0) return false;
    return true;
}

Operands listed(const ANeuralNetworksModel& model, const std::vector<uint32_t>& indexes) {
    Operands all;
    for (uint32_t index : indexes) all.push_back(&model.operands[index]);
    return all;
}

bool allFit(const Operands& outer, const Operands& inner) {
    if (outer.size() != inner.size()) return false;
    for (size_t i = 0; i < outer.size(); ++i)
        if (!fits(outer[i], *inner[i])) return false;
    return true;
}

bool isFlag(const Operand* operand) {
    return operand->type == ANEURALNETWORKS_TENSOR_BOOL8 && operand->dimensions == std::vector<uint32_t>{1};
}

bool isRightIf(const Operands& inputs, const Operands& outputs) {
    if (!isFlag(inputs[0])) return false;
    Operands given(inputs.begin() + 3, inputs.end());
    for (size_t i : {1, 2}) {
        const ANeuralNetworksModel* branch = inputs[i]->model;
        if (branch == nullptr || !allFit(given, listed(*branch, branch->inputs)) ||
            !allFit(outputs, listed(*branch, branch->outputs)))
            return false;
    }
    return true;
}

bool isRightWhile(const Operands& inputs, const Operands& outputs) {
    const ANeuralNetworksModel *condition = inputs[0]->model, *body = inputs[1]->model;
    if (condition == nullptr || body == nullptr) return false;
    Operands carried(inputs.begin() + 2, inputs.end()), flags = listed(*condition, condition->outputs);
    Operands before = listed(*body, body->inputs), after = listed(*body, body->outputs);
    if (flags.size() != 1 || !isFlag(flags[0]) || !allFit(carried, listed(*condition, condition->inputs)) ||
        !allFit(carried, before) || after.size() < outputs.size() || before.size() < after.size())
        return false;
    return allFit(Operands(before.begin(), before.begin() + after.size()), after) &&
           allFit(outputs, Operands(after.begin(), after.begin() + outputs.size()));
}
}  // namespace

bool isAgreed(int32_t type, const Operands& inputs, const Operands& outputs) {
    switch (type) {
        case ANEURALNETWORKS_ADD:
        case ANEURALNETWORKS_SUB:
        case ANEURALNETWORKS_MUL:
        case ANEURALNETWORKS_DIV:
            return hasLowRanks(inputs);
        case ANEURALNETWORKS_FULLY_CONNECTED:
            return hasRanksOfMatrices(inputs) && hasSizesOfMatrices(inputs);
        case ANEURALNETWORKS_CONV_2D:
        case ANEURALNETWORKS_GROUPED_CONV_2D:
        case ANEURALNETWORKS_TRANSPOSE_CONV_2D:
            return runsAlong(inputs[1], 0);
        case ANEURALNETWORKS_DEPTHWISE_CONV_2D:
            return runsAlong(inputs[1], 3);
        case ANEURALNETWORKS_CAST:
            return isDeclaredAlike(inputs[0], outputs[0]);
        case ANEURALNETWORKS_PACK:
            return isPacked(inputs, outputs[0]);
        case ANEURALNETWORKS_REVERSE:
            return isAlike(inputs[0], outputs[0]) && hasOneAxis(inputs[1]);
        case ANEURALNETWORKS_MIRROR_PAD:
            return isAlike(inputs[0], outputs[0]) && hasPaddings(inputs[0], inputs[1]);
        case ANEURALNETWORKS_IF:
            return isRightIf(inputs, outputs);
        case ANEURALNETWORKS_WHILE:
            return isRightWhile(inputs, outputs);
        default:
            return true;
    }
}
