// The objects behind the opaque types of the NNAPI's C API: docs/contract/c-api.md 1. Their models and requests are converted
// to those of model.h, which validator.cpp validates and driver.cpp computes.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <system_error>

// These functions are what the library exports; the rest is built with -fvisibility=hidden.
#pragma GCC visibility push(default)
#include "NeuralNetworks.h"
#pragma GCC visibility pop

#include "driver.h"
#include "failure.h"
#include "fences.h"

// Exception for a call that returns a result code other than NO_ERROR.
struct Refused {
    int code;
};

inline void require(bool holds, int code) {
    if (!holds) throw Refused{code};
}

template <typename... Pointers>
void require_pointers(const Pointers*... pointers) {
    require(((pointers != nullptr) && ...), ANEURALNETWORKS_UNEXPECTED_NULL);
}

int result_of(nnvet_error_status status);

// Runs the body of a function of the C API, and turns every exception into a result code.
template <typename Body>
int answer(Body body) {
    try {
        body();
        return ANEURALNETWORKS_NO_ERROR;
    } catch (const Refused& refused) {
        return refused.code;
    } catch (const Failure& failure) {
        return result_of(failure.status);
    } catch (const std::bad_alloc&) {
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    } catch (const std::system_error&) {
        return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
}

struct ANeuralNetworksDevice {};

struct ANeuralNetworksMemory {
    Memory memory;
};

struct ANeuralNetworksModel {
    struct Constant {
        const void* bytes;  // memory of the client until the model is finished; short values are in `copy`
        std::size_t length;
        std::string copy;
    };

    Model model;
    std::map<std::size_t, Constant> constants;
    std::map<std::size_t, const ANeuralNetworksModel*> subgraphs;
    std::vector<std::size_t> order;  // for each sorted operation, its index in the order in which the client added them
    bool is_finished = false, is_valid = false;
};

struct ANeuralNetworksCompilation {
    Model model;
    PrepareModelConfig config;
    std::unique_ptr<const PreparedModel> prepared;
    bool is_finished = false;
};

struct ANeuralNetworksBurst {
    const ANeuralNetworksCompilation* compilation;
    std::atomic<bool> is_busy{false};
};

struct ANeuralNetworksExecution {
    enum class State { prepared, running, done };

    const ANeuralNetworksCompilation* compilation;
    Request request;
    std::vector<bool> inputs_set, outputs_set;
    ExecutionConfig config;
    std::uint64_t timeout_ns = 0;
    bool is_reusable = false, is_padded = false;
    std::mutex mutex;  // guards all members below
    State state = State::prepared;
    int result = ANEURALNETWORKS_NO_ERROR;
    ExecutionResult outputs;
    std::int64_t launched_ns = 0, fenced_ns = 0, ended_ns = 0;
};

struct ANeuralNetworksEvent {
    std::shared_future<int> result;  // invalid for an event that was made from a fence of the client
    DescriptorPtr fence;             // null if the event has no fence
};
