// Executions, bursts, events and fences: docs/contract/c-api.md 1.4.
#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "objects.h"
#include "validator.h"

namespace {

using Execution = ANeuralNetworksExecution;

// The arguments of an execution, with a mark for each that has been set.
struct Side {
    std::vector<Argument>& arguments;
    std::vector<bool>& set;
    const Integers& operands;
};

Side side_of(Execution& execution, bool is_input) {
    const Subgraph& main = execution.compilation->model.main;
    if (is_input) return {execution.request.inputs, execution.inputs_set, main.inputs};
    return {execution.request.outputs, execution.outputs_set, main.outputs};
}

Execution& open_execution(Execution* execution) {
    require_pointers(execution);
    const std::lock_guard<std::mutex> lock(execution->mutex);
    require(execution->state == Execution::State::prepared, ANEURALNETWORKS_BAD_STATE);
    return *execution;
}

void set_argument(Execution* execution, bool is_input, std::int32_t index, const ANeuralNetworksOperandType* type,
                  const Memory* memory, std::size_t offset, std::size_t length) {
    const Side side = side_of(open_execution(execution), is_input);
    require(index >= 0 && static_cast<std::size_t>(index) < side.operands.size(), ANEURALNETWORKS_BAD_DATA);
    const auto place = static_cast<std::size_t>(index);
    require(!side.set[place], ANEURALNETWORKS_BAD_STATE);
    const auto& operands = execution->compilation->model.main.operands;
    const Operand& operand = operands[static_cast<std::size_t>(side.operands[place])];
    require(!type || type->type == operand.type, ANEURALNETWORKS_BAD_DATA);
    Argument argument;
    argument.has_no_value = !memory;
    if (type) argument.dimensions.assign(type->dimensions, type->dimensions + type->dimensionCount);
    if (memory) {
        Location& at = argument.location;
        at = {static_cast<std::int64_t>(execution->request.pools.size()), static_cast<std::int64_t>(offset),
              static_cast<std::int64_t>(length), 0};
        const OperandTypeInfo* info = operand_type(operand.type);
        const Integers& dimensions = argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
        const bool is_known = info && (!info->is_tensor || fully_known(dimensions));
        const std::int64_t bytes = is_known ? byte_size(*info, dimensions) : 0;
        if (execution->is_padded && bytes > 0 && at.length > bytes) {
            at.padding = at.length - bytes;
            at.length = bytes;
        }
        execution->request.pools.push_back(*memory);
    }
    validate_argument(execution->request, argument, operand, !is_input);
    side.arguments[place] = argument;
    side.set[place] = true;
}

void set_buffer(Execution* execution, bool is_input, std::int32_t index, const ANeuralNetworksOperandType* type,
                const void* buffer, std::size_t length) {
    require(buffer || !length, ANEURALNETWORKS_UNEXPECTED_NULL);
    Memory memory;
    memory.kind = Memory::Kind::address;
    memory.size = static_cast<std::int64_t>(length);
    memory.address = static_cast<char*>(const_cast<void*>(buffer));
    set_argument(execution, is_input, index, type, buffer ? &memory : nullptr, 0, length);
}

void set_memory(Execution* execution, bool is_input, std::int32_t index, const ANeuralNetworksOperandType* type,
                const ANeuralNetworksMemory* memory, std::size_t offset, std::size_t length) {
    require_pointers(memory);
    set_argument(execution, is_input, index, type, &memory->memory, offset, length);
}

// Marks the execution as started, so that no other thread can run it. Throws if it is not ready.
void begin(Execution& execution, bool outputs_may_be_unknown) {
    const std::lock_guard<std::mutex> lock(execution.mutex);
    const bool is_free = execution.state == Execution::State::prepared ||
                         (execution.state == Execution::State::done && execution.is_reusable);
    require(is_free, ANEURALNETWORKS_BAD_STATE);
    for (const auto* set : {&execution.inputs_set, &execution.outputs_set}) {
        require(std::find(set->begin(), set->end(), false) == set->end(), ANEURALNETWORKS_BAD_DATA);
    }
    validate_execution(execution.compilation->model, execution.request, execution.config, NNVET_NO_DEADLINE,
                       outputs_may_be_unknown);
    execution.state = Execution::State::running;
    execution.launched_ns = now_ns();
}

// Returns the time after a duration from now, or the largest time if it would overflow.
std::int64_t after_ns(std::uint64_t duration) {
    const std::int64_t now = now_ns(), last = std::numeric_limits<std::int64_t>::max();
    return duration < static_cast<std::uint64_t>(last - now) ? now + static_cast<std::int64_t>(duration) : last;
}

// Waits for `fences`, computes, and ends the execution.
int perform(Execution& execution, const Descriptors& fences, std::int64_t deadline_ns) {
    ExecutionResult outputs;
    std::int64_t fenced_ns = now_ns();
    const int result = answer([&] {
        for (const DescriptorPtr& fence : fences) wait_for_fence(*fence, deadline_ns, Descriptor(-1));
        fenced_ns = now_ns();
        outputs = execution.compilation->prepared->execute(execution.request);
        require(outputs.is_sufficient(), ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    });
    const std::lock_guard<std::mutex> lock(execution.mutex);
    execution.outputs = std::move(outputs);
    execution.result = result;
    execution.fenced_ns = fenced_ns;
    execution.ended_ns = now_ns();
    execution.state = Execution::State::done;
    return result;
}

int compute(Execution& execution) {
    begin(execution, true);
    return perform(execution, {}, NNVET_NO_DEADLINE);
}

// Runs the execution on a new thread. If no thread can be started, the execution fails.
template <typename Run>
std::shared_future<int> launch(Execution& execution, Run run) {
    try {
        return std::async(std::launch::async, std::move(run)).share();
    } catch (const std::system_error&) {
        const std::lock_guard<std::mutex> lock(execution.mutex);
        execution.result = ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
        execution.state = Execution::State::done;
        throw;
    }
}

const OutputShape& output_of(Execution* execution, std::int32_t index) {
    require_pointers(execution);
    const std::lock_guard<std::mutex> lock(execution->mutex);
    const bool is_known = execution->state == Execution::State::done &&
                          (execution->result == ANEURALNETWORKS_NO_ERROR ||
                           execution->result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    require(is_known, ANEURALNETWORKS_BAD_STATE);
    const auto& shapes = execution->outputs.shapes;
    require(index >= 0 && static_cast<std::size_t>(index) < shapes.size(), ANEURALNETWORKS_BAD_DATA);
    return shapes[static_cast<std::size_t>(index)];
}

int sufficiency(const OutputShape& shape) {
    return shape.is_sufficient ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

}  // namespace

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution** execution) {
    return answer([=] {
        require_pointers(compilation, execution);
        *execution = nullptr;
        require(compilation->prepared != nullptr, ANEURALNETWORKS_BAD_STATE);
        auto made = std::make_unique<Execution>();
        made->compilation = compilation;
        const std::size_t inputs = compilation->model.main.inputs.size(), outputs = compilation->model.main.outputs.size();
        made->request.inputs.resize(inputs);
        made->request.outputs.resize(outputs);
        made->inputs_set.resize(inputs);
        made->outputs_set.resize(outputs);
        *execution = made.release();
    });
}
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution) { delete execution; }

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, std::int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer, std::size_t length) {
    return answer([=] { set_buffer(execution, true, index, type, buffer, length); });
}
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, std::int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer, std::size_t length) {
    return answer([=] { set_buffer(execution, false, index, type, buffer, length); });
}
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, std::int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, std::size_t offset,
                                                std::size_t length) {
    return answer([=] { set_memory(execution, true, index, type, memory, offset, length); });
}
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, std::int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, std::size_t offset,
                                                 std::size_t length) {
    return answer([=] { set_memory(execution, false, index, type, memory, offset, length); });
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable) {
    return answer([=] { open_execution(execution).is_reusable = reusable; });
}
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure) {
    return answer([=] { open_execution(execution).config.measure_timing = measure; });
}
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, std::uint64_t duration) {
    return answer([=] { open_execution(execution).timeout_ns = duration; });
}
// Accepted and ignored: this driver has no loops.
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, std::uint64_t) {
    return answer([=] { open_execution(execution); });
}
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable) {
    return answer([=] {
        require(open_execution(execution).request.pools.empty(), ANEURALNETWORKS_BAD_STATE);
        execution->is_padded = enable;
    });
}
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution* execution, const char* extension,
                                                   std::uint16_t, const void*, std::size_t) {
    return answer([=] { require_pointers(extension), open_execution(execution); });
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
    return answer([=] {
        require_pointers(execution);
        const int result = compute(*execution);
        require(result == ANEURALNETWORKS_NO_ERROR, result);
    });
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst) {
    return answer([=] {
        require_pointers(compilation, burst);
        require(compilation->prepared != nullptr, ANEURALNETWORKS_BAD_STATE);
        *burst = new ANeuralNetworksBurst{compilation};
    });
}
void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst) { delete burst; }

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
    return answer([=] {
        require_pointers(execution, burst);
        require(burst->compilation == execution->compilation, ANEURALNETWORKS_BAD_DATA);
        require(!burst->is_busy.exchange(true), ANEURALNETWORKS_BAD_STATE);
        const int result = ANeuralNetworksExecution_compute(execution);
        burst->is_busy = false;
        require(result == ANEURALNETWORKS_NO_ERROR, result);
    });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event) {
    return answer([=] {
        require_pointers(execution, event);
        *event = nullptr;
        auto made = std::make_unique<ANeuralNetworksEvent>();
        begin(*execution, true);
        made->result = launch(*execution, [execution] { return perform(*execution, {}, NNVET_NO_DEADLINE); });
        *event = made.release();
    });
}

