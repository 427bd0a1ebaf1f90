// The same library as a support library: a structure of pointers to its functions, docs/contract/c-api.md 2.
#include "objects.h"

namespace {

int cache_files(const ANeuralNetworksDevice* device, std::uint32_t* models, std::uint32_t* data) {
    return answer([=] { require_pointers(device, models, data), *models = *data = 0; });
}

constexpr SL_ANeuralNetworksPerformanceInfo kPerformance = {1, 1};

int performance(const ANeuralNetworksDevice* device, std::int32_t code, SL_ANeuralNetworksPerformanceInfo* info) {
    return answer([=] {
        require_pointers(device, info);
        require(code >= 0 && code <= ANEURALNETWORKS_PERFORMANCE_WHILE, ANEURALNETWORKS_BAD_DATA);
        *info = kPerformance;
    });
}

int each_performance(const ANeuralNetworksDevice* device, void* context,
                     void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*)) {
    return answer([=] {
        require_pointers(device, context);
        callback({ANEURALNETWORKS_TENSOR_FLOAT32, kPerformance}, context);
    });
}

int extension_count(const ANeuralNetworksDevice* device, std::uint32_t* count) {
    return answer([=] { require_pointers(device, count), *count = 0; });
}

int extension_name(const ANeuralNetworksDevice*, std::uint32_t, const char**) { return ANEURALNETWORKS_BAD_DATA; }

int each_extension_type(const ANeuralNetworksDevice*, std::uint32_t, void*,
                        void (*)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*)) {
    return ANEURALNETWORKS_BAD_DATA;
}

int cache_from_files(ANeuralNetworksCompilation* compilation, const int*, std::uint32_t, const int*, std::uint32_t,
                     const std::uint8_t* token) {
    return answer([=] {
        require_pointers(compilation, token);
        require(!compilation->is_finished, ANEURALNETWORKS_BAD_STATE);
    });
}

NnApiSLDriverImpl filled() {
    NnApiSLDriverImpl made = {};
    made.implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8;
#define NNVET_FIELD(name) made.name = name;
    ANEURALNETWORKS_SHARED_FUNCTIONS(NNVET_FIELD)
#undef NNVET_FIELD
    made.SL_ANeuralNetworksCompilation_setCachingFromFds = cache_from_files;
    made.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = cache_files;
    made.SL_ANeuralNetworksDevice_getPerformanceInfo = performance;
    made.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo = each_performance;
    made.SL_ANeuralNetworksDevice_getVendorExtensionCount = extension_count;
    made.SL_ANeuralNetworksDevice_getVendorExtensionName = extension_name;
    made.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation = each_extension_type;
    return made;  // the members for diagnostics stay null: this library reports nothing there
}

}  // namespace

NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl(void) {
    static NnApiSLDriverImpl impl = filled();
    return &impl;
}
