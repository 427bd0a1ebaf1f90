/* A client of the NNAPI's C API, as any program is one: it knows the header and nothing of who answers.
   Each line that it prints is what one part of the test looks at. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "NeuralNetworks.h"

#define CHECK(call)                                                    \
    do {                                                               \
        int code_ = (call);                                            \
        if (code_ != ANEURALNETWORKS_NO_ERROR) {                       \
            printf("line %d: %s returns %d\n", __LINE__, #call, code_); \
            return 1;                                                  \
        }                                                              \
    } while (0)

static const ANeuralNetworksOperandType kScalar = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};

static void print(const char* title, const float* values, int count) {
    printf("%s:", title);
    for (int i = 0; i < count; ++i) printf(" %g", values[i]);
    printf("\n");
}

/* output = first + second */
static int buildAdd(ANeuralNetworksModel** model) {
    uint32_t dimensions[] = {2}, inputs[] = {0, 1, 2}, outputs[] = {3};
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dimensions, 0, 0};
    int32_t activation = ANEURALNETWORKS_FUSED_NONE;
    CHECK(ANeuralNetworksModel_create(model));
    CHECK(ANeuralNetworksModel_addOperand(*model, &tensor));
    CHECK(ANeuralNetworksModel_addOperand(*model, &tensor));
    CHECK(ANeuralNetworksModel_addOperand(*model, &kScalar));
    CHECK(ANeuralNetworksModel_addOperand(*model, &tensor));
    CHECK(ANeuralNetworksModel_setOperandValue(*model, 2, &activation, sizeof activation));
    CHECK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs));
    CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(*model, 2, inputs, 1, outputs));
    CHECK(ANeuralNetworksModel_finish(*model));
    return 0;
}

static int testAdd(void) {
    ANeuralNetworksModel* model;
    ANeuralNetworksCompilation* compilation;
    float first[] = {1, 2}, second[] = {3, 4}, output[2] = {0};
    if (buildAdd(&model)) return 1;
    CHECK(ANeuralNetworksCompilation_create(model, &compilation));
    CHECK(ANeuralNetworksCompilation_finish(compilation));
    for (int launched = 0; launched < 2; ++launched) {
        ANeuralNetworksExecution* execution;
        uint32_t rank, dimensions[1];
        memset(output, 0, sizeof output);
        CHECK(ANeuralNetworksExecution_create(compilation, &execution));
        CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, first, sizeof first));
        CHECK(ANeuralNetworksExecution_setInput(execution, 1, NULL, second, sizeof second));
        CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output));
        if (launched) {
            ANeuralNetworksEvent* event;
            CHECK(ANeuralNetworksExecution_startCompute(execution, &event));
            CHECK(ANeuralNetworksEvent_wait(event));
            ANeuralNetworksEvent_free(event);
        } else {
            CHECK(ANeuralNetworksExecution_compute(execution));
        }
        CHECK(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
        CHECK(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dimensions));
        print(launched ? "add by event" : "add", output, 2);
        printf("rank %u, dimension %u, again %d\n", rank, dimensions[0], ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return 0;
}

