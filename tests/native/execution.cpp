// Executions, events and fences.
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "objects.h"

// Of faults.c, where that is linked, too.
extern "C" __attribute__((weak)) void nnvet_fault_at_execution(void);

namespace {
const Operand* argumentOperand(ANeuralNetworksExecution* execution, bool isInput, int32_t index) {
    const ANeuralNetworksModel& model = *execution->compilation->model;
    const std::vector<uint32_t>& listed = isInput ? model.inputs : model.outputs;
    return index < 0 || static_cast<size_t>(index) >= listed.size() ? nullptr : &model.operands[listed[index]];
}

int setArgument(ANeuralNetworksExecution* execution, bool isInput, int32_t index,
                const ANeuralNetworksOperandType* type, const Argument& given) {
    const Operand* operand = argumentOperand(execution, isInput, index);
    if (operand == nullptr) return ANEURALNETWORKS_BAD_DATA;
    if (execution->state != State::New) return ANEURALNETWORKS_BAD_STATE;
    Argument& argument = (isInput ? execution->inputs : execution->outputs)[index];
    if (argument.isSet) return ANEURALNETWORKS_BAD_STATE;
    Operand described = *operand;
    if (type != nullptr) {
        std::vector<uint32_t> dimensions(type->dimensions, type->dimensions + type->dimensionCount);
        if (type->type != operand->type || !combine(operand->dimensions, dimensions, described.dimensions))
            return ANEURALNETWORKS_BAD_DATA;
        uint64_t bytes = 1;
        for (uint32_t dimension : dimensions)
            if (dimension != 0 && (bytes *= dimension) > UINT32_MAX) return ANEURALNETWORKS_BAD_DATA;
    }
    if (!given.isOmitted) {
        if (isInput && !described.isKnown()) return ANEURALNETWORKS_BAD_DATA;
        uint64_t bytes = described.bytes();
        bool isDevice = given.memory != nullptr && given.memory->isOfDevice;
        if (bytes > UINT32_MAX) return ANEURALNETWORKS_BAD_DATA;
        if (!isDevice && bytes != 0 && (given.length < bytes || (given.length > bytes && !execution->isPadded)))
            return ANEURALNETWORKS_BAD_DATA;
    }
    argument = given;
    argument.isSet = execution->hasArguments = true;
    argument.dimensions = described.dimensions;
    return 0;
}

// A device that refuses late takes a wrong argument, and fails when the execution runs.
int keptOrLate(ANeuralNetworksExecution* execution, bool isInput, int32_t index, int result) {
    bool isKnown = argumentOperand(execution, isInput, index) != nullptr;
    if (result != ANEURALNETWORKS_BAD_DATA || !isKnown || !execution->compilation->device->isLate) return result;
    (isInput ? execution->inputs : execution->outputs)[index].isSet = true;
    execution->lateError = result;
    return 0;
}

int setBuffer(ANeuralNetworksExecution* execution, bool isInput, int32_t index, const ANeuralNetworksOperandType* type,
              void* buffer, size_t length) {
    if (buffer == nullptr && length != 0) return ANEURALNETWORKS_UNEXPECTED_NULL;
    Argument argument;
    argument.isOmitted = buffer == nullptr;
    argument.pointer = static_cast<uint8_t*>(buffer);
    argument.length = length;
    return keptOrLate(execution, isInput, index, setArgument(execution, isInput, index, type, argument));
}

int checkedMemory(ANeuralNetworksExecution* execution, bool isInput, int32_t index,
                  const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
    if (memory == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    Argument argument;
    argument.used = memory;
    argument.memory = const_cast<ANeuralNetworksMemory*>(memory);
    argument.offset = offset;
    argument.length = length;
    if (memory->isOfDevice) {
        auto role = std::make_tuple(execution->compilation, isInput, static_cast<uint32_t>(index));
        if (offset != 0 || length != 0 || std::count(memory->roles.begin(), memory->roles.end(), role) == 0)
            return ANEURALNETWORKS_BAD_DATA;
        std::vector<Argument> others = execution->inputs;
        others.insert(others.end(), execution->outputs.begin(), execution->outputs.end());
        for (const Argument& other : others)
            if (!isInput && other.isSet && other.memory == memory) return ANEURALNETWORKS_BAD_DATA;
        if (type != nullptr) {
            std::vector<uint32_t> given(type->dimensions, type->dimensions + type->dimensionCount), all;
            if (!combine(given, memory->allocated, all)) return ANEURALNETWORKS_BAD_DATA;
        }
    } else if (offset > memory->size || length > memory->size - offset || length == 0) {
        return ANEURALNETWORKS_BAD_DATA;
    }
    return setArgument(execution, isInput, index, type, argument);
}

int setMemory(ANeuralNetworksExecution* execution, bool isInput, int32_t index, const ANeuralNetworksOperandType* type,
              const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
    int result = checkedMemory(execution, isInput, index, type, memory, offset, length);
    return keptOrLate(execution, isInput, index, result);
}

uint8_t* bytesOf(Argument& argument, bool isWritten) {
    if (argument.memory == nullptr) return argument.pointer;
    if (argument.memory->isOfDevice) return argument.memory->content.data();
    if (!(argument.memory->protection & (isWritten ? PROT_WRITE : PROT_READ)))
        dieOf("memory has no protection that allows its use");
    uint8_t* mapped = argument.memory->map();
    return mapped == nullptr ? nullptr : mapped + argument.offset;
}

// A function of its own, which stacks show by name.
__attribute__((noinline)) void plant(Fault fault) {
    if (fault == Fault::Segfault) *reinterpret_cast<volatile int*>(8) = 1;
    for (volatile bool isStuck = fault == Fault::Loop; isStuck;) {
    }
    // Grows until the process is ended for it.
    static std::vector<char*> forgotten;
    while (fault == Fault::Leak) {
        constexpr size_t kBytes = 16 << 20;
        forgotten.push_back(new char[kBytes]);
        std::memset(forgotten.back(), 1, kBytes);
        usleep(10000);
    }
    if (fault == Fault::Drip) {
        constexpr size_t kBytes = 64 << 10;
        std::memset(forgotten.emplace_back(new char[kBytes]), 1, kBytes);
    }
    if (fault == Fault::Duplicate) dup(0);
    for (int other = 3; fault == Fault::Close && other < 4096; ++other) close(other);
}

int readInputs(ANeuralNetworksExecution& execution, std::vector<Value>& values) {
    const ANeuralNetworksModel& model = *execution.compilation->model;
    if (int error = readConstants(model, values)) return error;
    for (size_t i = 0; i < model.inputs.size(); ++i) {
        Argument& argument = execution.inputs[i];
        if (argument.isOmitted) continue;
        Value& value = values[model.inputs[i]];
        value.dimensions = argument.dimensions;
        if (argument.memory != nullptr && argument.memory->isOfDevice) {
            if (!argument.memory->isInitialised) return ANEURALNETWORKS_OP_FAILED;
            value.dimensions = argument.memory->dimensions;
        }
        const uint8_t* bytes = bytesOf(argument, false);
        if (bytes == nullptr) return ANEURALNETWORKS_UNMAPPABLE;
        Operand described = model.operands[model.inputs[i]];
        described.dimensions = value.dimensions;
        value.own.assign(bytes, bytes + described.bytes());
        value.data = value.own.data();
    }
    return 0;
}

int writeOutputs(ANeuralNetworksExecution& execution, std::vector<Value>& values) {
    const ANeuralNetworksModel& model = *execution.compilation->model;
    int result = 0;
    for (size_t i = 0; i < model.outputs.size(); ++i) {
        Argument& argument = execution.outputs[i];
        Value& value = values[model.outputs[i]];
        std::vector<uint32_t> all;
        if (!argument.dimensions.empty() && !combine(argument.dimensions, value.dimensions, all))
            return ANEURALNETWORKS_OP_FAILED;
        argument.found = value.dimensions;
        argument.isSufficient = true;
        if (argument.isOmitted) continue;
        bool isDevice = argument.memory != nullptr && argument.memory->isOfDevice;
        size_t space = isDevice ? argument.memory->size : argument.length;
        if (value.own.size() > space) {
            if (isDevice) return ANEURALNETWORKS_OP_FAILED;
            argument.isSufficient = false;
            result = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
            continue;
        }
        uint8_t* place = bytesOf(argument, true);
        if (place == nullptr) return ANEURALNETWORKS_UNMAPPABLE;
        if (!value.own.empty()) std::memcpy(place, value.own.data(), value.own.size());
        if (execution.compilation->device->fault == Fault::Wrong && !value.own.empty()) place[value.own.size() - 1] ^= 0x41;
        if (isDevice) argument.memory->dimensions = value.dimensions;
    }
    return result;
}

int compute(ANeuralNetworksExecution& execution) {
    const ANeuralNetworksModel& model = *execution.compilation->model;
    if (execution.lateError != 0) return execution.lateError;
    for (const std::vector<Argument>* side : {&execution.inputs, &execution.outputs})
        for (const Argument& argument : *side)
            if (!argument.isSet) return ANEURALNETWORKS_BAD_DATA;
    plant(execution.compilation->device->fault);
    if (nnvet_fault_at_execution) nnvet_fault_at_execution();
    if (execution.compilation->device->fault == Fault::Status) return ANEURALNETWORKS_OP_FAILED;
    uint64_t started = nowNs();
    std::vector<Value> values(model.operands.size());
    int result = readInputs(execution, values);
    for (size_t i = 0; result == 0 && i < model.sorted.size(); ++i)
        result = runOperation(model, model.sorted[i], values, execution.loopTimeout);
    if (result == 0) result = writeOutputs(execution, values);
    for (Argument& argument : execution.outputs)
        if (argument.memory != nullptr && argument.memory->isOfDevice) argument.memory->isInitialised = result == 0;
    execution.onHardware = nowNs() - started;
    return result;
}

bool begin(ANeuralNetworksExecution& execution, int& error) {
    std::lock_guard<std::mutex> lock(execution.mutex);
    error = execution.state == State::Running || (execution.state == State::Done && !execution.isReusable)
                ? ANEURALNETWORKS_BAD_STATE
                : 0;
    if (error == 0) execution.state = State::Running;
    return error == 0;
}

int finishRun(ANeuralNetworksExecution& execution, uint64_t launched, uint64_t fenced) {
    int result = compute(execution);
    std::lock_guard<std::mutex> lock(execution.mutex);
    uint64_t now = nowNs();
    execution.inDriver = now - launched;
    execution.fencedInDriver = now - fenced;
    execution.result = result;
    execution.state = State::Done;
    return result;
}

int fail(ANeuralNetworksExecution& execution, int result) {
    std::lock_guard<std::mutex> lock(execution.mutex);
    execution.result = result;
    execution.state = State::Done;
    return result;
}

bool isComplete(const ANeuralNetworksExecution& execution) {
    if (execution.compilation->device->isLate) return true;
    for (const std::vector<Argument>* side : {&execution.inputs, &execution.outputs})
        for (const Argument& argument : *side)
            if (!argument.isSet) return false;
    return true;
}

void endEvent(ANeuralNetworksEvent& event, int result) {
    std::lock_guard<std::mutex> lock(event.mutex);
    event.result = result;
    event.isDone = true;
    if (event.signal >= 0) {
        char byte = 0;
        // With nothing left unread the fence ends in peace; otherwise it is in its error state.
        if (result == 0) (void)!write(event.signal, &byte, 1), (void)!read(event.signal, &byte, 1);
        close(event.signal);
        event.signal = -1;
    }
    event.ended.notify_all();
}

// 0 once a fence has signalled, an error if it cannot or does not before the time (0: none).
int waitForFence(int fence, uint64_t deadline) {
    pollfd entry{fence, POLLIN, 0};
    int64_t left = deadline == 0 ? -1 : std::max<int64_t>(0, (static_cast<int64_t>(deadline - nowNs()) + 999999) / 1000000);
    int ready = poll(&entry, 1, static_cast<int>(std::min<int64_t>(left, INT32_MAX)));
    if (ready == 0) return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
    return ready < 0 || (entry.revents & (POLLERR | POLLNVAL)) != 0 ? ANEURALNETWORKS_OP_FAILED : 0;
}

void makeFence(ANeuralNetworksEvent& event) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    char byte = 0;
    (void)!write(ends[0], &byte, 1);
    shutdown(ends[0], SHUT_WR);
    event.fence = ends[0];
    event.signal = ends[1];
}
}  // namespace

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution** execution) {
    if (!compilation->isValid) return ANEURALNETWORKS_BAD_STATE;
    *execution = new ANeuralNetworksExecution(compilation);
    (*execution)->inputs.resize(compilation->model->inputs.size());
    (*execution)->outputs.resize(compilation->model->outputs.size());
    return 0;
}
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution) { delete execution; }

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer, size_t length) {
    return setBuffer(execution, true, index, type, const_cast<void*>(buffer), length);
}
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer, size_t length) {
    return setBuffer(execution, false, index, type, buffer, length);
}
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
    return setMemory(execution, true, index, type, memory, offset, length);
}
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
    return setMemory(execution, false, index, type, memory, offset, length);
}

