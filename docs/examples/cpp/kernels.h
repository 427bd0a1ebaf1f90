// What this driver computes: a few operations on 32-bit floats.
#pragma once

#include <optional>
#include <vector>

#include "model.h"

struct Tensor {
    Integers dimensions;
    std::vector<float> values;
};

// Whether prepare_model takes the operation; false is no error (docs/contract/hal.md 10.1).
bool is_supported(const Subgraph& graph, const Operation& operation);

// The output of a supported operation. Operands without value are empty; `activation` is the operation's last input, if
// it has one. Throws Failure as docs/contract/operations/ says for rules of phase "execution".
Tensor compute(const Operation& operation, const std::vector<const std::optional<Tensor>*>& inputs, std::int64_t activation);