/* A 3 by 3 image and a 2 by 2 filter, without padding; the filter and the image lie in one piece of memory. */
static int testConvolution(const ANeuralNetworksDevice* device) {
    uint32_t image[] = {1, 3, 3, 1}, filter[] = {1, 2, 2, 1}, one[] = {1}, result[] = {1, 2, 2, 1};
    uint32_t inputs[] = {0, 1, 2, 3, 4, 5, 6}, outputs[] = {7};
    ANeuralNetworksOperandType types[] = {{ANEURALNETWORKS_TENSOR_FLOAT32, 4, image, 0, 0},
                                          {ANEURALNETWORKS_TENSOR_FLOAT32, 4, filter, 0, 0},
                                          {ANEURALNETWORKS_TENSOR_FLOAT32, 1, one, 0, 0},
                                          kScalar, kScalar, kScalar, kScalar,
                                          {ANEURALNETWORKS_TENSOR_FLOAT32, 4, result, 0, 0}};
    int32_t scalars[] = {2 /* VALID */, 1, 1, ANEURALNETWORKS_FUSED_NONE};
    float bias = 0.5f, values[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, /* filter */ 1, 2, 3, 4}, output[4] = {0};
    int descriptor = memfd_create("client", 0);
    ANeuralNetworksMemory* memory;
    ANeuralNetworksModel* model;
    ANeuralNetworksCompilation* compilation;
    ANeuralNetworksExecution* execution;
    ANeuralNetworksBurst* burst;
    bool supported = false;
    uint64_t duration = UINT64_MAX;
    if (write(descriptor, values, sizeof values) != sizeof values) return 1;
    CHECK(ANeuralNetworksMemory_createFromFd(sizeof values, PROT_READ, descriptor, 0, &memory));
    close(descriptor);
    CHECK(ANeuralNetworksModel_create(&model));
    for (int i = 0; i < 8; ++i) CHECK(ANeuralNetworksModel_addOperand(model, &types[i]));
    CHECK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 9 * sizeof(float), 4 * sizeof(float)));
    CHECK(ANeuralNetworksModel_setOperandValue(model, 2, &bias, sizeof bias));
    for (int i = 0; i < 4; ++i) CHECK(ANeuralNetworksModel_setOperandValue(model, 3 + i, &scalars[i], 4));
    CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, outputs));
    CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs));
    CHECK(ANeuralNetworksModel_finish(model));
    CHECK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
    CHECK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
    CHECK(ANeuralNetworksCompilation_setPreference(compilation, ANEURALNETWORKS_PREFER_LOW_POWER));
    CHECK(ANeuralNetworksCompilation_setPriority(compilation, ANEURALNETWORKS_PRIORITY_HIGH));
    CHECK(ANeuralNetworksCompilation_setTimeout(compilation, 60000000000ull));
    CHECK(ANeuralNetworksCompilation_finish(compilation));
    CHECK(ANeuralNetworksBurst_create(compilation, &burst));
    CHECK(ANeuralNetworksExecution_create(compilation, &execution));
    CHECK(ANeuralNetworksExecution_setReusable(execution, true));
    CHECK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
    CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 9 * sizeof(float)));
    CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output));
    CHECK(ANeuralNetworksExecution_compute(execution));
    print("convolution", output, 4);
    CHECK(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_IN_DRIVER, &duration));
    printf("supported %d, measured %d\n", supported, duration != UINT64_MAX);
    memset(output, 0, sizeof output);
    CHECK(ANeuralNetworksExecution_burstCompute(execution, burst));
    print("convolution in a burst", output, 4);
    ANeuralNetworksEvent *launched, *behind;
    int fence = -1;
    memset(output, 0, sizeof output);
    CHECK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &launched));
    CHECK(ANeuralNetworksEvent_getSyncFenceFd(launched, &fence));
    CHECK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &behind));
    CHECK(ANeuralNetworksEvent_wait(behind));
    CHECK(ANeuralNetworksEvent_wait(launched));
    print("convolution behind a fence", output, 4);
    close(fence);
    ANeuralNetworksEvent_free(behind);
    ANeuralNetworksEvent_free(launched);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    return 0;
}

/* What clients do wrong gets a result code, whatever it is. */
static int testMistakes(void) {
    uint32_t dimensions[] = {2}, zero = 0;
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dimensions, 0, 0};
    ANeuralNetworksOperandType scaled = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dimensions, 0.5f, 0};
    ANeuralNetworksModel *model, *freed;
    ANeuralNetworksCompilation* compilation = (ANeuralNetworksCompilation*)&zero;
    ANeuralNetworksExecution* execution;
    ANeuralNetworksDevice* device;
    CHECK(ANeuralNetworksModel_create(&freed));
    ANeuralNetworksModel_free(freed);
    ANeuralNetworksModel_free(NULL);
    CHECK(ANeuralNetworksModel_create(&model));
    printf("null %d", ANeuralNetworksModel_addOperand(model, NULL));
    printf(", scale %d", ANeuralNetworksModel_addOperand(model, &scaled));
    printf(", index %d", ANeuralNetworksModel_setOperandValue(model, -1, &zero, 4));
    printf(", freed %d", ANeuralNetworksModel_addOperand(freed, &tensor));
    printf(", device %d", ANeuralNetworks_getDevice(1000, &device));
    printf(", unfinished %d", ANeuralNetworksCompilation_create(model, &compilation));
    printf(", result %d", compilation != NULL);
    printf(", empty %d", ANeuralNetworksModel_finish(model));
    printf(", closed %d", ANeuralNetworksModel_addOperand(model, &tensor));
    ANeuralNetworksModel_free(model);
    if (buildAdd(&model)) return 1;
    CHECK(ANeuralNetworksCompilation_create(model, &compilation));
    printf(", uncompiled %d", ANeuralNetworksExecution_create(compilation, &execution));
    printf(", preference %d", ANeuralNetworksCompilation_setPreference(compilation, 3));
    printf(", priority %d", ANeuralNetworksCompilation_setPriority(compilation, 1));
    printf(", nobody %d", ANeuralNetworksCompilation_setTimeout(compilation, 1));
    CHECK(ANeuralNetworksCompilation_finish(compilation));
    printf(", twice %d", ANeuralNetworksCompilation_finish(compilation));
    CHECK(ANeuralNetworksExecution_create(compilation, &execution));
    printf(", short %d", ANeuralNetworksExecution_setInput(execution, 0, NULL, dimensions, 4));
    printf(", unset %d\n", ANeuralNetworksExecution_compute(execution));
    return 0;
}

int main(void) {
    uint32_t count = 0;
    ANeuralNetworksDevice* device;
    const char* name;
    int64_t level;
    CHECK(ANeuralNetworks_getDeviceCount(&count));
    CHECK(ANeuralNetworks_getDevice(0, &device));
    CHECK(ANeuralNetworksDevice_getName(device, &name));
    CHECK(ANeuralNetworksDevice_getFeatureLevel(device, &level));
    printf("%u devices, %s, level %lld\n", count, name, (long long)level);
    if (testAdd() || testConvolution(device) || testMistakes()) return 1;
    printf("done\n");
    return 0;
}
