// Devices, compilations, memory and device memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "objects.h"

namespace {
// The first one is right; so is the last, which refuses late; each of the others has the planted fault of its name.
const ANeuralNetworksDevice kDevices[] = {
    {"nnvet-native", Fault::None},  {"nnvet-segfault", Fault::Segfault},   {"nnvet-loop", Fault::Loop},
    {"nnvet-wrong", Fault::Wrong}, {"nnvet-leak", Fault::Leak},           {"nnvet-status", Fault::Status},
    {"nnvet-drip", Fault::Drip},   {"nnvet-duplicate", Fault::Duplicate}, {"nnvet-close", Fault::Close},
    {"nnvet-unwilling", Fault::Unwilling}, {"nnvet-late", Fault::None, true},
};

const Operand* roleOperand(const ANeuralNetworksCompilation* compilation, bool isInput, uint32_t index) {
    const std::vector<uint32_t>& listed = isInput ? compilation->model->inputs : compilation->model->outputs;
    return index < listed.size() ? &compilation->model->operands[listed[index]] : nullptr;
}

int addRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation, bool isInput,
            uint32_t index, float frequency) {
    if (desc == nullptr || compilation == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (desc->isFinished) return ANEURALNETWORKS_BAD_STATE;
    const Operand* operand = compilation->isValid ? roleOperand(compilation, isInput, index) : nullptr;
    if (operand == nullptr || !(frequency > 0 && frequency <= 1)) return ANEURALNETWORKS_BAD_DATA;
    auto role = std::make_tuple(compilation, isInput, index);
    if (std::find(desc->roles.begin(), desc->roles.end(), role) != desc->roles.end()) return ANEURALNETWORKS_BAD_DATA;
    if (!desc->roles.empty()) {
        auto [other, otherIsInput, otherIndex] = desc->roles[0];
        const Operand* first = roleOperand(other, otherIsInput, otherIndex);
        if (first->type != operand->type || first->scale != operand->scale || first->zeroPoint != operand->zeroPoint)
            return ANEURALNETWORKS_BAD_DATA;
    }
    std::vector<uint32_t> both;
    const std::vector<uint32_t>&a = desc->dimensions, &b = operand->dimensions;
    if (!a.empty() && !b.empty()) {
        if (a.size() != b.size()) return ANEURALNETWORKS_BAD_DATA;
        for (size_t i = 0; i < a.size(); ++i) {
            if (a[i] != 0 && b[i] != 0 && a[i] != b[i]) return ANEURALNETWORKS_BAD_DATA;
            both.push_back(a[i] != 0 ? a[i] : b[i]);
        }
    } else {
        both = a.empty() ? b : a;
    }
    desc->dimensions = both;
    desc->roles.push_back(role);
    return 0;
}

void saveTo(int descriptor, const ANeuralNetworksCompilation& compilation) {
    if (ftruncate(descriptor, 0) != 0) return;
    (void)!pwrite(descriptor, compilation.token.data(), compilation.token.size(), 0);
}
}  // namespace

void dieOf(const char* mistake) {
    std::fprintf(stderr, "the client of the library is wrong: %s\n", mistake);
    std::abort();
}

