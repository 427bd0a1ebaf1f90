// Devices, memories, models and compilations: docs/contract/c-api.md 1.4.
#include <fcntl.h>

#include <algorithm>
#include <iterator>

#include "device.h"
#include "objects.h"
#include "validator.h"

namespace {

ANeuralNetworksDevice g_device;

// Returns an operand of an unfinished model.
Operand& variable_operand(ANeuralNetworksModel* model, std::int32_t index) {
    require_pointers(model);
    require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
    auto& operands = model->model.main.operands;
    require(index >= 0 && static_cast<std::size_t>(index) < operands.size(), ANEURALNETWORKS_BAD_DATA);
    return operands[static_cast<std::size_t>(index)];
}

// Returns an operand of an unfinished model without its former value: the caller sets another.
Operand& valueless_operand(ANeuralNetworksModel* model, std::int32_t index) {
    Operand& operand = variable_operand(model, index);
    model->constants.erase(static_cast<std::size_t>(index));
    model->subgraphs.erase(static_cast<std::size_t>(index));
    return operand;
}

// Gives each extension that a model names a prefix. This driver supports no operation of any extension.
std::int32_t extension_code(const char* extension, std::uint16_t code) {
    static std::mutex mutex;
    static std::map<std::string, std::int32_t> prefixes;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto next = static_cast<std::int32_t>(prefixes.size()) + 1;
    require(next < 0x8000 || prefixes.count(extension), ANEURALNETWORKS_BAD_DATA);
    return prefixes.emplace(extension, next).first->second << NNVET_EXTENSION_TYPE_LOW_BITS_TYPE | code;
}

Integers indexes(const std::uint32_t* first, std::uint32_t count) { return Integers(first, first + count); }

void list_operands(Subgraph& graph, const Integers& listed, std::int64_t lifetime) {
    for (std::int64_t index : listed) {
        require(index < static_cast<std::int64_t>(graph.operands.size()), ANEURALNETWORKS_BAD_DATA);
        Operand& operand = graph.operands[static_cast<std::size_t>(index)];
        require(operand.lifetime == NNVET_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE, ANEURALNETWORKS_BAD_DATA);
        operand.lifetime = lifetime;
    }
}

// Copies the constants that the client has passed by pointer: it may change them once the model is finished.
void copy_constants(ANeuralNetworksModel& model) {
    for (const auto& [index, constant] : model.constants) {
        Location& at = model.model.main.operands[index].location;
        at.offset = static_cast<std::int64_t>(model.model.operand_values.size());
        at.length = static_cast<std::int64_t>(constant.length);
        const char* bytes = constant.copy.empty() ? static_cast<const char*>(constant.bytes) : constant.copy.data();
        model.model.operand_values.append(bytes, constant.length);
    }
    model.constants.clear();
}

// Appends a finished model and the models that it refers to; their indexes are shifted behind those already present.
std::int64_t append(Model& whole, const Model& part) {
    const auto values = static_cast<std::int64_t>(whole.operand_values.size());
    const auto pools = static_cast<std::int64_t>(whole.pools.size());
    const auto graphs = static_cast<std::int64_t>(whole.referenced.size());
    whole.referenced.insert(whole.referenced.end(), part.referenced.begin(), part.referenced.end());
    whole.referenced.push_back(part.main);
    whole.operand_values += part.operand_values;
    whole.pools.insert(whole.pools.end(), part.pools.begin(), part.pools.end());
    for (auto graph = whole.referenced.begin() + graphs; graph != whole.referenced.end(); ++graph) {
        for (Operand& operand : graph->operands) {
            if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY) operand.location.offset += values;
            if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_REFERENCE) operand.location.pool += pools;
            if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_SUBGRAPH) operand.location.offset += graphs;
        }
    }
    return static_cast<std::int64_t>(whole.referenced.size()) - 1;
}

// Sorts operations into the order of execution. Operations of a cycle stay at the end, where the validator refuses them.
void sort_operations(ANeuralNetworksModel& model) {
    Subgraph& graph = model.model.main;
    std::vector<bool> known, done(graph.operations.size());
    for (const Operand& operand : graph.operands) {
        known.push_back(operand.lifetime != NNVET_OPERAND_LIFE_TIME_TEMPORARY_VARIABLE &&
                        operand.lifetime != NNVET_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT);
    }
    const auto add = [&](std::size_t place) {
        done[place] = true;
        model.order.push_back(place);
        for (std::int64_t index : graph.operations[place].outputs) known[static_cast<std::size_t>(index)] = true;
    };
    for (bool found = true; found;) {
        found = false;
        for (std::size_t place = 0; place < done.size(); ++place) {
            const Integers& inputs = graph.operations[place].inputs;
            const auto is_known = [&known](std::int64_t index) { return known[static_cast<std::size_t>(index)]; };
            if (done[place] || !std::all_of(inputs.begin(), inputs.end(), is_known)) continue;
            add(place);
            found = true;
        }
    }
    for (std::size_t place = 0; place < done.size(); ++place) {
        if (!done[place]) add(place);
    }
    std::vector<Operation> sorted;
    for (std::size_t place : model.order) sorted.push_back(graph.operations[place]);
    graph.operations = std::move(sorted);
}

