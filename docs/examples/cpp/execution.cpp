#include "execution.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "fences.h"
#include "validator.h"

namespace {

// Returns the time from `since_ns` to now if timing was requested: docs/contract/hal.md 6.4.
Value timing(const Execution& execution, std::int64_t since_ns) {
    if (!execution.config.measure_timing || since_ns < 0) return Value::map({});
    const Value spent = Value::integer(now_ns() - since_ns);
    return Value::map({{NNVET_FIELD_TIMING_TIME_ON_DEVICE_NS, spent}, {NNVET_FIELD_TIMING_TIME_IN_DRIVER_NS, spent}});
}

Value shapes_value(const std::vector<OutputShape>& shapes) {
    std::vector<Value> values;
    for (const OutputShape& shape : shapes) {
        std::vector<Value> dimensions;
        for (std::int64_t size : shape.dimensions) dimensions.push_back(Value::integer(size));
        values.push_back(Value::map({{NNVET_FIELD_OUTPUT_SHAPE_DIMENSIONS, Value::array(std::move(dimensions))},
                                     {NNVET_FIELD_OUTPUT_SHAPE_IS_SUFFICIENT, Value::boolean(shape.is_sufficient)}}));
    }
    return Value::array(std::move(values));
}

ExecutionResult run(const Execution& execution, std::int64_t deadline_ns) {
    return execution.prepared->model.execute(execution.request, execution.config, deadline_ns);
}

// Runs `action` and returns its status. A failure is passed to `report`.
template <typename Action>
nnvet_error_status status_of(Action action, const std::function<void(const Failure&)>& report = [](const Failure&) {}) {
    try {
        return action();
    } catch (const Failure& failure) {
        report(failure);
        return failure.status;
    } catch (const std::bad_alloc&) {
        return NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
}

}  // namespace

void Execution::validate(std::int64_t deadline_ns, bool outputs_may_be_unknown) const {
    validate_execution(prepared->model.model(), request, config, deadline_ns, outputs_may_be_unknown);
}

Value execute_synchronously(const Execution& execution, std::int64_t deadline_ns) {
    const std::int64_t start_ns = now_ns();
    execution.validate(deadline_ns, true);
    const ExecutionResult result = run(execution, deadline_ns);
    const bool sufficient = result.is_sufficient();
    return Value::map({{NNVET_FIELD_EXECUTION_RESULT_OUTPUT_SUFFICIENT_SIZE, Value::boolean(sufficient)},
                       {NNVET_FIELD_EXECUTION_RESULT_OUTPUT_SHAPES, shapes_value(result.shapes)},
                       {NNVET_FIELD_EXECUTION_RESULT_TIMING, sufficient ? timing(execution, start_ns) : Value::map({})}});
}

void execute_asynchronously(Session& session, const Execution& execution, std::int64_t deadline_ns, std::int64_t callback) {
    const std::int64_t start_ns = now_ns();
    const auto notify = [&session, callback](nnvet_error_status status, Value shapes, Value timing, const Failure* reason = nullptr) {
        session.notify(callback, NNVET_METHOD_EXECUTION_CALLBACK_NOTIFY,
                       {Value::integer(status), std::move(shapes), std::move(timing)}, reason);
    };
    // The reference is safe: the session outlives the tasks that it has launched.
    const auto task = [execution, notify, start_ns, deadline_ns] {
        Value shapes = Value::array({}), times = Value::map({});
        std::optional<Failure> reason;
        const auto keep = [&reason](const Failure& failure) { reason = failure; };
        const nnvet_error_status status = status_of([&] {
            const ExecutionResult result = run(execution, deadline_ns);
            shapes = shapes_value(result.shapes);
            if (!result.is_sufficient()) return NNVET_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE;
            times = timing(execution, start_ns);
            return NNVET_ERROR_STATUS_NONE;
        }, keep);
        notify(status, std::move(shapes), std::move(times), reason ? &*reason : nullptr);
    };
    try {
        execution.validate(deadline_ns, true);
        session.launch(task);
    } catch (const Failure& failure) {
        notify(failure.status, Value::array({}), Value::map({}), &failure);
        throw;
    }
}

Value FencedInfo::get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto times = [](const Value& known) { return known.kind == Value::Kind::nil ? Value::map({}) : known; };
    return Value::array({Value::integer(status_), times(launched_), times(fenced_)});
}

void FencedInfo::set(nnvet_error_status status, Value launched, Value fenced) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = status;
    launched_ = std::move(launched);
    fenced_ = std::move(fenced);
}

Answer execute_fenced(Session& session, const Execution& execution, const Descriptors& wait_for, std::int64_t deadline_ns,
                      std::int64_t duration_ns, const std::shared_ptr<Reusable>& reusable) {
    const std::int64_t start_ns = now_ns();
    execution.validate(deadline_ns, false);
    if (duration_ns < -1) throw invalid("the duration is negative", "execution/duration");
    for (const DescriptorPtr& fence : wait_for) {
        if (fence->fd() < 0) throw invalid("a fence to wait for has no descriptor", "execution/fence");
    }
    auto in_flight = reusable ? std::make_shared<InFlight>(reusable->busy) : nullptr;
    const auto info = std::make_shared<FencedInfo>();
    const auto perform = [&session, execution, wait_for, deadline_ns, start_ns, info] {
        for (const DescriptorPtr& fence : wait_for) wait_for_fence(*fence, deadline_ns, session.stop());
        const std::int64_t fenced_ns = now_ns();
        // Shapes are known (hal.md 10.4.1), so every output is large enough. The duration is not checked while this driver
        // computes: completing late is allowed (hal.md 6.6).
        run(execution, deadline_ns);
        info->set(NNVET_ERROR_STATUS_NONE, timing(execution, start_ns), timing(execution, fenced_ns));
    };
    Descriptors sent;
    Value fence_value;
    if (wait_for.empty()) {
        perform();
    } else {
        const auto fence = std::make_shared<Fence>();
        sent.push_back(fence->receiving_end());
        fence->sent();
        fence_value = Value::descriptor(0);
        session.launch([perform, fence, info, reusable, in_flight = std::move(in_flight)]() mutable {
            const nnvet_error_status status = status_of([&perform] {
                perform();
                return NNVET_ERROR_STATUS_NONE;
            });
            in_flight.reset();  // a client that has seen the signal may execute again
            if (status == NNVET_ERROR_STATUS_NONE) return fence->signal();
            info->set(status, Value(), Value());
            fence->abandon();
        });
    }
    const Value reference = Value::reference(static_cast<std::uint64_t>(session.keep(info)));
    return {Value::map({{NNVET_FIELD_FENCED_EXECUTION_RESULT_CALLBACK, reference},
                        {NNVET_FIELD_FENCED_EXECUTION_RESULT_SYNC_FENCE, fence_value}}),
            std::move(sent)};
}
