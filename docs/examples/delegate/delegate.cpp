// An external delegate of LiteRT. It takes the operators that kernels.cpp computes; LiteRT runs the others.
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "failure.h"
#include "kernels.h"
#include "tflite.h"

namespace {

// LiteRT's code of an operator and the HAL's code of the same operation.
struct Code {
    std::int32_t builtin;
    std::int64_t operation;
    int inputs;
};

constexpr Code kCodes[] = {
    {kTfLiteBuiltinAdd, NNVET_OPERATION_TYPE_ADD, 2},     {kTfLiteBuiltinSub, NNVET_OPERATION_TYPE_SUB, 2},
    {kTfLiteBuiltinMul, NNVET_OPERATION_TYPE_MUL, 2},     {kTfLiteBuiltinRelu, NNVET_OPERATION_TYPE_RELU, 1},
    {kTfLiteBuiltinReluN1To1, NNVET_OPERATION_TYPE_RELU1, 1}, {kTfLiteBuiltinRelu6, NNVET_OPERATION_TYPE_RELU6, 1},
    {kTfLiteBuiltinFloor, NNVET_OPERATION_TYPE_FLOOR, 1},
};

// One operator that the delegate has taken.
struct Step {
    Operation operation;  // operands are indexes of LiteRT's tensors; the activation is kept apart
    std::int64_t activation;
};

// The operators of one partition, which LiteRT runs as one node. It has no memory for the tensors between them.
struct Partition {
    std::vector<Step> steps;
    std::vector<int> outputs;
};
using Values = std::map<std::int64_t, std::optional<Tensor>>;

const Code* code_of(const TfLiteContext& context, const TfLiteNode& node, const TfLiteRegistration& registration) {
    for (const Code& code : kCodes) {
        if (code.builtin != registration.builtin_code || node.inputs->size != code.inputs) continue;
        for (const TfLiteIntArray* side : {node.inputs, node.outputs}) {
            for (int i = 0; i < side->size; ++i) {
                if (side->data[i] < 0 || context.tensors[side->data[i]].type != kTfLiteFloat32) return nullptr;
            }
        }
        return &code;
    }
    return nullptr;
}

Tensor read(const TfLiteTensor& given) {
    Tensor tensor{Integers(given.dims->data, given.dims->data + given.dims->size), std::vector<float>(given.bytes / sizeof(float))};
    if (given.bytes) std::memcpy(tensor.values.data(), given.data.data, given.bytes);
    return tensor;
}

void run(const TfLiteContext& context, const Step& step, Values& values) {
    std::vector<const std::optional<Tensor>*> inputs;
    for (std::int64_t index : step.operation.inputs) {
        const auto found = values.find(index);
        inputs.push_back(found != values.end() ? &found->second : &(values[index] = read(context.tensors[index])));
    }
    values[step.operation.outputs[0]] = compute(step.operation, inputs, step.activation);
}

void write(const TfLiteTensor& output, const Tensor& result) {
    const std::size_t bytes = result.values.size() * sizeof(float);
    if (bytes != output.bytes) throw failed("a result has another size than its tensor");
    if (bytes) std::memcpy(output.data.data, result.values.data(), bytes);
}

// Runs the body of a function that LiteRT calls, and turns every exception into an error status.
template <typename Body>
TfLiteStatus guarded(TfLiteContext* context, Body body) {
    try {
        body();
        return kTfLiteOk;
    } catch (const std::exception& error) {
        context->ReportError(context, "%s", error.what());
        return kTfLiteError;
    }
}

void* kernel_init(TfLiteContext* context, const char* buffer, std::size_t) {
    const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
    auto partition = std::make_unique<Partition>();
    const TfLiteStatus status = guarded(context, [&] {
        for (int i = 0; i < params->nodes_to_replace->size; ++i) {
            TfLiteNode* node;
            TfLiteRegistration* registration;
            if (context->GetNodeAndRegistration(context, params->nodes_to_replace->data[i], &node, &registration)) {
                throw failed("LiteRT does not show a node");
            }
            const Code* code = code_of(*context, *node, *registration);
            if (!code) throw failed("a node has changed");
            const TfLiteIntArray &in = *node->inputs, &out = *node->outputs;
            const Operation operation{code->operation, Integers(in.data, in.data + in.size), Integers(out.data, out.data + out.size)};
            const bool is_fused = code->inputs == 2 && node->builtin_data;
            const auto activation = is_fused ? static_cast<TfLiteAddParams*>(node->builtin_data)->activation : kTfLiteActNone;
            partition->steps.push_back({operation, activation});  // LiteRT and the HAL have the same activation codes
        }
        const TfLiteIntArray& outputs = *params->output_tensors;
        partition->outputs.assign(outputs.data, outputs.data + outputs.size);
    });
    return status == kTfLiteOk ? partition.release() : nullptr;
}

void kernel_free(TfLiteContext*, void* partition) { delete static_cast<Partition*>(partition); }

TfLiteStatus kernel_prepare(TfLiteContext*, TfLiteNode* node) { return node->user_data ? kTfLiteOk : kTfLiteError; }

TfLiteStatus kernel_invoke(TfLiteContext* context, TfLiteNode* node) {
    return guarded(context, [=] {
        const auto& partition = *static_cast<const Partition*>(node->user_data);
        Values values;
        for (const Step& step : partition.steps) run(*context, step, values);
        for (int index : partition.outputs) write(context->tensors[index], values.at(index).value());
    });
}

// Makes a TfLiteIntArray: the number of elements, then the elements.
std::vector<int> counted(std::vector<int> numbers) {
    numbers.insert(numbers.begin(), static_cast<int>(numbers.size()));
    return numbers;
}

TfLiteStatus take_nodes(TfLiteContext* context, TfLiteDelegate* delegate) {
    return guarded(context, [=] {
        TfLiteIntArray* plan;
        if (context->GetExecutionPlan(context, &plan)) throw failed("LiteRT does not show its plan");
        std::vector<int> taken;
        for (int i = 0; i < plan->size; ++i) {
            TfLiteNode* node;
            TfLiteRegistration* registration;
            if (context->GetNodeAndRegistration(context, plan->data[i], &node, &registration)) {
                throw failed("LiteRT does not show a node");
            }
            if (code_of(*context, *node, *registration)) taken.push_back(plan->data[i]);
        }
        TfLiteRegistration kernel = {};
        kernel.init = kernel_init;
        kernel.free = kernel_free;
        kernel.prepare = kernel_prepare;
        kernel.invoke = kernel_invoke;
        kernel.custom_name = "delegate";
        kernel.version = 1;
        const std::vector<int> nodes = counted(taken);
        const auto* listed = reinterpret_cast<const TfLiteIntArray*>(nodes.data());
        if (context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, listed, delegate)) {
            throw failed("LiteRT does not give nodes");
        }
    });
}

}  // namespace

// `keys` and `values` are the options of the selector, litert:delegate=LIBRARY,KEY=VALUE. This delegate has no options.
TfLiteDelegate* tflite_plugin_create_delegate(char** keys, char**, std::size_t count, void (*report_error)(const char*)) {
    if (count) {
        if (report_error) report_error(("there is no option " + std::string(keys[0])).c_str());
        return nullptr;
    }
    auto* delegate = new (std::nothrow) TfLiteDelegate();
    if (delegate) delegate->Prepare = take_nodes;
    return delegate;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) { delete delegate; }
