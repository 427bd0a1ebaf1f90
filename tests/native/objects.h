// Objects behind the opaque types of the NNAPI's C API, as the test library has them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "NeuralNetworks.h"

// Ends the process: the client has broken what the C API leaves to it.
[[noreturn]] void dieOf(const char* mistake);

// Base of objects from which others are made: an object may not be freed before those.
struct Used {
    mutable std::atomic<int> users{0};
    ~Used() {
        if (users != 0) dieOf("an object is freed before what has been made of it");
    }
};
// A pointer to it, from one of them.
template <typename T>
class Use {
  public:
    Use(const T* used = nullptr) : used_(used) {
        if (used_ != nullptr) ++used_->users;
    }
    Use(const Use& other) : Use(other.used_) {}
    Use& operator=(Use other) {
        std::swap(used_, other.used_);
        return *this;
    }
    ~Use() {
        if (used_ != nullptr) --used_->users;
    }
    operator const T*() const { return used_; }
    const T* operator->() const { return used_; }
    const T& operator*() const { return *used_; }

  private:
    const T* used_;
};

// One row for each operand type of the contract; tables.inc is generated from the contract.
struct TypeRow {
    int32_t code, isTensor, size;
    int32_t scale;  // 0 zero, 1 positive, 2 not negative, 3 any
    int32_t lowest, highest;
};
// One formal operand: a fixed type, a type variable (-2 - index) or any type (-1).
struct Formal {
    int32_t type;
    int32_t lowestRank, highestRank;
    int32_t isVariadic, minimum;
};
struct Signature {
    std::vector<Formal> inputs;
    std::vector<int32_t> lengths;
};
struct OperationRow {
    std::vector<Signature> signatures;
    std::vector<Formal> outputs;
    std::vector<int32_t> outputCounts;
    std::vector<std::vector<int32_t>> rows;  // type of each variable
};
const TypeRow* findType(int32_t code);
const OperationRow* findOperation(int32_t code);

enum class Fault { None, Segfault, Loop, Wrong, Leak, Status, Drip, Duplicate, Close, Unwilling };

struct ANeuralNetworksDevice {
    const char* name;
    Fault fault;
    bool isLate = false;  // wrong arguments are refused when an execution runs, not when they are set
};

struct ANeuralNetworksMemory : Used {
    int descriptor = -1;
    int protection = 0;
    size_t size = 0, offset = 0;
    std::mutex mutex;
    void* mapping = nullptr;
    size_t mapped = 0;
    bool isOfDevice = false, isInitialised = false;
    std::vector<uint8_t> content;
    std::vector<uint32_t> dimensions, allocated;
    std::vector<std::tuple<const ANeuralNetworksCompilation*, bool, uint32_t>> roles;  // of device memory
    uint8_t* map();  // null: it cannot be mapped
    ~ANeuralNetworksMemory();
};

enum class Place { Nowhere, Omitted, Pointer, Memory, Model, Input, Output };

struct Operand {
    int32_t type = 0;
    std::vector<uint32_t> dimensions;
    float scale = 0;
    int32_t zeroPoint = 0;
    Place place = Place::Nowhere;
    std::vector<uint8_t> copy;
    const void* pointer = nullptr;
    size_t length = 0, offset = 0;
    Use<ANeuralNetworksMemory> memory;
    Use<ANeuralNetworksModel> model;
    bool hasChannels = false;
    uint32_t channelDim = 0;
    bool isTensor() const;
    bool isKnown() const;
    uint64_t bytes() const;  // 0: not known, or of an extension
};

struct Operation {
    int32_t type;
    std::vector<uint32_t> inputs, outputs;
};

struct ANeuralNetworksModel : Used {
    std::vector<Operand> operands;
    std::vector<Operation> operations, sorted;
    std::vector<uint32_t> inputs, outputs;
    bool isFinished = false, isValid = false;
};

struct ANeuralNetworksCompilation : Used {
    ANeuralNetworksCompilation(const ANeuralNetworksModel* of, const ANeuralNetworksDevice* on) : model(of), device(on) {}
    Use<ANeuralNetworksModel> model;
    const ANeuralNetworksDevice* device;
    uint64_t timeout = 0;
    std::vector<int> cacheFiles;
    std::string cachePath;
    std::vector<uint8_t> token;
    bool isFinished = false, isValid = false;
    ~ANeuralNetworksCompilation();
};

struct ANeuralNetworksBurst {
    Use<ANeuralNetworksCompilation> compilation;
    std::atomic<bool> isBusy{false};
};

struct Argument {
    bool isSet = false, isOmitted = false;
    std::vector<uint32_t> dimensions;
    uint8_t* pointer = nullptr;
    Use<ANeuralNetworksMemory> used;
    ANeuralNetworksMemory* memory = nullptr;
    size_t offset = 0, length = 0;
    std::vector<uint32_t> found;  // dimensions of an output that was computed
    bool isSufficient = true;
};

enum class State { New, Running, Done };

struct ANeuralNetworksExecution {
    explicit ANeuralNetworksExecution(const ANeuralNetworksCompilation* of) : compilation(of) {}
    Use<ANeuralNetworksCompilation> compilation;
    std::vector<Argument> inputs, outputs;
    std::mutex mutex;
    State state = State::New;
    bool isReusable = false, isMeasured = false, isPadded = false, hasArguments = false;
    uint64_t timeout = 0, loopTimeout = 2000000000;
    int result = 0, lateError = 0;
    uint64_t onHardware = UINT64_MAX, inDriver = UINT64_MAX, fencedInDriver = UINT64_MAX;
};

struct ANeuralNetworksEvent {
    std::mutex mutex;
    std::condition_variable ended;
    bool isDone = false;
    int result = 0;
    int fence = -1, signal = -1;  // both ends of the fence
    std::thread thread;
    ~ANeuralNetworksEvent();
};

struct ANeuralNetworksMemoryDesc {
    std::vector<std::tuple<const ANeuralNetworksCompilation*, bool, uint32_t>> roles;
    std::vector<uint32_t> dimensions;
    bool isFinished = false;
};

// A value while a model runs.
struct Value {
    std::vector<uint32_t> dimensions;
    const uint8_t* data = nullptr;
    std::vector<uint8_t> own;
    size_t count() const;
};

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation*, const int*, uint32_t, const int*, uint32_t,
                                                    const uint8_t*);
bool isControlFlow(int32_t type);
bool isOpen(const ANeuralNetworksModel& model, const Operation& operation);
int runControlFlow(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
                   uint64_t loopTimeout);
int readConstants(const ANeuralNetworksModel& model, std::vector<Value>& values);
bool isSupported(const ANeuralNetworksModel& model, const Operation& operation);
bool hasCaseOfTypes(const ANeuralNetworksModel& model, const Operation& operation);
int runOperation(const ANeuralNetworksModel& model, const Operation& operation, std::vector<Value>& values,
                 uint64_t loopTimeout);
bool combine(const std::vector<uint32_t>& known, const std::vector<uint32_t>& given, std::vector<uint32_t>& all);
bool isFullyKnown(const std::vector<uint32_t>& dimensions);
bool isAgreed(int32_t type, const std::vector<const Operand*>& inputs, const std::vector<const Operand*>& outputs);
uint64_t nowNs();
