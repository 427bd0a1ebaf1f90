// Building models: every call is checked as the documentation of the C API says.
#include <cmath>
#include <cstring>

#include "objects.h"

#include "tables.inc"

namespace {
constexpr int32_t kExtension = 0x10000;
std::mutex gMutex;
std::map<std::string, int32_t> gPrefixes;

bool isOpaque(int32_t type) {
    return type >= kExtension || type == ANEURALNETWORKS_OEM_SCALAR || type == ANEURALNETWORKS_TENSOR_OEM_BYTE;
}

bool isRightScale(int32_t rule, float scale) {
    return rule == 3 || (rule == 0 && scale == 0) || (rule == 1 && scale > 0) || (rule == 2 && scale >= 0);
}

// Reads numbers one after the other; a list is its length and its items.
class Numbers {
  public:
    explicit Numbers(const int* first) : next_(first) {}
    int32_t number() { return *next_++; }
    template <typename Read>
    auto list(Read read) {
        std::vector<decltype(read())> all;
        for (int32_t left = number(); left > 0; --left) all.push_back(read());
        return all;
    }
    std::vector<int32_t> numbers() {
        return list([this] { return number(); });
    }
    TypeRow type() {
        TypeRow row{};
        for (int32_t* field : {&row.code, &row.isTensor, &row.size, &row.scale, &row.lowest, &row.highest}) *field = number();
        return row;
    }
    Formal formal() {
        Formal formal{};
        for (int32_t* field : {&formal.type, &formal.lowestRank, &formal.highestRank, &formal.isVariadic, &formal.minimum})
            *field = number();
        return formal;
    }
    std::vector<Formal> formals() {
        return list([this] { return formal(); });
    }
    Signature signature() {
        Signature signature;
        signature.inputs = formals();
        signature.lengths = numbers();
        return signature;
    }
    OperationRow operation() {
        OperationRow row;
        row.signatures = list([this] { return signature(); });
        row.outputs = formals();
        row.outputCounts = numbers();
        row.rows = list([this] { return numbers(); });
        return row;
    }