ANeuralNetworksCompilation& open_compilation(ANeuralNetworksCompilation* compilation) {
    require_pointers(compilation);
    require(!compilation->is_finished, ANEURALNETWORKS_BAD_STATE);
    return *compilation;
}

int prefer(const ANeuralNetworksCompilation* compilation, const Integers Subgraph::*list, std::uint32_t index,
           std::uint32_t* bytes) {
    return answer([&] {
        require_pointers(compilation, bytes);
        require(compilation->prepared != nullptr, ANEURALNETWORKS_BAD_STATE);
        require(index < (compilation->model.main.*list).size(), ANEURALNETWORKS_BAD_DATA);
        *bytes = 1;  // this driver copies bytes, so it needs neither alignment nor padding
    });
}

}  // namespace

int result_of(nnvet_error_status status) {
    switch (status) {
        case NNVET_ERROR_STATUS_NONE: return ANEURALNETWORKS_NO_ERROR;
        case NNVET_ERROR_STATUS_DEVICE_UNAVAILABLE: return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
        case NNVET_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE: return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
        case NNVET_ERROR_STATUS_INVALID_ARGUMENT: return ANEURALNETWORKS_BAD_DATA;
        case NNVET_ERROR_STATUS_MISSED_DEADLINE_TRANSIENT: return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
        case NNVET_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT: return ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
        case NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT: return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
        case NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_PERSISTENT: return ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
        case NNVET_ERROR_STATUS_DEAD_OBJECT: return ANEURALNETWORKS_DEAD_OBJECT;
        default: return ANEURALNETWORKS_OP_FAILED;
    }
}

// Devices: there is one, without extensions.

int ANeuralNetworks_getDeviceCount(std::uint32_t* count) {
    return answer([=] { require_pointers(count), *count = 1; });
}
int ANeuralNetworks_getDevice(std::uint32_t index, ANeuralNetworksDevice** device) {
    return answer([=] {
        require_pointers(device);
        require(index == 0, ANEURALNETWORKS_BAD_DATA);
        *device = &g_device;
    });
}
std::uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) { return 2000000000; }
std::uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) { return 15000000000; }
std::int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) { return ANEURALNETWORKS_FEATURE_LEVEL_8; }

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name) {
    return answer([=] { require_pointers(device, name), *name = kDeviceName; });
}
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version) {
    return answer([=] { require_pointers(device, version), *version = kDeviceVersion; });
}
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, std::int32_t* type) {
    return answer([=] { require_pointers(device, type), *type = ANEURALNETWORKS_DEVICE_CPU; });
}
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device, std::int64_t* level) {
    return answer([=] { require_pointers(device, level), *level = ANEURALNETWORKS_FEATURE_LEVEL_8; });
}
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device) {
    return answer([=] { require_pointers(device); });
}
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device, const char* name, bool* supported) {
    return answer([=] { require_pointers(device, name, supported), *supported = false; });
}

// Memories. This driver has no device memory, which is optional (docs/contract/hal.md 11.3).

int ANeuralNetworksMemory_createFromFd(std::size_t size, int protection, int descriptor, std::size_t offset,
                                       ANeuralNetworksMemory** memory) {
    return answer([=] {
        require_pointers(memory);
        *memory = nullptr;
        const auto handle = std::make_shared<Descriptor>(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
        require(handle->fd() >= 0, ANEURALNETWORKS_OP_FAILED);
        Memory made;
        made.kind = Memory::Kind::mappable_file;
        made.handle = handle;
        made.size = static_cast<std::int64_t>(size);
        made.protection = protection;
        made.offset = static_cast<std::int64_t>(offset);
        require(made.is_valid(), ANEURALNETWORKS_BAD_DATA);
        *memory = new ANeuralNetworksMemory{made};
    });
}
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer*, ANeuralNetworksMemory** memory) {
    return answer([=] {
        require_pointers(memory);
        *memory = nullptr;
        throw Refused{ANEURALNETWORKS_OP_FAILED};
    });
}
void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) { delete memory; }

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
    return answer([=] {
        require_pointers(desc);
        *desc = nullptr;
        throw Refused{ANEURALNETWORKS_OP_FAILED};
    });
}
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc*) {}
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc*, const ANeuralNetworksCompilation*, std::uint32_t,
                                           float) {
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc*, const ANeuralNetworksCompilation*, std::uint32_t,
                                            float) {
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc*, std::uint32_t, const std::uint32_t*) {
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc*) { return ANEURALNETWORKS_UNEXPECTED_NULL; }
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc*, ANeuralNetworksMemory**) {
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* source, const ANeuralNetworksMemory* destination) {
    return answer([=] {
        require_pointers(source, destination);
        throw Refused{ANEURALNETWORKS_BAD_DATA};  // neither of them is device memory
    });
}

