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
    // Takes a valid model whose operations are all supported. Reads the constants, so that the pools are no longer needed.
    // This driver has one code path, whatever preference and priority the configuration asks for. Throws Failure.
    explicit PreparedModel(Model model, const PrepareModelConfig& config = {});

    // Takes a valid request whose deadline has not passed. Any number of threads may execute at the same time. The deadline
    // is not checked again: this driver is fast and has no loops. Throws Failure.
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

// Returns, for each operation of the main subgraph, true if prepare_model accepts it.
std::vector<bool> supported_operations(const Model& model);