#define SETTER(name, type, statement)                                                            \
    int ANeuralNetworksExecution_##name(ANeuralNetworksExecution* execution, type value) {       \
        if (execution->state != State::New) return ANEURALNETWORKS_BAD_STATE;                    \
        statement;                                                                               \
        return 0;                                                                                \
    }
SETTER(setLoopTimeout, uint64_t, execution->loopTimeout = std::min(value, ANeuralNetworks_getMaximumLoopTimeout()))
SETTER(setMeasureTiming, bool, execution->isMeasured = value)
SETTER(setReusable, bool, execution->isReusable = value)
SETTER(setTimeout, uint64_t, execution->timeout = value)
SETTER(enableInputAndOutputPadding, bool, if (execution->hasArguments) return ANEURALNETWORKS_BAD_STATE;
       execution->isPadded = value)
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution*, const char*, uint16_t, const void*, size_t) {
    return 0;
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
    int error;
    uint64_t launched = nowNs();
    return begin(*execution, error) ? finishRun(*execution, launched, launched) : error;
}
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
    if (burst == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (burst->compilation != execution->compilation) return ANEURALNETWORKS_BAD_DATA;
    if (burst->isBusy.exchange(true)) return ANEURALNETWORKS_BAD_STATE;
    int result = ANeuralNetworksExecution_compute(execution);
    burst->isBusy = false;
    return result;
}
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event) {
    int error;
    *event = nullptr;
    if (!isComplete(*execution)) return ANEURALNETWORKS_BAD_DATA;
    if (!begin(*execution, error)) return error;
    auto* started = new ANeuralNetworksEvent;
    uint64_t launched = nowNs();
    started->thread = std::thread([=] { endEvent(*started, finishRun(*execution, launched, launched)); });
    *event = started;
    return 0;
}
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t count, uint64_t duration,
                                                          ANeuralNetworksEvent** event) {
    int error;
    if (event == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    *event = nullptr;
    const ANeuralNetworksModel& model = *execution->compilation->model;
    if (!isComplete(*execution)) return ANEURALNETWORKS_BAD_DATA;
    for (size_t i = 0; i < model.outputs.size(); ++i) {
        bool isOmitted = execution->outputs[i].isOmitted || !model.operands[model.outputs[i]].isTensor();
        if (isOmitted || isFullyKnown(execution->outputs[i].dimensions)) continue;
        if (!execution->compilation->device->isLate) return ANEURALNETWORKS_BAD_DATA;
        execution->lateError = ANEURALNETWORKS_BAD_DATA;
    }
    if (!begin(*execution, error)) return error;
    auto* started = new ANeuralNetworksEvent;
    makeFence(*started);
    std::vector<int> fences;
    for (uint32_t i = 0; i < count; ++i) fences.push_back(dup(dependencies[i]->fence));
    uint64_t launched = nowNs(), deadline = execution->timeout == 0 ? 0 : launched + execution->timeout;
    started->thread = std::thread([=] {
        int result = 0;
        for (int fence : fences) {
            if (result == 0) result = waitForFence(fence, deadline);
            close(fence);
        }
        uint64_t fenced = nowNs();
        result = result == 0 ? finishRun(*execution, launched, fenced) : fail(*execution, result);
        // Nobody can be told of an output that is too small.
        if (result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) result = fail(*execution, ANEURALNETWORKS_OP_FAILED);
        if (result == 0 && duration != 0 && nowNs() - fenced > duration)
            result = fail(*execution, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
        endEvent(*started, result);
    });
    *event = started;
    return 0;
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t code, uint64_t* duration) {
    *duration = UINT64_MAX;
    if (execution->state != State::Done || execution->result != 0 || !execution->isMeasured)
        return ANEURALNETWORKS_BAD_STATE;
    switch (code) {
        case ANEURALNETWORKS_DURATION_IN_DRIVER: *duration = execution->inDriver; return 0;
        case ANEURALNETWORKS_DURATION_FENCED_IN_DRIVER: *duration = execution->fencedInDriver; return 0;
        case ANEURALNETWORKS_DURATION_ON_HARDWARE:
        case ANEURALNETWORKS_DURATION_FENCED_ON_HARDWARE: *duration = execution->onHardware; return 0;
        default: return ANEURALNETWORKS_BAD_DATA;
    }
}
static int outputOf(ANeuralNetworksExecution* execution, int32_t index, const Argument** output) {
    if (execution->state != State::Done) return ANEURALNETWORKS_BAD_STATE;
    if (execution->result != 0 && execution->result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
        return ANEURALNETWORKS_BAD_STATE;
    if (index < 0 || static_cast<size_t>(index) >= execution->outputs.size()) return ANEURALNETWORKS_BAD_DATA;
    *output = &execution->outputs[index];
    return (*output)->isSufficient ? 0 : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index, uint32_t* rank) {
    const Argument* output = nullptr;
    int result = outputOf(execution, index, &output);
    if (output != nullptr) *rank = output->found.size();
    return result;
}
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index,
                                                        uint32_t* dimensions) {
    const Argument* output = nullptr;
    int result = outputOf(execution, index, &output);
    if (output == nullptr) return result;
    std::copy(output->found.begin(), output->found.end(), dimensions);
    return output->found.empty() ? ANEURALNETWORKS_BAD_DATA : result;
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int fence, ANeuralNetworksEvent** event) {
    *event = nullptr;
    int own = fence <= 0 ? -1 : dup(fence);
    if (own < 0) return ANEURALNETWORKS_BAD_DATA;
    *event = new ANeuralNetworksEvent;
    (*event)->fence = own;
    (*event)->isDone = true;
    return 0;
}
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* fence) {
    *fence = event->fence >= 0 ? dup(event->fence) : -1;
    return *fence >= 0 ? 0 : ANEURALNETWORKS_BAD_DATA;
}
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
    std::unique_lock<std::mutex> lock(event->mutex);
    event->ended.wait(lock, [=] { return event->isDone; });
    return event->result;
}
ANeuralNetworksEvent::~ANeuralNetworksEvent() {
    if (thread.joinable()) thread.join();
    if (fence >= 0) close(fence);
}
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) { delete event; }
