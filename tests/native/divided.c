/* A client of a library of several devices: it finds them, asks what each supports, and has models divided between
   them. Each line that it prints is what one part of the test looks at. */
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

enum { kMost = 4, kOperations = 3 };

/* output = -(first + second) + second, whose operations are not added in the order in which they run. */
static int build(ANeuralNetworksModel** model) {
    uint32_t dimensions[] = {2}, sum[] = {0, 1, 2}, total[] = {3}, negated[] = {4, 1, 2}, output[] = {5};
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dimensions, 0, 0};
    ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    int32_t activation = ANEURALNETWORKS_FUSED_NONE;
    CHECK(ANeuralNetworksModel_create(model));
    for (int i = 0; i < 6; ++i) CHECK(ANeuralNetworksModel_addOperand(*model, i == 2 ? &scalar : &tensor));
    CHECK(ANeuralNetworksModel_setOperandValue(*model, 2, &activation, sizeof activation));
    CHECK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_NEG, 1, total, 1, negated));
    CHECK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_ADD, 3, sum, 1, total));
    CHECK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_ADD, 3, negated, 1, output));
    CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(*model, 2, sum, 1, output));
    CHECK(ANeuralNetworksModel_finish(*model));
    return 0;
}

static int run(ANeuralNetworksCompilation* compilation, const char* title) {
    float first[] = {1, 2}, second[] = {3, 4}, output[2];
    ANeuralNetworksBurst* burst;
    ANeuralNetworksEvent* event;
    CHECK(ANeuralNetworksBurst_create(compilation, &burst));
    for (int form = 0; form < 4; ++form) {
        ANeuralNetworksExecution* execution;
        memset(output, 0, sizeof output);
        CHECK(ANeuralNetworksExecution_create(compilation, &execution));
        CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, first, sizeof first));
        CHECK(ANeuralNetworksExecution_setInput(execution, 1, NULL, second, sizeof second));
        CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output));
        if (form == 0) CHECK(ANeuralNetworksExecution_compute(execution));
        if (form == 1) CHECK(ANeuralNetworksExecution_burstCompute(execution, burst));
        if (form == 2) CHECK(ANeuralNetworksExecution_startCompute(execution, &event));
        if (form == 3) CHECK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event));
        if (form >= 2) {
            CHECK(ANeuralNetworksEvent_wait(event));
            ANeuralNetworksEvent_free(event);
        }
        printf("%s%s%g %g", form ? "" : title, form ? ", " : ": ", output[0], output[1]);
        ANeuralNetworksExecution_free(execution);
    }
    printf("\n");
    ANeuralNetworksBurst_free(burst);
    return 0;
}

/* Memory for input 0, described by its role; the library may make it of whatever it likes. */
static int runInMemory(ANeuralNetworksCompilation* compilation) {
    ANeuralNetworksMemoryDesc* description;
    ANeuralNetworksMemory *memory, *shared;
    ANeuralNetworksExecution* execution;
    float first[] = {1, 2}, second[] = {3, 4}, output[2] = {0};
    int descriptor = memfd_create("client", 0);
    if (write(descriptor, first, sizeof first) != sizeof first) return 1;
    CHECK(ANeuralNetworksMemory_createFromFd(sizeof first, PROT_READ | PROT_WRITE, descriptor, 0, &shared));
    close(descriptor);
    CHECK(ANeuralNetworksMemoryDesc_create(&description));
    CHECK(ANeuralNetworksMemoryDesc_addInputRole(description, compilation, 0, 1.0f));
    CHECK(ANeuralNetworksMemoryDesc_finish(description));
    CHECK(ANeuralNetworksMemory_createFromDesc(description, &memory));
    CHECK(ANeuralNetworksMemory_copy(shared, memory));
    CHECK(ANeuralNetworksExecution_create(compilation, &execution));
    CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    CHECK(ANeuralNetworksExecution_setInput(execution, 1, NULL, second, sizeof second));
    CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output));
    CHECK(ANeuralNetworksExecution_compute(execution));
    printf("in memory: %g %g\n", output[0], output[1]);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksMemory_free(shared);
    ANeuralNetworksMemoryDesc_free(description);
    return 0;
}

static int supported(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices, uint32_t count,
                     const char* title) {
    bool answers[kOperations] = {false};
    CHECK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, count, answers));
    printf("%s supports %d %d %d\n", title, answers[0], answers[1], answers[2]);
    return 0;
}

/* What fails says so in a line of its own. */
static int compile(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices, uint32_t count,
                   const char* folder, const char* title) {
    ANeuralNetworksCompilation* compilation;
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1};
    if (count) {
        CHECK(ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation));
    } else {
        CHECK(ANeuralNetworksCompilation_create(model, &compilation));
    }
    if (folder) CHECK(ANeuralNetworksCompilation_setCaching(compilation, folder, token));
    int code = ANeuralNetworksCompilation_finish(compilation);
    if (code) printf("%s: finish returns %d\n", title, code);
    int wrong = !code && (run(compilation, title) || (!count && runInMemory(compilation)));
    ANeuralNetworksCompilation_free(compilation);
    return wrong;
}

int main(int count, char** arguments) {
    const ANeuralNetworksDevice* devices[kMost];
    uint32_t found = 0;
    ANeuralNetworksModel* model;
    if (count != 2 || build(&model)) return 1;
    CHECK(ANeuralNetworks_getDeviceCount(&found));
    for (uint32_t i = 0; i < found && i < kMost; ++i) {
        const char* name = NULL;
        CHECK(ANeuralNetworks_getDevice(i, (ANeuralNetworksDevice**)&devices[i]));
        CHECK(ANeuralNetworksDevice_getName(devices[i], &name));
        printf("device %s\n", name);
        if (supported(model, &devices[i], 1, "it")) return 1;
    }
    if (found > 1 && supported(model, devices, found, "all")) return 1;
    if (found > 1) {
        compile(model, &devices[0], 1, NULL, "the first");
        compile(model, devices, found, arguments[1], "named");
        compile(model, devices, found, arguments[1], "from the cache");
    }
    compile(model, NULL, 0, NULL, "chosen");
    ANeuralNetworksModel_free(model);
    printf("done\n");
    return 0;
}
