// The ways to execute a request: docs/contract/hal.md 10.4, 10.4.1, 10.7 and 13.
#pragma once

#include <atomic>

#include "driver.h"
#include "session.h"

struct Prepared : Object {
    Prepared(Model model, const PrepareModelConfig& config) : model(std::move(model), config) {}
    const PreparedModel model;
};

struct Execution {
    std::shared_ptr<Prepared> prepared;  // kept alive while the execution runs, even if the client has released it
    Request request;
    ExecutionConfig config;

    void validate(std::int64_t deadline_ns, bool outputs_may_be_unknown) const;
};

struct Reusable : Object {
    explicit Reusable(Execution execution) : execution(std::move(execution)) {}
    const Execution execution;
    std::atomic<bool> busy{false};
};

struct Burst : Object {
    explicit Burst(std::shared_ptr<Prepared> prepared) : prepared(std::move(prepared)) {}
    const std::shared_ptr<Prepared> prepared;
    std::atomic<bool> busy{false};
};

// Marks an execution as in flight. A second one at the same time fails with GENERAL_FAILURE.
class InFlight {
public:
    explicit InFlight(std::atomic<bool>& busy) : busy_(busy) {
        if (busy_.exchange(true)) throw failed("an execution is in flight", "execution/in_flight");
    }
    ~InFlight() { busy_ = false; }
    InFlight(const InFlight&) = delete;

private:
    std::atomic<bool>& busy_;
};

// FencedExecutionCallback: GENERAL_FAILURE until the fence has signalled.
class FencedInfo : public Object {
public:
    Value get();
    void set(nnvet_error_status status, Value launched, Value fenced);

private:
    std::mutex mutex_;
    nnvet_error_status status_ = NNVET_ERROR_STATUS_GENERAL_FAILURE;
    Value launched_, fenced_;
};

Value execute_synchronously(const Execution& execution, std::int64_t deadline_ns);
void execute_asynchronously(Session& session, const Execution& execution, std::int64_t deadline_ns, std::int64_t callback);
Answer execute_fenced(Session& session, const Execution& execution, const Descriptors& wait_for, std::int64_t deadline_ns,
                      std::int64_t duration_ns, const std::shared_ptr<Reusable>& reusable = nullptr);
