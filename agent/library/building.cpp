#include "building.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "tables.h"
#include "validator.h"

namespace {

constexpr std::int64_t kCodeMask = (std::int64_t{1} << NNVET_EXTENSION_TYPE_LOW_BITS_TYPE) - 1;

Failure unsaid(const std::string& what) { return invalid("the C API has no " + what); }

std::vector<std::uint32_t> numbers(const Integers& values) { return {values.begin(), values.end()}; }

nnapi::Owned<ANeuralNetworksMemory> memory_of(const Memory& pool) {
    if (pool.kind == Memory::Kind::hardware_buffer) throw unsaid("hardware buffers on Linux");
    if (pool.kind != Memory::Kind::ashmem && pool.kind != Memory::Kind::mappable_file) throw unsaid("tokens");
    const int fd = pool.handle->fd();
    struct stat about;
    // An access to mapped bytes behind the end of a file would end this process with SIGBUS.
    if (fstat(fd, &about) != 0 || (S_ISREG(about.st_mode) && about.st_size < pool.offset + pool.size)) throw unsaid("memory beyond its end");
    const bool is_file = pool.kind == Memory::Kind::mappable_file;
    const int own = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE;
    ANeuralNetworksMemory* made = nullptr;
    NN_CALL(Memory_createFromFd, static_cast<std::size_t>(pool.size), is_file ? static_cast<int>(pool.protection) : own, fd,
            static_cast<std::size_t>(is_file ? pool.offset : 0), &made);
    return NN_HOLD(Memory, made);
}

}  // namespace

Memories memories_of(const std::vector<Memory>& pools) {
    Memories made;
    for (const Memory& pool : pools) made.push_back(memory_of(pool));
    return made;
}

BuiltModel::BuiltModel(const Model& model) : model_(model), pools_(memories_of(model.pools)), main_(built(model.main)) {}

const char* BuiltModel::extension(std::int64_t code) const {
    for (const ExtensionName& one : model_.extensions) {
        if (one.prefix == extension_prefix(code)) return one.name.c_str();
    }
    throw unsaid("extensions without a name");
}

std::int32_t BuiltModel::type_code(ANeuralNetworksModel* model, std::int64_t code) const {
    if (!extension_prefix(code)) return static_cast<std::int32_t>(code);
    std::int32_t found = 0;
    NN_CALL(Model_getExtensionOperandType, model, extension(code), static_cast<std::uint16_t>(code & kCodeMask), &found);
    return found;
}

ANeuralNetworksOperandType BuiltModel::type(const Operand& operand, const std::vector<std::uint32_t>& dimensions) const {
    return {type_code(main_.get(), operand.type), static_cast<std::uint32_t>(dimensions.size()),
            dimensions.empty() ? nullptr : dimensions.data(), operand.scale, static_cast<std::int32_t>(operand.zero_point)};
}

// A subgraph is built before those that refer to it. Valid models have no cycle of references.
ANeuralNetworksModel* BuiltModel::referenced(std::int64_t index) {
    const auto found = referenced_.find(index);
    if (found != referenced_.end()) return found->second.get();
    return referenced_.emplace(index, built(model_.referenced[static_cast<std::size_t>(index)])).first->second.get();
}

void BuiltModel::set_value(ANeuralNetworksModel* model, std::int32_t index, const Operand& operand) {
    const Location& at = operand.location;
    const auto offset = static_cast<std::size_t>(at.offset), length = static_cast<std::size_t>(at.length);
    switch (operand.lifetime) {
        case NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY:
        case NNVET_OPERAND_LIFE_TIME_CONSTANT_REFERENCE:
            if (!length) throw unsaid("constants without bytes");
            if (operand.lifetime == NNVET_OPERAND_LIFE_TIME_CONSTANT_COPY) {
                NN_CALL(Model_setOperandValue, model, index, model_.operand_values.data() + offset, length);
            } else {
                const auto& pool = pools_[static_cast<std::size_t>(at.pool)];
                NN_CALL(Model_setOperandValueFromMemory, model, index, pool.get(), offset, length);
            }
            return;
        case NNVET_OPERAND_LIFE_TIME_NO_VALUE: NN_CALL(Model_setOperandValue, model, index, nullptr, 0); return;
        case NNVET_OPERAND_LIFE_TIME_SUBGRAPH: NN_CALL(Model_setOperandValueFromModel, model, index, referenced(at.offset)); return;
        default: return;
    }
}