uint64_t nowNs() {
    timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

int ANeuralNetworks_getDeviceCount(uint32_t* count) {
    if (count == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    *count = std::size(kDevices);
    return 0;
}
int ANeuralNetworks_getDevice(uint32_t index, ANeuralNetworksDevice** device) {
    if (device == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (index >= std::size(kDevices)) return ANEURALNETWORKS_BAD_DATA;
    *device = const_cast<ANeuralNetworksDevice*>(&kDevices[index]);
    return 0;
}
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) { return 2000000000; }
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) { return 15000000000; }
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) { return ANEURALNETWORKS_FEATURE_LEVEL_8; }
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name) {
    *name = device->name;
    return 0;
}
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice*, const char** version) {
    *version = "1.0";
    return 0;
}
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice*, int32_t* type) {
    *type = ANEURALNETWORKS_DEVICE_CPU;
    return 0;
}
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice*, int64_t* level) {
    *level = ANEURALNETWORKS_FEATURE_LEVEL_8;
    return 0;
}
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice*) { return 0; }
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice*, const char*, bool* supported) {
    *supported = false;
    return 0;
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                uint32_t count, ANeuralNetworksCompilation** compilation) {
    if (model == nullptr || devices == nullptr || compilation == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (count != 1) return ANEURALNETWORKS_BAD_DATA;
    if (!model->isValid) return ANEURALNETWORKS_BAD_STATE;
    *compilation = new ANeuralNetworksCompilation(model, devices[0]);
    return 0;
}
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation) {
    const ANeuralNetworksDevice* device = &kDevices[0];
    return ANeuralNetworksCompilation_createForDevices(model, &device, 1, compilation);
}
ANeuralNetworksCompilation::~ANeuralNetworksCompilation() {
    for (int file : cacheFiles) close(file);
}
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) { delete compilation; }

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference) {
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    return preference < 0 || preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED ? ANEURALNETWORKS_BAD_DATA : 0;
}
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority) {
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    return priority == ANEURALNETWORKS_PRIORITY_LOW || priority == ANEURALNETWORKS_PRIORITY_MEDIUM ||
                   priority == ANEURALNETWORKS_PRIORITY_HIGH
               ? 0
               : ANEURALNETWORKS_BAD_DATA;
}
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, uint64_t duration) {
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    compilation->timeout = duration;
    return 0;
}
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* folder,
                                          const uint8_t* token) {
    if (folder == nullptr || token == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    compilation->cachePath = std::string(folder) + "/nnvet-native";
    compilation->token.assign(token, token + ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);
    return 0;
}
int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* models,
                                                    uint32_t modelCount, const int*, uint32_t dataCount,
                                                    const uint8_t* token) {
    if (token == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    if (modelCount != 1 || dataCount != 0) return 0;
    int file = dup(models[0]);
    if (file < 0) return ANEURALNETWORKS_BAD_DATA;
    compilation->cacheFiles.push_back(file);
    compilation->token.assign(token, token + ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);
    return 0;
}
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation, const char*, uint16_t,
                                                     const void*, size_t) {
    return compilation->isFinished ? ANEURALNETWORKS_BAD_STATE : 0;
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
    if (compilation == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (compilation->isFinished) return ANEURALNETWORKS_BAD_STATE;
    compilation->isFinished = true;
    for (const Operand& operand : compilation->model->operands)
        if (operand.place == Place::Memory && (!(operand.memory->protection & PROT_READ) ||
                                               const_cast<ANeuralNetworksMemory*>(&*operand.memory)->map() == nullptr))
            return ANEURALNETWORKS_UNMAPPABLE;
    if (compilation->device->fault == Fault::Unwilling) return ANEURALNETWORKS_BAD_DATA;
    // Control flow on operands of unknown size is claimed, but there is no CPU here that could run it.
    for (const Operation& operation : compilation->model->operations)
        if (!isSupported(*compilation->model, operation) || isOpen(*compilation->model, operation))
            return ANEURALNETWORKS_BAD_DATA;
    for (int file : compilation->cacheFiles) saveTo(file, *compilation);
    if (!compilation->cachePath.empty()) {
        int file = open(compilation->cachePath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) saveTo(file, *compilation), close(file);
    }
    compilation->isValid = true;
    return 0;
}

#define PREFERRED(what, value)                                                                                     \
    int ANeuralNetworksCompilation_getPreferredMemory##what(const ANeuralNetworksCompilation* compilation, uint32_t, \
                                                            uint32_t* bytes) {                                     \
        *bytes = value;                                                                                            \
        return compilation->isValid ? 0 : ANEURALNETWORKS_BAD_STATE;                                               \
    }
PREFERRED(AlignmentForInput, 64)
PREFERRED(AlignmentForOutput, 64)
PREFERRED(PaddingForInput, 1)
PREFERRED(PaddingForOutput, 1)

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst) {
    if (!compilation->isValid) return ANEURALNETWORKS_BAD_STATE;
    *burst = new ANeuralNetworksBurst{compilation};
    return 0;
}
void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst) { delete burst; }

uint8_t* ANeuralNetworksMemory::map() {
    std::lock_guard<std::mutex> lock(mutex);
    if (mapping == nullptr) {
        struct stat status;
        size_t page = sysconf(_SC_PAGESIZE), slack = offset % page;
        if (fstat(descriptor, &status) != 0 || static_cast<size_t>(status.st_size) < offset + size) return nullptr;
        void* found = mmap(nullptr, size + slack, protection, MAP_SHARED, descriptor, offset - slack);
        if (found == MAP_FAILED) return nullptr;
        mapping = found;
        mapped = size + slack;
    }
    return static_cast<uint8_t*>(mapping) + mapped - size;
}
ANeuralNetworksMemory::~ANeuralNetworksMemory() {
    if (mapping != nullptr) munmap(mapping, mapped);
    if (descriptor >= 0) close(descriptor);
}

