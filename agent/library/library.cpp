#include "library.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "device.h"

std::string kDeviceName, kDeviceVersion;
int kDeviceLevel = NNVET_FEATURE_LEVEL_FL1, kDeviceType = NNVET_DEVICE_TYPE_OTHER;

namespace nnapi {
namespace {

constexpr char kEntryOfSupportLibraries[] = "ANeuralNetworks_getSLDriverImpl";
constexpr std::int64_t kLastApiLevel = 31, kLevelsBeforeApi = 26, kLevelsFrom = 1000000;

void* g_loaded = nullptr;
std::map<std::string, void*> g_structure;  // the functions of a support library, by name
ANeuralNetworksDevice* g_device = nullptr;

// Feature levels of the C API: 27 to 31 are API levels of Android, later ones count from 1,000,000
// (docs/contract/c-api.md 1.1).
int level_of(std::int64_t number) {
    const std::int64_t level = number <= kLastApiLevel ? number - kLevelsBeforeApi : number - kLevelsFrom;
    if (level < NNVET_FEATURE_LEVEL_FL1) throw std::runtime_error(std::to_string(number) + " is no feature level");
    return static_cast<int>(std::min<std::int64_t>(level, NNVET_FEATURE_LEVEL_FL8));
}

// If a library does not state its level, its newest function shows it.
int level_of_library() {
    if (const auto level = NN_FIND(_getRuntimeFeatureLevel)) return level_of(level());
    if (NN_FIND(Model_setOperandValueFromModel)) return NNVET_FEATURE_LEVEL_FL4;
    return NNVET_FEATURE_LEVEL_FL3;
}

void read_structure(void* entry) {
    const auto* const given = reinterpret_cast<NnApiSLDriverImpl* (*)()>(entry)();
    if (!given) throw std::runtime_error("the support library returns a null pointer");
    // In a support library of a lower level, the structure ends before the fields of level 8.
    if (level_of(given->implFeatureLevel) < NNVET_FEATURE_LEVEL_FL8) throw std::runtime_error("support libraries below level 8 need nnvet serve");
#define X(name) g_structure[#name] = reinterpret_cast<void*>(given->name);
    ANEURALNETWORKS_SHARED_FUNCTIONS(X)
#undef X
}

void choose(const std::string& wanted) {
    std::uint32_t count = 0;
    NN_CALL(_getDeviceCount, &count);
    for (std::uint32_t at = 0; at < count && !g_device; ++at) {
        ANeuralNetworksDevice* found = nullptr;
        const char* name = nullptr;
        NN_CALL(_getDevice, at, &found);
        NN_CALL(Device_getName, found, &name);
        if (!wanted.empty() && wanted != name) continue;
        g_device = found;
        kDeviceName = name;
    }
    if (!g_device) throw std::runtime_error("there is no device '" + wanted + "'");
}

void ask() {
    std::int64_t level = 0;
    std::int32_t type = 0;
    const char* version = nullptr;
    NN_CALL(Device_getFeatureLevel, g_device, &level);
    NN_CALL(Device_getType, g_device, &type);
    NN_CALL(Device_getVersion, g_device, &version);
    kDeviceLevel = std::min(level_of(level), level_of_library());
    kDeviceType = type;
    kDeviceVersion = version;
}

nnvet_error_status status_of(int result) {
    switch (result) {
        case ANEURALNETWORKS_UNEXPECTED_NULL:
        case ANEURALNETWORKS_BAD_DATA: return NNVET_ERROR_STATUS_INVALID_ARGUMENT;
        case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE: return NNVET_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE;
        case ANEURALNETWORKS_UNAVAILABLE_DEVICE: return NNVET_ERROR_STATUS_DEVICE_UNAVAILABLE;
        case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT: return NNVET_ERROR_STATUS_MISSED_DEADLINE_TRANSIENT;
        case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT: return NNVET_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT;
        case ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT: return NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
        case ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT: return NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
        default: return NNVET_ERROR_STATUS_GENERAL_FAILURE;
    }
}

}  // namespace

void load(const std::string& place) {
    const std::size_t end = place.find('#');
    const std::string path = place.substr(0, end);
    g_loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!g_loaded) throw std::runtime_error(dlerror());
    if (void* const entry = dlsym(g_loaded, kEntryOfSupportLibraries)) read_structure(entry);
    try {
        choose(end == std::string::npos ? "" : place.substr(end + 1));
        ask();
    } catch (const Failure& failure) {
        throw std::runtime_error(path + ": " + failure.message);
    }
}

ANeuralNetworksDevice* device() { return g_device; }

void* find(const char* name) {
    if (g_structure.empty()) return dlsym(g_loaded, name);
    const auto found = g_structure.find(name);
    return found == g_structure.end() ? nullptr : found->second;
}

void* needed(const char* name) {
    void* const found = find(name);
    if (!found) throw invalid(std::string("the library has no ") + name);
    return found;
}

void check(int result, const char* function) {
    if (result == ANEURALNETWORKS_NO_ERROR) return;
    throw Failure(status_of(result), std::string(function) + " returns " + std::to_string(result));
}

}  // namespace nnapi