nnapi::Owned<ANeuralNetworksModel> BuiltModel::built(const Subgraph& graph) {
    if (graph.inputs.empty()) throw unsaid("models without inputs");
    ANeuralNetworksModel* made = nullptr;
    NN_CALL(Model_create, &made);
    auto model = NN_HOLD(Model, made);
    std::int32_t index = 0;
    for (const Operand& operand : graph.operands) {
        const auto dimensions = numbers(operand.dimensions);
        const ANeuralNetworksOperandType type = {type_code(made, operand.type), static_cast<std::uint32_t>(dimensions.size()),
                                                 dimensions.empty() ? nullptr : dimensions.data(), operand.scale,
                                                 static_cast<std::int32_t>(operand.zero_point)};
        NN_CALL(Model_addOperand, made, &type);
        if (operand.extra == Operand::Extra::extension) throw unsaid("extension data in this program");
        if (operand.extra == Operand::Extra::channel_quant) {
            const ANeuralNetworksSymmPerChannelQuantParams params = {
                static_cast<std::uint32_t>(operand.channel_dim), static_cast<std::uint32_t>(operand.scales.size()), operand.scales.data()};
            NN_CALL(Model_setOperandSymmPerChannelQuantParams, made, index, &params);
        }
        set_value(made, index++, operand);
    }
    for (const Operation& operation : graph.operations) {
        auto code = static_cast<std::int32_t>(operation.type);
        if (extension_prefix(operation.type)) {
            const auto own = static_cast<std::uint16_t>(operation.type & kCodeMask);
            NN_CALL(Model_getExtensionOperationType, made, extension(operation.type), own, &code);
        }
        const auto inputs = numbers(operation.inputs), outputs = numbers(operation.outputs);
        NN_CALL(Model_addOperation, made, code, static_cast<std::uint32_t>(inputs.size()), inputs.data(),
                static_cast<std::uint32_t>(outputs.size()), outputs.data());
    }
    const auto inputs = numbers(graph.inputs), outputs = numbers(graph.outputs);
    NN_CALL(Model_identifyInputsAndOutputs, made, static_cast<std::uint32_t>(inputs.size()), inputs.data(),
            static_cast<std::uint32_t>(outputs.size()), outputs.data());
    if (model_.is_relaxed) NN_CALL(Model_relaxComputationFloat32toFloat16, made, true);
    NN_CALL(Model_finish, made);
    return model;
}

bool has_open_control_flow(const Model& model) {
    const auto is_open = [](const Subgraph& graph, std::int64_t index) {
        const Operand& operand = graph.operands[static_cast<std::size_t>(index)];
        const OperandTypeInfo* const type = operand_type(operand.type);
        return type && type->is_tensor && !fully_known(operand.dimensions);
    };
    const auto has_open = [&is_open](const Subgraph& graph) {
        return std::any_of(graph.operations.begin(), graph.operations.end(), [&](const Operation& one) {
            const auto open = [&](std::int64_t index) { return is_open(graph, index); };
            return (one.type == NNVET_OPERATION_TYPE_IF || one.type == NNVET_OPERATION_TYPE_WHILE) &&
                   (std::any_of(one.inputs.begin(), one.inputs.end(), open) || std::any_of(one.outputs.begin(), one.outputs.end(), open));
        });
    };
    return has_open(model.main) || std::any_of(model.referenced.begin(), model.referenced.end(), has_open);
}
