// Prepared models and their execution: docs/contract/hal.md 10.4.
#pragma once

#include <optional>

#include "failure.h"
#include "kernels.h"

struct OutputShape {
    Integers dimensions;
    bool is_sufficient = true;
};

struct ExecutionResult {
    std::vector<OutputShape> shapes;
    bool is_sufficient() const;
};

class PreparedModel {
public:
    // The model is valid, and its operations are supported. Reads the constants, so that the pools are needed no more.
    // This driver has nothing to choose by the configuration. Throws Failure.
    explicit PreparedModel(Model model, const PrepareModelConfig& config = {});

    // The request is valid. Any number of threads may execute at the same time. Throws Failure. The deadline has not passed
    // yet; this driver is too fast to look at it again, and has no loops.
    ExecutionResult execute(const Request& request, const ExecutionConfig& config = {},
                            std::int64_t deadline_ns = NNVET_NO_DEADLINE) const;
    const Model& model() const { return model_; }

private:
    struct Operands;  // the values during one execution
    void run(const Operation& operation, Operands& operands) const;
    const Operand& operand(std::int64_t index) const;

    Model model_;
    std::vector<std::optional<Tensor>> constants_;  // of the main subgraph, by operand
    std::vector<std::optional<std::int64_t>> scalars_;
};

// Whether prepare_model takes each operation of the main subgraph.
std::vector<bool> supported_operations(const Model& model);
