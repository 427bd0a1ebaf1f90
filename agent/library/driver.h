// Prepared models that a library of the NNAPI computes. Used in place of docs/examples/cpp/driver.h: docs/remote.md.
#pragma once

#include <memory>

#include "failure.h"
#include "model.h"

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
    // Takes a valid model. Throws Failure.
    PreparedModel(Model model, const PrepareModelConfig& config);
    ~PreparedModel();

    // Takes a valid request. Any number of threads may execute at the same time. Throws Failure.
    ExecutionResult execute(const Request& request, const ExecutionConfig& config, std::int64_t deadline_ns) const;
    const Model& model() const { return model_; }

private:
    struct Compiled;

    Model model_;
    std::unique_ptr<const Compiled> compiled_;
};

// Asks the library about each operation of the main subgraph. Throws Failure.
std::vector<bool> supported_operations(const Model& model);
