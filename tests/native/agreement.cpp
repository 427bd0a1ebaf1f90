// What operands of one operation have to agree in, beyond their types: docs/contract/operations/, rules of models.
#include "objects.h"

namespace {
using Operands = std::vector<const Operand*>;

size_t rankOf(const Operand* operand) { return operand->place == Place::Omitted ? 0 : operand->dimensions.size(); }

bool agreesInCodes(const Operand* first, const Operand* second) {
    return first->scale == second->scale && first->zeroPoint == second->zeroPoint;
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
}  // namespace

bool isAgreed(int32_t type, const Operands& inputs, const Operands& outputs) {
    switch (type) {
        case ANEURALNETWORKS_ADD:
        case ANEURALNETWORKS_SUB:
        case ANEURALNETWORKS_MUL:
        case ANEURALNETWORKS_DIV:
            return hasLowRanks(inputs);
        case ANEURALNETWORKS_FULLY_CONNECTED:
            return hasRanksOfMatrices(inputs);
        case ANEURALNETWORKS_PACK:
            return isPacked(inputs, outputs[0]);
        case ANEURALNETWORKS_REVERSE:
        case ANEURALNETWORKS_MIRROR_PAD:
            return isAlike(inputs[0], outputs[0]);
        default:
            return true;
    }
}
