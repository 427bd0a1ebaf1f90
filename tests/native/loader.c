/* A loader of support libraries: it knows one symbol, keeps the library's symbols to itself, and calls from four
   threads at once, each with executions, events, models and compilations of its own.
   Prints the device's name, how many results were wrong, and what the process has more of in the end. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "NeuralNetworks.h"

enum { kThreads = 4, kRounds = 10, kExecutions = 20, kDescriptors = 256 };

static NnApiSLDriverImpl* library;
static ANeuralNetworksDevice* device;

/* output = first + second */
static ANeuralNetworksModel* build(void) {
    uint32_t dimensions[] = {2}, inputs[] = {0, 1, 2}, outputs[] = {3};
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dimensions, 0, 0};
    ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    int32_t activation = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel* model = NULL;
    int failed = library->ANeuralNetworksModel_create(&model);
    for (int i = 0; i < 4; ++i) failed |= library->ANeuralNetworksModel_addOperand(model, i == 2 ? &scalar : &tensor);
    failed |= library->ANeuralNetworksModel_setOperandValue(model, 2, &activation, sizeof activation);
    failed |= library->ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs);
    failed |= library->ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, outputs);
    failed |= library->ANeuralNetworksModel_finish(model);
    return failed ? NULL : model;
}

/* One execution, launched or not; whether its result is wrong. */
static int isWrong(ANeuralNetworksCompilation* compilation, float summand, int launched) {
    float first[] = {1, 2}, second[] = {summand, 4}, output[2] = {0};
    ANeuralNetworksExecution* execution = NULL;
    ANeuralNetworksEvent* event = NULL;
    int failed = library->ANeuralNetworksExecution_create(compilation, &execution);
    failed |= library->ANeuralNetworksExecution_setInput(execution, 0, NULL, first, sizeof first);
    failed |= library->ANeuralNetworksExecution_setInput(execution, 1, NULL, second, sizeof second);
    failed |= library->ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output);
    if (launched) {
        failed |= library->ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
        failed |= library->ANeuralNetworksEvent_wait(event);
        library->ANeuralNetworksEvent_free(event);
    } else {
        failed |= library->ANeuralNetworksExecution_compute(execution);
    }
    library->ANeuralNetworksExecution_free(execution);
    return failed || output[0] != 1 + summand || output[1] != 6;
}

static void* work(void* wrong) {
    const ANeuralNetworksDevice* devices[] = {device};
    for (int round = 0; round < kRounds; ++round) {
        ANeuralNetworksModel* model = build();
        ANeuralNetworksCompilation* compilation = NULL;
        int failed = library->ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation);
        failed |= library->ANeuralNetworksCompilation_finish(compilation);
        for (int i = 0; i < kExecutions; ++i) *(int*)wrong += failed || isWrong(compilation, (float)i, i % 2);
        library->ANeuralNetworksCompilation_free(compilation);
        library->ANeuralNetworksModel_free(model);
    }
    return NULL;
}

/* The fewest within a second: a thread of the library may be about to let go of what it has just ended. */
static int openDescriptors(void) {
    char path[64];
    int fewest = kDescriptors;
    for (int round = 0; round < 20; ++round) {
        int count = 0;
        for (int i = 0; i < kDescriptors; ++i) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", i);
            count += access(path, F_OK) == 0;
        }
        if (count < fewest) fewest = count;
        usleep(50000);
    }
    return fewest;
}

static long residentPages(void) {
    long all = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2) return -1;
    fclose(file);
    return resident;
}

/* All threads at once; the number of wrong results. */
static int run(void) {
    pthread_t threads[kThreads];
    int wrong[kThreads] = {0}, sum = 0;
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, &wrong[i]);
    for (int i = 0; i < kThreads; ++i) {
        pthread_join(threads[i], NULL);
        sum += wrong[i];
    }
    return sum;
}

int main(int count, char** arguments) {
    void* handle = count == 2 ? dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    void* entry = handle != NULL ? dlsym(handle, "ANeuralNetworks_getSLDriverImpl") : NULL;
    const char* name = "";
    if (entry == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    library = ((NnApiSLDriverImpl * (*)(void)) entry)();
    if (library == NULL || library->ANeuralNetworks_getDevice(0, &device) != 0) return 1;
    library->ANeuralNetworksDevice_getName(device, &name);
    int wrong = run(), descriptors = openDescriptors();
    long pages = residentPages();
    wrong += run();
    printf("%s: %d wrong, %d more descriptors\n", name, wrong, openDescriptors() - descriptors);
    printf("%ld\n", (residentPages() - pages) * sysconf(_SC_PAGESIZE));
    return 0;
}