  private:
    const int* next_;
};

std::map<int32_t, TypeRow> readTypes() {
    std::map<int32_t, TypeRow> all;
    Numbers numbers(kTypeNumbers);
    for (const TypeRow& row : numbers.list([&] { return numbers.type(); })) all[row.code] = row;
    return all;
}

std::map<int32_t, OperationRow> readOperations() {
    std::map<int32_t, OperationRow> all;
    Numbers numbers(kOperationNumbers);
    for (int32_t left = numbers.number(); left > 0; --left) {
        int32_t code = numbers.number();
        all[code] = numbers.operation();
    }
    return all;
}

int checkType(const ANeuralNetworksOperandType& type) {
    const TypeRow* row = findType(type.type);
    // Types of extensions are registered by the device that has them, and none here has any.
    if (row == nullptr) return ANEURALNETWORKS_BAD_DATA;
    if ((type.dimensions == nullptr) != (type.dimensionCount == 0)) return ANEURALNETWORKS_BAD_DATA;
    if (!row->isTensor && type.dimensionCount != 0 && !isOpaque(type.type)) return ANEURALNETWORKS_BAD_DATA;
    if (!isRightScale(row->scale, type.scale)) return ANEURALNETWORKS_BAD_DATA;
    if (!isOpaque(type.type) && (type.zeroPoint < row->lowest || type.zeroPoint > row->highest))
        return ANEURALNETWORKS_BAD_DATA;
    uint64_t bytes = row->size;
    for (uint32_t i = 0; i < type.dimensionCount; ++i)
        if (type.dimensions[i] == 0) bytes = 0;
    for (uint32_t i = 0; i < type.dimensionCount && bytes != 0; ++i)
        if ((bytes *= type.dimensions[i]) > UINT32_MAX) return ANEURALNETWORKS_BAD_DATA;
    return 0;
}

Operand* settable(ANeuralNetworksModel* model, int32_t index, int& error) {
    error = model == nullptr                                              ? ANEURALNETWORKS_UNEXPECTED_NULL
            : model->isFinished                                           ? ANEURALNETWORKS_BAD_STATE
            : index < 0 || static_cast<size_t>(index) >= model->operands.size() ? ANEURALNETWORKS_BAD_DATA
                                                                          : 0;
    return error == 0 ? &model->operands[index] : nullptr;
}

// A constant of a known type has known dimensions and exactly their size.
bool isRightLength(const Operand& operand, size_t length) {
    if (isOpaque(operand.type)) return length != 0;
    return operand.type != ANEURALNETWORKS_MODEL && operand.isKnown() && operand.bytes() == length;
}

bool matches(const Formal& formal, const Operand& operand, const std::vector<int32_t>& variables) {
    int32_t wanted = formal.type >= 0 ? formal.type : formal.type == -1 ? operand.type : variables[-2 - formal.type];
    return wanted == operand.type;
}

std::vector<Formal> expanded(const std::vector<Formal>& formals, size_t count) {
    std::vector<Formal> all;
    for (const Formal& formal : formals) {
        size_t times = formal.isVariadic ? count - (formals.size() - 1) : 1;
        all.insert(all.end(), times, formal);
    }
    if (all.size() > count) all.resize(count);
    return all;
}

bool takesLength(const Signature& signature, size_t count) {
    if (!signature.lengths.empty()) {
        for (int32_t length : signature.lengths)
            if (static_cast<size_t>(length) == count) return true;
        return false;
    }
    size_t minimum = 0;
    bool isVariadic = false;
    for (const Formal& formal : signature.inputs) {
        minimum += formal.isVariadic ? formal.minimum : 1;
        isVariadic |= formal.isVariadic;
    }
    return isVariadic ? count >= minimum : count == minimum;
}

bool hasRightRanks(const std::vector<Formal>& formals, const std::vector<const Operand*>& operands) {
    for (size_t i = 0; i < formals.size(); ++i) {
        int32_t rank = static_cast<int32_t>(operands[i]->dimensions.size());
        if (operands[i]->place == Place::Omitted || rank == 0) continue;
        if (rank < formals[i].lowestRank || rank > formals[i].highestRank) return false;
    }
    return true;
}

// Returns true if number, types and ranks of the operands match some signature.
bool isDeclared(const ANeuralNetworksModel& model, const Operation& operation) {
    const OperationRow* row = findOperation(operation.type);
    std::vector<const Operand*> inputs, outputs;
    for (uint32_t index : operation.inputs) inputs.push_back(&model.operands[index]);
    for (uint32_t index : operation.outputs) outputs.push_back(&model.operands[index]);
    bool isCounted = false;
    for (int32_t count : row->outputCounts) isCounted |= static_cast<size_t>(count) == outputs.size();
    if (!isCounted && !(row->outputs[0].isVariadic && !outputs.empty())) return false;
    for (const Signature& signature : row->signatures) {
        if (!takesLength(signature, inputs.size())) continue;
        std::vector<Formal> formals = expanded(signature.inputs, inputs.size());
        std::vector<Formal> results = expanded(row->outputs, outputs.size());
        for (const std::vector<int32_t>& variables : row->rows) {
            bool isMatch = true;
            for (size_t i = 0; i < formals.size(); ++i) isMatch &= matches(formals[i], *inputs[i], variables);
            for (size_t i = 0; i < results.size(); ++i) isMatch &= matches(results[i], *outputs[i], variables);
            if (isMatch) return hasRightRanks(formals, inputs) && isAgreed(operation.type, inputs, outputs);
        }
    }
    return false;
}

// Sorts the operations; false if a value is never written, written twice, or needs itself.
bool sortOperations(ANeuralNetworksModel& model) {
    std::vector<bool> known;
    for (const Operand& operand : model.operands)
        known.push_back(operand.place != Place::Nowhere && operand.place != Place::Output);
    std::vector<bool> isWritten = known;
    for (const Operation& operation : model.operations)
        for (uint32_t index : operation.outputs) {
            if (isWritten[index]) return false;
            isWritten[index] = true;
        }
    for (bool is : isWritten)
        if (!is) return false;
    std::vector<bool> isDone(model.operations.size());
    for (size_t found = 1; found != 0 && model.sorted.size() < model.operations.size();) {
        found = 0;
        for (size_t i = 0; i < model.operations.size(); ++i) {
            bool isReady = !isDone[i];
            for (uint32_t index : model.operations[i].inputs) isReady = isReady && known[index];
            if (!isReady) continue;
            isDone[i] = true;
            ++found;
            model.sorted.push_back(model.operations[i]);
            for (uint32_t index : model.operations[i].outputs) known[index] = true;
        }
    }
    return model.sorted.size() == model.operations.size();
}

int extensionCode(const char* extension, uint16_t code, int32_t* type) {
    if (extension == nullptr || type == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    std::lock_guard<std::mutex> lock(gMutex);
    int32_t next = static_cast<int32_t>(gPrefixes.size()) + 1;
    *type = (gPrefixes.emplace(extension, next).first->second << 16) | code;
    return 0;
}
}  // namespace

const TypeRow* findType(int32_t code) {
    static const std::map<int32_t, TypeRow> types = readTypes();
    auto found = types.find(code);
    return found == types.end() ? nullptr : &found->second;
}

const OperationRow* findOperation(int32_t code) {
    static const std::map<int32_t, OperationRow> operations = readOperations();
    auto found = operations.find(code);
    return found == operations.end() ? nullptr : &found->second;
}

bool Operand::isTensor() const {
    const TypeRow* row = findType(type);
    return row == nullptr || row->isTensor;
}
bool Operand::isKnown() const { return !isTensor() || isFullyKnown(dimensions); }
uint64_t Operand::bytes() const {
    const TypeRow* row = findType(type);
    if (row == nullptr || !isKnown()) return 0;
    uint64_t bytes = row->size;
    for (uint32_t dimension : dimensions) bytes *= dimension;
    return bytes;
}

bool isFullyKnown(const std::vector<uint32_t>& dimensions) {
    for (uint32_t dimension : dimensions)
        if (dimension == 0) return false;
    return !dimensions.empty();
}

bool combine(const std::vector<uint32_t>& known, const std::vector<uint32_t>& given, std::vector<uint32_t>& all) {
    all = known.empty() ? given : known;
    if (known.empty() || given.empty()) return true;
    if (known.size() != given.size()) return false;
    for (size_t i = 0; i < known.size(); ++i) {
        // An execution may not undo a size that the model has given.
        if (known[i] != 0 && given[i] != known[i]) return false;
        all[i] = given[i];
    }
    return true;
}

int ANeuralNetworksModel_create(ANeuralNetworksModel** model) {
    if (model == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    *model = new ANeuralNetworksModel;
    return 0;
}
void ANeuralNetworksModel_free(ANeuralNetworksModel* model) { delete model; }

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type) {
    if (model == nullptr || type == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (model->isFinished) return ANEURALNETWORKS_BAD_STATE;
    if (int error = checkType(*type)) return error;
    Operand operand;
    operand.type = type->type;
    operand.dimensions.assign(type->dimensions, type->dimensions + type->dimensionCount);
    operand.scale = type->scale;
    operand.zeroPoint = type->zeroPoint;
    model->operands.push_back(operand);
    return 0;
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length) {
    int error;
    Operand* operand = settable(model, index, error);
    if (operand == nullptr) return error;
    if (buffer == nullptr && length != 0) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (buffer == nullptr) {
        operand->place = Place::Omitted;
        return 0;
    }
    if (length == 0 || !isRightLength(*operand, length)) return ANEURALNETWORKS_BAD_DATA;
    const uint8_t* bytes = static_cast<const uint8_t*>(buffer);
    operand->place = Place::Pointer;
    operand->length = length;
    if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES)
        operand->copy.assign(bytes, bytes + length);
    else
        operand->pointer = buffer;
    return 0;
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
    int error;
    Operand* operand = settable(model, index, error);
    if (operand == nullptr) return error;
    if (memory == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (memory->isOfDevice || offset > memory->size || length > memory->size - offset || !isRightLength(*operand, length))
        return ANEURALNETWORKS_BAD_DATA;
    operand->place = Place::Memory;
    operand->memory = memory;
    operand->offset = offset;
    operand->length = length;
    return 0;
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value) {
    int error;
    Operand* operand = settable(model, index, error);
    if (operand == nullptr) return error;
    if (value == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (!value->isValid) return ANEURALNETWORKS_BAD_STATE;
    if (operand->type != ANEURALNETWORKS_MODEL) return ANEURALNETWORKS_BAD_DATA;
    operand->place = Place::Model;
    operand->model = value;
    return 0;
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel* model, int32_t index,
                                                             const ANeuralNetworksSymmPerChannelQuantParams* params) {
    int error;
    Operand* operand = settable(model, index, error);
    if (operand == nullptr) return error;
    if (params == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (operand->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL ||
        params->channelDim >= operand->dimensions.size() || params->scaleCount == 0 ||
        operand->dimensions[params->channelDim] != params->scaleCount)
        return ANEURALNETWORKS_BAD_DATA;
    for (uint32_t i = 0; i < params->scaleCount; ++i)
        if (!(params->scales[i] > 0)) return ANEURALNETWORKS_BAD_DATA;
    operand->hasChannels = true;
    operand->channelDim = params->channelDim;
    return 0;
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index, const void*, size_t) {
    int error;
    Operand* operand = settable(model, index, error);
    if (operand == nullptr) return error;
    return operand->type < kExtension ? ANEURALNETWORKS_BAD_DATA : 0;
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel*, const char* extension, uint16_t code,
                                                 int32_t* type) {
    return extensionCode(extension, code, type);
}
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel*, const char* extension, uint16_t code,
                                                   int32_t* type) {
    return extensionCode(extension, code, type);
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, int32_t type, uint32_t inputCount,
                                      const uint32_t* inputs, uint32_t outputCount, const uint32_t* outputs) {
    if (model == nullptr || inputs == nullptr || outputs == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (model->isFinished) return ANEURALNETWORKS_BAD_STATE;
    Operation operation{type, {inputs, inputs + inputCount}, {outputs, outputs + outputCount}};
    for (const std::vector<uint32_t>* side : {&operation.inputs, &operation.outputs})
        for (uint32_t index : *side)
            if (index >= model->operands.size()) return ANEURALNETWORKS_BAD_DATA;
    if (type < kExtension && type != ANEURALNETWORKS_OEM_OPERATION &&
        (findOperation(type) == nullptr || !isDeclared(*model, operation)))
        return ANEURALNETWORKS_BAD_DATA;
    model->operations.push_back(operation);
    return 0;
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs) {
    if (model == nullptr || inputs == nullptr || outputs == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (model->isFinished) return ANEURALNETWORKS_BAD_STATE;
    model->inputs.assign(inputs, inputs + inputCount);
    model->outputs.assign(outputs, outputs + outputCount);
    for (auto [side, place] : {std::pair{&model->inputs, Place::Input}, std::pair{&model->outputs, Place::Output}})
        for (uint32_t index : *side) {
            if (index >= model->operands.size() || model->operands[index].place != Place::Nowhere)
                return ANEURALNETWORKS_BAD_DATA;
            model->operands[index].place = place;
        }
    return 0;
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool) {
    if (model == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    return model->isFinished ? ANEURALNETWORKS_BAD_STATE : 0;
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel* model) {
    if (model == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (model->isFinished) return ANEURALNETWORKS_BAD_STATE;
    model->isFinished = true;
    if (model->operations.empty() || model->inputs.empty()) return ANEURALNETWORKS_BAD_DATA;
    for (const Operand& operand : model->operands) {
        bool needsChannels = operand.type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
        if (needsChannels != operand.hasChannels) return ANEURALNETWORKS_BAD_DATA;
        if (operand.type == ANEURALNETWORKS_MODEL && operand.place != Place::Model) return ANEURALNETWORKS_BAD_DATA;
    }
    for (const Operation& operation : model->operations)
        if (!hasCaseOfTypes(*model, operation)) return ANEURALNETWORKS_BAD_DATA;
    if (!sortOperations(*model)) return ANEURALNETWORKS_BAD_DATA;
    for (Operand& operand : model->operands)
        if (operand.pointer != nullptr) {
            const uint8_t* bytes = static_cast<const uint8_t*>(operand.pointer);
            operand.copy.assign(bytes, bytes + operand.length);
            operand.pointer = nullptr;
        }
    model->isValid = true;
    return 0;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices, uint32_t count,
                                                          bool* supported) {
    if (model == nullptr || devices == nullptr || supported == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (count == 0) return ANEURALNETWORKS_BAD_DATA;
    if (!model->isValid) return ANEURALNETWORKS_BAD_STATE;
    for (size_t i = 0; i < model->operations.size(); ++i) supported[i] = isSupported(*model, model->operations[i]);
    return 0;
}
