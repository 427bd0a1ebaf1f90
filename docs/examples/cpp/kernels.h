// The kernels of this driver: a few operations on 32-bit floats.
#pragma once

#include <optional>
#include <vector>

#include "model.h"

struct Tensor {
    Integers dimensions;
    std::vector<float> values;
};

// Returns true if prepare_model accepts the operation. False is not an error (docs/contract/hal.md 10.1).
bool is_supported(const Subgraph& graph, const Operation& operation);

// Computes the output of a supported operation. Operands without a value are empty; `activation` is the last input of the
// operation if it has one. Throws Failure for a broken rule of phase "execution" (docs/contract/operations/).
Tensor compute(const Operation& operation, const std::vector<const std::optional<Tensor>*>& inputs, std::int64_t activation);
