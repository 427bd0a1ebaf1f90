#include "driver.h"

#include <algorithm>

#include "building.h"
#include "fences.h"
#include "tables.h"

namespace {

// Largest rank that is believed: for more, the answer of the library is taken as an error, and nothing is allocated.
constexpr std::uint32_t kMostDimensions = 1u << 16;
constexpr int kPriorities[] = {ANEURALNETWORKS_PRIORITY_LOW, ANEURALNETWORKS_PRIORITY_MEDIUM, ANEURALNETWORKS_PRIORITY_HIGH};

// Returns the time until a deadline. Throws if it has passed, because the C API takes a duration of 0 as no deadline.
std::uint64_t left_until(std::int64_t deadline_ns) {
    const std::int64_t left = deadline_ns - now_ns();
    if (left <= 0) throw Failure(NNVET_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT, "the deadline has passed", "execution/deadline");
    return static_cast<std::uint64_t>(left);
}

bool is_answered(int result, const char* function) {
    if (result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) nnapi::check(result, function);
    return result == ANEURALNETWORKS_NO_ERROR;
}

OutputShape shape_of(ANeuralNetworksExecution* execution, std::int32_t index) {
    std::uint32_t rank = 0;
    OutputShape shape;
    shape.is_sufficient = is_answered(NN(Execution_getOutputOperandRank)(execution, index, &rank), "getOutputOperandRank");
    if (rank > kMostDimensions) throw failed("an output has rank " + std::to_string(rank), "driver/reply");
    if (!rank) return shape;
    std::vector<std::uint32_t> dimensions(rank);
    shape.is_sufficient &= is_answered(NN(Execution_getOutputOperandDimensions)(execution, index, dimensions.data()), "getOutputOperandDimensions");
    shape.dimensions.assign(dimensions.begin(), dimensions.end());
    return shape;
}

}  // namespace

struct PreparedModel::Compiled {
    explicit Compiled(const Model& model) : built(model), compilation(nullptr, NN(Compilation_free)) {}

    // Sets an input or an output. The two functions of the C API differ only in that outputs are written.
    template <typename Set, typename SetFromMemory>
    void set(ANeuralNetworksExecution* execution, const Memories& memories, std::int32_t position, const Operand& operand,
             const Argument& argument, Set set, SetFromMemory set_from_memory) const {
        if (argument.has_no_value) return nnapi::check(set(execution, position, nullptr, nullptr, 0), "setting an omitted argument");
        const OperandTypeInfo* const known = operand_type(operand.type);
        const std::vector<std::uint32_t> dimensions(argument.dimensions.begin(), argument.dimensions.end());
        const bool is_given = !dimensions.empty() && known && known->is_tensor;
        const ANeuralNetworksOperandType type = built.type(operand, dimensions);
        const Location& at = argument.location;
        // In the C API, one length covers the data and its padding.
        nnapi::check(set_from_memory(execution, position, is_given ? &type : nullptr, memories[static_cast<std::size_t>(at.pool)].get(),
                                     static_cast<std::size_t>(at.offset), static_cast<std::size_t>(at.length + at.padding)),
                     "setting an argument");
    }

    BuiltModel built;
    nnapi::Owned<ANeuralNetworksCompilation> compilation;
};

bool ExecutionResult::is_sufficient() const {
    return std::all_of(shapes.begin(), shapes.end(), [](const OutputShape& one) { return one.is_sufficient; });
}

std::vector<bool> supported_operations(const Model& model) {
    const BuiltModel built(model);
    const ANeuralNetworksDevice* const device = nnapi::device();
    const std::size_t count = model.main.operations.size();
    const auto answers = std::make_unique<bool[]>(count);
    // The library refuses unsupported models only when it compiles them; the reason is known only here.
    if (has_open_control_flow(model)) PreparedModel(model, {});
    NN_CALL(Model_getSupportedOperationsForDevices, built.pointer(), &device, 1, answers.get());
    return std::vector<bool>(answers.get(), answers.get() + count);
}

PreparedModel::PreparedModel(Model model, const PrepareModelConfig& config) : model_(std::move(model)) {
    auto compiled = std::make_unique<Compiled>(model_);
    const ANeuralNetworksDevice* const device = nnapi::device();
    ANeuralNetworksCompilation* made = nullptr;
    NN_CALL(Compilation_createForDevices, compiled->built.pointer(), &device, 1, &made);
    compiled->compilation.reset(made);
    NN_CALL(Compilation_setPreference, made, static_cast<std::int32_t>(config.preference));
    if (NN_FIND(Compilation_setPriority)) NN_CALL(Compilation_setPriority, made, kPriorities[config.priority]);
    if (config.deadline_ns != NNVET_NO_DEADLINE) {
        const std::uint64_t left = left_until(config.deadline_ns);
        if (NN_FIND(Compilation_setTimeout)) NN_CALL(Compilation_setTimeout, made, left);
    }
    try {
        NN_CALL(Compilation_finish, made);
    } catch (const Failure& failure) {
        const bool is_left_out = failure.status == NNVET_ERROR_STATUS_INVALID_ARGUMENT || failure.status == NNVET_ERROR_STATUS_GENERAL_FAILURE;
        if (is_left_out && has_open_control_flow(model_)) throw invalid("the C API has no control flow on operands of unknown size");
        throw;
    }
    compiled_ = std::move(compiled);
}

PreparedModel::~PreparedModel() = default;

ExecutionResult PreparedModel::execute(const Request& request, const ExecutionConfig& config, std::int64_t deadline_ns) const {
    const Memories memories = memories_of(request.pools);
    ANeuralNetworksExecution* made = nullptr;
    NN_CALL(Execution_create, compiled_->compilation.get(), &made);
    const auto execution = NN_HOLD(Execution, made);
    if (config.measure_timing && NN_FIND(Execution_setMeasureTiming)) NN_CALL(Execution_setMeasureTiming, made, true);
    if (config.loop_timeout_ns != NNVET_NO_DEADLINE && NN_FIND(Execution_setLoopTimeout)) {
        NN_CALL(Execution_setLoopTimeout, made, static_cast<std::uint64_t>(config.loop_timeout_ns));
    }
    const auto is_padded = [](const Argument& one) { return one.location.padding != 0; };
    if (std::any_of(request.inputs.begin(), request.inputs.end(), is_padded) ||
        std::any_of(request.outputs.begin(), request.outputs.end(), is_padded)) {
        NN_CALL(Execution_enableInputAndOutputPadding, made, true);
    }
    const auto operand = [this](std::int64_t index) -> const Operand& { return model_.main.operands[static_cast<std::size_t>(index)]; };
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        compiled_->set(made, memories, static_cast<std::int32_t>(i), operand(model_.main.inputs[i]), request.inputs[i],
                       NN(Execution_setInput), NN(Execution_setInputFromMemory));
    }
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        compiled_->set(made, memories, static_cast<std::int32_t>(i), operand(model_.main.outputs[i]), request.outputs[i],
                       NN(Execution_setOutput), NN(Execution_setOutputFromMemory));
    }
    if (deadline_ns != NNVET_NO_DEADLINE) {
        const std::uint64_t left = left_until(deadline_ns);
        if (NN_FIND(Execution_setTimeout)) NN_CALL(Execution_setTimeout, made, left);
    }
    is_answered(NN(Execution_compute)(made), "the execution");
    ExecutionResult result;
    for (std::size_t i = 0; i < request.outputs.size(); ++i) result.shapes.push_back(shape_of(made, static_cast<std::int32_t>(i)));
    return result;
}