// The duration is not checked: completing late is allowed (docs/contract/hal.md 6.6).
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          std::uint32_t count, std::uint64_t,
                                                          ANeuralNetworksEvent** event) {
    return answer([=] {
        require_pointers(execution, event);
        require(dependencies || !count, ANEURALNETWORKS_UNEXPECTED_NULL);
        *event = nullptr;
        Descriptors fences;
        std::vector<std::shared_future<int>> results;
        for (std::uint32_t i = 0; i < count; ++i) {
            require_pointers(dependencies[i]);
            if (dependencies[i]->fence) fences.push_back(dependencies[i]->fence);
            else results.push_back(dependencies[i]->result);
        }
        const auto fence = std::make_shared<Fence>();
        auto made = std::make_unique<ANeuralNetworksEvent>();
        made->fence = fence->receiving_end();
        fence->sent();
        begin(*execution, false);
        const std::int64_t deadline_ns = execution->timeout_ns ? after_ns(execution->timeout_ns) : NNVET_NO_DEADLINE;
        made->result = launch(*execution, [=] {
            for (const auto& other : results) other.wait();
            const int result = perform(*execution, fences, deadline_ns);
            if (result == ANEURALNETWORKS_NO_ERROR) fence->signal();
            else fence->abandon();
            return result;
        });
        *event = made.release();
    });
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, std::int32_t code,
                                         std::uint64_t* duration) {
    return answer([=] {
        require_pointers(execution, duration);
        *duration = UINT64_MAX;
        require(code >= ANEURALNETWORKS_DURATION_ON_HARDWARE && code <= ANEURALNETWORKS_DURATION_FENCED_IN_DRIVER,
                ANEURALNETWORKS_BAD_DATA);
        const std::lock_guard<std::mutex> lock(const_cast<Execution*>(execution)->mutex);
        const bool is_known = execution->state == Execution::State::done && execution->config.measure_timing &&
                              execution->result == ANEURALNETWORKS_NO_ERROR;
        require(is_known, ANEURALNETWORKS_BAD_STATE);
        // The device is the processor: its time begins when the fences have signalled.
        const bool since_launch = code == ANEURALNETWORKS_DURATION_IN_DRIVER;
        *duration = static_cast<std::uint64_t>(execution->ended_ns - (since_launch ? execution->launched_ns : execution->fenced_ns));
    });
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, std::int32_t index,
                                                  std::uint32_t* rank) {
    return answer([=] {
        require_pointers(rank);
        const OutputShape& shape = output_of(execution, index);
        *rank = static_cast<std::uint32_t>(shape.dimensions.size());
        require(shape.is_sufficient, sufficiency(shape));
    });
}
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, std::int32_t index,
                                                        std::uint32_t* dimensions) {
    return answer([=] {
        require_pointers(dimensions);
        const OutputShape& shape = output_of(execution, index);
        require(!shape.dimensions.empty(), ANEURALNETWORKS_BAD_DATA);
        std::copy(shape.dimensions.begin(), shape.dimensions.end(), dimensions);
        require(shape.is_sufficient, sufficiency(shape));
    });
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int fence, ANeuralNetworksEvent** event) {
    return answer([=] {
        require_pointers(event);
        *event = nullptr;
        const auto own = std::make_shared<Descriptor>(fence > 0 ? fcntl(fence, F_DUPFD_CLOEXEC, 0) : -1);
        require(own->fd() >= 0, ANEURALNETWORKS_BAD_DATA);
        *event = new ANeuralNetworksEvent{{}, own};
    });
}
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* fence) {
    return answer([=] {
        require_pointers(event, fence);
        *fence = event->fence ? fcntl(event->fence->fd(), F_DUPFD_CLOEXEC, 0) : -1;
        require(*fence >= 0, ANEURALNETWORKS_BAD_DATA);
    });
}
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
    return answer([=] {
        require_pointers(event);
        if (!event->result.valid()) return wait_for_fence(*event->fence, NNVET_NO_DEADLINE, Descriptor(-1));
        require(event->result.get() == ANEURALNETWORKS_NO_ERROR, event->result.get());
    });
}
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) {
    if (event && event->result.valid()) event->result.wait();  // the execution uses objects that the client frees next
    delete event;
}
