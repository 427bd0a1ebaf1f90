// IF and WHILE, which run other models.
#include <cstring>

#include "objects.h"

namespace {
bool hasUnknownSize(const Operand& operand) { return operand.isTensor() && !isFullyKnown(operand.dimensions); }

// A copy that looks into its own bytes.
Value kept(const Value& value) {
    Value copy = value;
    if (!value.own.empty()) copy.data = copy.own.data();
    return copy;
}

// Runs a model on the values of its inputs, whose bytes outlive the call.
int runModel(const ANeuralNetworksModel& model, const std::vector<Value>& inputs, std::vector<Value>& outputs,
             uint64_t loopTimeout) {
    std::vector<Value> values(model.operands.size());
    if (int error = readConstants(model, values)) return error;
    for (size_t i = 0; i < model.inputs.size(); ++i) values[model.inputs[i]] = kept(inputs[i]);
    for (const Operation& operation : model.sorted)
        if (int error = runOperation(model, operation, values, loopTimeout)) return error;
    outputs.clear();
    for (uint32_t index : model.outputs) outputs.push_back(kept(values[index]));
    return 0;
}

int flagOf(const Value& value, bool& flag) {
    if (value.data == nullptr || value.dimensions != std::vector<uint32_t>{1}) return ANEURALNETWORKS_OP_FAILED;
    flag = *value.data != 0;
    return 0;
}

int runIf(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
          std::vector<Value>& outputs, uint64_t loopTimeout) {
    bool isTaken;
    if (int error = flagOf(values[operation.inputs[0]], isTaken)) return error;
    std::vector<Value> inputs;
    for (size_t i = 3; i < operation.inputs.size(); ++i) inputs.push_back(values[operation.inputs[i]]);
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i].data = values[operation.inputs[3 + i]].data;
    return runModel(*model.operands[operation.inputs[isTaken ? 1 : 2]].model, inputs, outputs, loopTimeout);
}

int runWhile(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
             std::vector<Value>& outputs, uint64_t loopTimeout) {
    std::vector<Value> carried, results;
    for (size_t i = 2; i < operation.inputs.size(); ++i) {
        carried.push_back(kept(values[operation.inputs[i]]));
        // Values that lie in memory are copied: what is carried on is the loop's own.
        if (carried.back().own.empty() && carried.back().data != nullptr) {
            Operand described = model.operands[operation.inputs[i]];
            described.dimensions = carried.back().dimensions;
            carried.back().own.assign(carried.back().data, carried.back().data + described.bytes());
            carried.back().data = carried.back().own.data();
        }
    }
    for (uint64_t started = nowNs();;) {
        bool goesOn;
        if (int error = runModel(*model.operands[operation.inputs[0]].model, carried, results, loopTimeout)) return error;
        if (int error = flagOf(results[0], goesOn)) return error;
        if (!goesOn) break;
        if (nowNs() - started > loopTimeout) return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
        if (int error = runModel(*model.operands[operation.inputs[1]].model, carried, results, loopTimeout)) return error;
        for (size_t i = 0; i < results.size(); ++i) carried[i] = kept(results[i]);
    }
    for (size_t i = 0; i < operation.outputs.size(); ++i) outputs.push_back(kept(carried[i]));
    return 0;
}
}  // namespace

bool isControlFlow(int32_t type) { return type == ANEURALNETWORKS_IF || type == ANEURALNETWORKS_WHILE; }

// Returns true if sizes of its operands, or of operands of the models that it runs, are unknown at any depth.
bool isOpen(const ANeuralNetworksModel& model, const Operation& operation) {
    if (!isControlFlow(operation.type)) return false;
    for (const std::vector<uint32_t>* side : {&operation.inputs, &operation.outputs})
        for (uint32_t index : *side) {
            const Operand& operand = model.operands[index];
            if (operand.type != ANEURALNETWORKS_MODEL && hasUnknownSize(operand)) return true;
            const ANeuralNetworksModel* inner = operand.model;
            if (inner == nullptr) continue;
            for (const std::vector<uint32_t>* listed : {&inner->inputs, &inner->outputs})
                for (uint32_t place : *listed)
                    if (hasUnknownSize(inner->operands[place])) return true;
            for (const Operation& one : inner->operations)
                if (isOpen(*inner, one)) return true;
        }
    return false;
}

int readConstants(const ANeuralNetworksModel& model, std::vector<Value>& values) {
    for (size_t i = 0; i < model.operands.size(); ++i) {
        const Operand& operand = model.operands[i];
        values[i].dimensions = operand.dimensions;
        if (operand.place == Place::Pointer) values[i].data = operand.copy.data();
        if (operand.place == Place::Memory) {
            uint8_t* mapped = const_cast<ANeuralNetworksMemory*>(&*operand.memory)->map();
            if (mapped == nullptr) return ANEURALNETWORKS_UNMAPPABLE;
            values[i].data = mapped + operand.offset;
        }
    }
    return 0;
}

int runControlFlow(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
                   uint64_t loopTimeout) {
    std::vector<Value> outputs;
    bool isIf = operation.type == ANEURALNETWORKS_IF;
    int error = isIf ? runIf(model, operation, values, outputs, loopTimeout)
                     : runWhile(model, operation, values, outputs, loopTimeout);
    if (error != 0) return error;
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
        if (outputs[i].data == nullptr) return ANEURALNETWORKS_OP_FAILED;
        Operand described = model.operands[operation.outputs[i]];
        described.dimensions = outputs[i].dimensions;
        Value& value = values[operation.outputs[i]];
        value = Value{outputs[i].dimensions, nullptr, {outputs[i].data, outputs[i].data + described.bytes()}};
        value.data = value.own.empty() ? reinterpret_cast<const uint8_t*>("") : value.own.data();
    }
    return 0;
}