int ANeuralNetworksMemory_createFromFd(size_t size, int protection, int descriptor, size_t offset,
                                       ANeuralNetworksMemory** memory) {
    *memory = nullptr;
    struct stat status;
    if (fstat(descriptor, &status) != 0) dieOf("memory is closed");
    if (S_ISREG(status.st_mode) && static_cast<size_t>(status.st_size) < offset + size) dieOf("memory is too short");
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return ANEURALNETWORKS_OP_FAILED;
    *memory = new ANeuralNetworksMemory;
    (*memory)->descriptor = own;
    (*memory)->protection = protection;
    (*memory)->size = size;
    (*memory)->offset = offset;
    return 0;
}
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer*, ANeuralNetworksMemory** memory) {
    *memory = nullptr;
    return ANEURALNETWORKS_OP_FAILED;
}
void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) { delete memory; }

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
    *desc = new ANeuralNetworksMemoryDesc;
    return 0;
}
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc) { delete desc; }
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation, uint32_t index,
                                           float frequency) {
    return addRole(desc, compilation, true, index, frequency);
}
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation, uint32_t index,
                                            float frequency) {
    return addRole(desc, compilation, false, index, frequency);
}
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank, const uint32_t* dimensions) {
    if (desc->isFinished) return ANEURALNETWORKS_BAD_STATE;
    std::vector<uint32_t>& known = desc->dimensions;
    bool isScalar = known.empty() && !desc->roles.empty();
    if (isScalar) {
        auto [compilation, isInput, index] = desc->roles[0];
        isScalar = !roleOperand(compilation, isInput, index)->isTensor();
    }
    if (isScalar || (!known.empty() && known.size() != rank)) return ANEURALNETWORKS_BAD_DATA;
    known.resize(rank);
    for (uint32_t i = 0; i < rank; ++i) {
        if (known[i] != 0 && dimensions[i] != 0 && known[i] != dimensions[i]) return ANEURALNETWORKS_BAD_DATA;
        if (known[i] == 0) known[i] = dimensions[i];
    }
    return 0;
}
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc) {
    if (desc->isFinished) return ANEURALNETWORKS_BAD_STATE;
    if (desc->roles.empty()) return ANEURALNETWORKS_BAD_DATA;
    desc->isFinished = true;
    return 0;
}
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc, ANeuralNetworksMemory** memory) {
    *memory = nullptr;
    if (!desc->isFinished) return ANEURALNETWORKS_BAD_STATE;
    auto [compilation, isInput, index] = desc->roles[0];
    Operand operand = *roleOperand(compilation, isInput, index);
    operand.dimensions = desc->dimensions;
    if (operand.bytes() == 0) return ANEURALNETWORKS_OP_FAILED;
    *memory = new ANeuralNetworksMemory;
    (*memory)->isOfDevice = true;
    (*memory)->roles = desc->roles;
    (*memory)->allocated = (*memory)->dimensions = desc->dimensions;
    (*memory)->content.resize(operand.bytes());
    (*memory)->size = operand.bytes();
    return 0;
}
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* from, const ANeuralNetworksMemory* to) {
    if (from == nullptr || to == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    auto *source = const_cast<ANeuralNetworksMemory*>(from), *target = const_cast<ANeuralNetworksMemory*>(to);
    if (source == target) return 0;
    if (target->isOfDevice) target->isInitialised = false;
    if (source->isOfDevice && !source->isInitialised) return ANEURALNETWORKS_BAD_DATA;
    if (source->size != target->size) return ANEURALNETWORKS_BAD_DATA;
    const uint8_t* bytes = source->isOfDevice ? source->content.data() : source->map();
    uint8_t* place = target->isOfDevice ? target->content.data() : target->map();
    if (bytes == nullptr || place == nullptr) return ANEURALNETWORKS_UNMAPPABLE;
    if (!source->isOfDevice && !(source->protection & PROT_READ)) return ANEURALNETWORKS_UNMAPPABLE;
    if (!target->isOfDevice && !(target->protection & PROT_WRITE)) return ANEURALNETWORKS_UNMAPPABLE;
    std::memcpy(place, bytes, source->size);
    target->isInitialised = true;
    return 0;
}