// Models.

int ANeuralNetworksModel_create(ANeuralNetworksModel** model) {
    return answer([=] { require_pointers(model), *model = new ANeuralNetworksModel; });
}
void ANeuralNetworksModel_free(ANeuralNetworksModel* model) { delete model; }

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type) {
    return answer([=] {
        require_pointers(model, type);
        require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
        Operand operand;
        operand.type = type->type;
        operand.dimensions = indexes(type->dimensions, type->dimensionCount);
        operand.scale = type->scale;
        operand.zero_point = type->zeroPoint;
        model->model.main.operands.push_back(operand);
    });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, std::int32_t index, const void* buffer,
                                         std::size_t length) {
    return answer([=] {
        Operand& operand = valueless_operand(model, index);
        require(buffer || !length, ANEURALNETWORKS_UNEXPECTED_NULL);
        operand.lifetime = buffer ? NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY : NNVET_OPERAND_LIFE_TIME_NO_VALUE;
        operand.location = Location();
        if (!buffer) return;
        const bool is_short = length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES;
        const std::string copy = is_short ? std::string(static_cast<const char*>(buffer), length) : std::string();
        model->constants[static_cast<std::size_t>(index)] = {buffer, length, copy};
    });
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, std::int32_t index,
                                                   const ANeuralNetworksMemory* memory, std::size_t offset,
                                                   std::size_t length) {
    return answer([=] {
        Operand& operand = valueless_operand(model, index);
        require_pointers(memory);
        operand.lifetime = NNVET_OPERAND_LIFE_TIME_CONSTANT_REFERENCE;
        operand.location = {static_cast<std::int64_t>(model->model.pools.size()), static_cast<std::int64_t>(offset),
                            static_cast<std::int64_t>(length), 0};
        model->model.pools.push_back(memory->memory);
    });
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, std::int32_t index,
                                                  const ANeuralNetworksModel* value) {
    return answer([=] {
        Operand& operand = valueless_operand(model, index);
        require_pointers(value);
        require(value->is_valid, ANEURALNETWORKS_BAD_STATE);
        operand.lifetime = NNVET_OPERAND_LIFE_TIME_SUBGRAPH;
        operand.location = Location();
        model->subgraphs[static_cast<std::size_t>(index)] = value;
    });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel* model, std::int32_t index,
                                                             const ANeuralNetworksSymmPerChannelQuantParams* params) {
    return answer([=] {
        require_pointers(params);
        Operand& operand = variable_operand(model, index);
        operand.extra = Operand::Extra::channel_quant;
        operand.channel_dim = params->channelDim;
        operand.scales.assign(params->scales, params->scales + params->scaleCount);
    });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, std::int32_t index, const void* data,
                                                 std::size_t length) {
    return answer([=] {
        require(data || !length, ANEURALNETWORKS_UNEXPECTED_NULL);
        variable_operand(model, index).extra = Operand::Extra::extension;
    });
}
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model, const char* extension, std::uint16_t code,
                                                 std::int32_t* type) {
    return answer([=] { require_pointers(model, extension, type), *type = extension_code(extension, code); });
}
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model, const char* extension,
                                                   std::uint16_t code, ANeuralNetworksOperationType* type) {
    return answer([=] { require_pointers(model, extension, type), *type = extension_code(extension, code); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, std::int32_t type, std::uint32_t input_count,
                                      const std::uint32_t* inputs, std::uint32_t output_count,
                                      const std::uint32_t* outputs) {
    return answer([=] {
        require_pointers(model, inputs, outputs);
        require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
        const Operation operation{type, indexes(inputs, input_count), indexes(outputs, output_count)};
        const auto count = static_cast<std::int64_t>(model->model.main.operands.size());
        for (const Integers* side : {&operation.inputs, &operation.outputs}) {
            for (std::int64_t index : *side) require(index < count, ANEURALNETWORKS_BAD_DATA);
        }
        model->model.main.operations.push_back(operation);
    });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, std::uint32_t input_count,
                                                  const std::uint32_t* inputs, std::uint32_t output_count,
                                                  const std::uint32_t* outputs) {
    return answer([=] {
        require_pointers(model, inputs, outputs);
        require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
        Subgraph& graph = model->model.main;
        graph.inputs = indexes(inputs, input_count);
        graph.outputs = indexes(outputs, output_count);
        list_operands(graph, graph.inputs, NNVET_OPERAND_LIFE_TIME_SUBGRAPH_INPUT);
        list_operands(graph, graph.outputs, NNVET_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT);
    });
}

// Lower precision is allowed, not required: this driver always computes in float32.
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool) {
    return answer([=] {
        require_pointers(model);
        require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
    });
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel* model) {
    return answer([=] {
        require_pointers(model);
        require(!model->is_finished, ANEURALNETWORKS_BAD_STATE);
        model->is_finished = true;
        copy_constants(*model);
        for (const auto& [index, part] : model->subgraphs) {
            const std::int64_t place = append(model->model, part->model);
            model->model.main.operands[index].location.offset = place;
        }
        model->subgraphs.clear();
        sort_operations(*model);
        validate_model(model->model);
        model->is_valid = true;
    });
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices,
                                                          std::uint32_t count, bool* supported) {
    return answer([=] {
        require_pointers(model, devices, supported);
        require(count != 0, ANEURALNETWORKS_BAD_DATA);
        require(model->is_valid, ANEURALNETWORKS_BAD_STATE);
        const std::vector<bool> sorted = supported_operations(model->model);
        for (std::size_t i = 0; i < sorted.size(); ++i) supported[model->order[i]] = sorted[i];
    });
}

// Compilations.

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                std::uint32_t count, ANeuralNetworksCompilation** compilation) {
    return answer([=] {
        require_pointers(model, devices, compilation);
        *compilation = nullptr;
        require(count == 1, ANEURALNETWORKS_BAD_DATA);
        require(model->is_valid, ANEURALNETWORKS_BAD_STATE);
        *compilation = new ANeuralNetworksCompilation{model->model, {}, nullptr, false};
    });
}
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation) {
    const ANeuralNetworksDevice* device = &g_device;
    return ANeuralNetworksCompilation_createForDevices(model, &device, 1, compilation);
}
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) { delete compilation; }

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, std::int32_t preference) {
    return answer([=] {
        PrepareModelConfig changed = open_compilation(compilation).config;
        changed.preference = preference;
        validate_prepare_config(changed);
        compilation->config = changed;
    });
}
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority) {
    return answer([=] {
        open_compilation(compilation);
        const int known[] = {ANEURALNETWORKS_PRIORITY_LOW, ANEURALNETWORKS_PRIORITY_MEDIUM, ANEURALNETWORKS_PRIORITY_HIGH};
        const auto found = std::find(std::begin(known), std::end(known), priority);
        require(found != std::end(known), ANEURALNETWORKS_BAD_DATA);
        compilation->config.priority = found - std::begin(known);
    });
}
// Accepted and not checked: completing late is allowed (docs/contract/hal.md 6.6), and preparation is short.
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, std::uint64_t) {
    return answer([=] { open_compilation(compilation); });
}
// Accepted and ignored: this driver caches nothing.
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* folder,
                                          const std::uint8_t* token) {
    return answer([=] { require_pointers(folder, token), open_compilation(compilation); });
}
// Extension attributes that a driver does not know are ignored.
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation, const char* extension,
                                                     std::uint16_t, const void*, std::size_t) {
    return answer([=] { require_pointers(extension), open_compilation(compilation); });
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
    return answer([=] {
        open_compilation(compilation).is_finished = true;
        for (bool supported : supported_operations(compilation->model)) require(supported, ANEURALNETWORKS_BAD_DATA);
        compilation->prepared = std::make_unique<const PreparedModel>(compilation->model);
    });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(const ANeuralNetworksCompilation* compilation,
                                                                   std::uint32_t index, std::uint32_t* alignment) {
    return prefer(compilation, &Subgraph::inputs, index, alignment);
}
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(const ANeuralNetworksCompilation* compilation,
                                                                    std::uint32_t index, std::uint32_t* alignment) {
    return prefer(compilation, &Subgraph::outputs, index, alignment);
}
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation* compilation,
                                                                 std::uint32_t index, std::uint32_t* padding) {
    return prefer(compilation, &Subgraph::inputs, index, padding);
}
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation* compilation,
                                                                  std::uint32_t index, std::uint32_t* padding) {
    return prefer(compilation, &Subgraph::outputs, index, padding);
}
