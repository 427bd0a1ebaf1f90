// The same library as a support library: a structure of pointers to its functions.
#include "objects.h"

#include "fields.inc"

namespace {
int numberOfCacheFiles(const ANeuralNetworksDevice*, uint32_t* models, uint32_t* data) {
    *models = 1;
    *data = 0;
    return 0;
}
int performance(const ANeuralNetworksDevice*, int32_t code, SL_ANeuralNetworksPerformanceInfo* info) {
    *info = {0.5f, 2.0f};
    return code < 0 || code > 3 ? ANEURALNETWORKS_BAD_DATA : 0;
}
int eachPerformance(const ANeuralNetworksDevice*, void* context,
                    void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*)) {
    if (context == nullptr) return ANEURALNETWORKS_UNEXPECTED_NULL;
    for (int32_t type = 0; type < ANEURALNETWORKS_MODEL; ++type) callback({type, {0.5f, 2.0f}}, context);
    return 0;
}
int extensionCount(const ANeuralNetworksDevice*, uint32_t* count) {
    *count = 0;
    return 0;
}
int extensionName(const ANeuralNetworksDevice*, uint32_t, const char**) { return ANEURALNETWORKS_BAD_DATA; }
int eachExtensionType(const ANeuralNetworksDevice*, uint32_t, void*,
                      void (*)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*)) {
    return ANEURALNETWORKS_BAD_DATA;
}
}  // namespace

extern "C" __attribute__((visibility("default"))) NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl(void) {
    static NnApiSLDriverImpl impl = [] {
        NnApiSLDriverImpl made = {};
        made.implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8;
#define FIELD(name) made.name = name;
        SHARED_FIELDS
        made.SL_ANeuralNetworksCompilation_setCachingFromFds = SL_ANeuralNetworksCompilation_setCachingFromFds;
        made.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = numberOfCacheFiles;
        made.SL_ANeuralNetworksDevice_getPerformanceInfo = performance;
        made.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo = eachPerformance;
        made.SL_ANeuralNetworksDevice_getVendorExtensionCount = extensionCount;
        made.SL_ANeuralNetworksDevice_getVendorExtensionName = extensionName;
        made.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation = eachExtensionType;
        return made;
    }();
    return &impl;
}
