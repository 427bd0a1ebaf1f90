// Converts models and memories of the HAL into those of the library: docs/contract/c-api.md 1.4.
#pragma once

#include <map>
#include <vector>

#include "library.h"
#include "model.h"

using Memories = std::vector<nnapi::Owned<ANeuralNetworksMemory>>;

// Makes memories of the library for the pools of a model or request. Throws Failure.
Memories memories_of(const std::vector<Memory>& pools);

// A finished model of the library, and the models of its subgraphs. The HAL's model has to live as long, because the
// library does not copy long constants.
class BuiltModel {
public:
    // Throws Failure.
    explicit BuiltModel(const Model& model);
    ANeuralNetworksModel* pointer() const { return main_.get(); }
    // Returns the operand type of an operand of the main subgraph, with the given dimensions if there are any. It points to
    // these dimensions.
    ANeuralNetworksOperandType type(const Operand& operand, const std::vector<std::uint32_t>& dimensions) const;

private:
    nnapi::Owned<ANeuralNetworksModel> built(const Subgraph& graph);
    void set_value(ANeuralNetworksModel* model, std::int32_t index, const Operand& operand);
    ANeuralNetworksModel* referenced(std::int64_t index);
    const char* extension(std::int64_t code) const;
    std::int32_t type_code(ANeuralNetworksModel* model, std::int64_t code) const;

    const Model& model_;
    Memories pools_;
    std::map<std::int64_t, nnapi::Owned<ANeuralNetworksModel>> referenced_;
    nnapi::Owned<ANeuralNetworksModel> main_;
};

// Returns true if an IF or WHILE has operands of unknown size: only the CPU of a library runs such models.
bool has_open_control_flow(const Model& model);
