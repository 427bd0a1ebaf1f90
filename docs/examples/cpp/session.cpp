#include "session.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <system_error>
#include <thread>

#include "service.h"

namespace {

constexpr const char* kImplementation = "nnvet example in C++ 1.0";
constexpr std::int64_t kVersions[] = {NNVET_WIRE_VERSION, 2};  // version 2 needs no further code

std::thread thread_for(std::function<void()> task) {
    try {
        return std::thread(std::move(task));
    } catch (const std::system_error&) {
        throw Failure(NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, "there is no thread", "wire/limits");
    }
}

}  // namespace

Session::Session(DescriptorPtr primary) : primary_(std::move(primary)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw failed("there are no descriptors for a session", "wire/limits");
    stop_ = std::make_shared<Descriptor>(ends[0]);
    stopping_ = std::make_shared<Descriptor>(ends[1]);
}

void Session::run() {
    try {
        if (shake_hands()) serve_primary();
    } catch (const Malformed& malformed) {
        end(malformed.what());
    } catch (const Failure& failure) {
        end(failure.message);
    } catch (const std::bad_alloc&) {
        end("there is no memory for a message");
    }
    finish();
}

// The handshake: docs/protocol.md "Messages".
bool Session::shake_hands() {
    Frame frame;
    std::string protocol;
    if (!read_frame(primary_->fd(), frame)) return false;
    const auto offered = read_hello(frame, protocol);
    for (std::int64_t version : kVersions) {
        const bool common = std::find(offered.begin(), offered.end(), version) != offered.end();
        if (protocol != NNVET_WIRE_PROTOCOL || !common) continue;
        const Value welcome = Value::array({Value::integer(version), Value::text(kImplementation)});
        return write_frame(primary_->fd(), encode(success(welcome, 0)));
    }
    write_frame(primary_->fd(), encode(refusal(invalid("this service speaks versions 2 and 3", "wire/version"), 0)));
    return false;
}

void Session::serve_primary() {
    Frame frame;
    while (read_frame(primary_->fd(), frame)) {
        const Call call = read_call(std::move(frame));
        release(call.released);
        if (call.target != kServiceId || call.method != NNVET_METHOD_SERVICE_OPEN_LANE) {
            throw Malformed("a call on the primary is not Service.open_lane");
        }
        open_lane(call);
    }
}

void Session::open_lane(const Call& call) {
    const bool whole = call.arguments.size() == 1 && call.arguments[0].kind == Value::Kind::descriptor &&
                       call.arguments[0].number < static_cast<std::int64_t>(call.descriptors.size());
    if (!whole) throw Malformed("Service.open_lane has no descriptor");
    const DescriptorPtr lane = call.descriptors[static_cast<std::size_t>(call.arguments[0].number)];
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        lanes_.insert(lane);
    }
    launch([this, lane] {
        serve_lane(lane);
        const std::lock_guard<std::mutex> lock(mutex_);
        lanes_.erase(lane);
    });
}

void Session::serve_lane(const DescriptorPtr& lane) {
    try {
        Frame frame;
        while (read_frame(lane->fd(), frame)) {
            Call call = read_call(std::move(frame));
            release(call.released);
            if (!answer(call, lane)) return;
        }
    } catch (const Malformed& malformed) {
        end(malformed.what());
    } catch (const std::bad_alloc&) {
        end("there is no memory for a message");
    }
}

bool Session::answer(const Call& call, const DescriptorPtr& lane) {
    try {
        const Answer answer = serve_call(*this, call);
        const std::string payload = encode(success(answer.result, call.number));
        if (payload.size() > NNVET_WIRE_MAX_REPLY_BYTES) throw failed("the result is too long", "driver/reply");
        return write_frame(lane->fd(), payload, answer.descriptors);
    } catch (const Failure& failure) {
        return write_frame(lane->fd(), encode(refusal(failure, call.number)));
    } catch (const std::bad_alloc&) {
        const Failure failure(NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, "there is no memory");
        return write_frame(lane->fd(), encode(refusal(failure, call.number)));
    } catch (const Malformed&) {
        throw;
    } catch (const std::exception& other) {
        return write_frame(lane->fd(), encode(refusal(failed(other.what(), "driver/exception"), call.number)));
    }
}

void Session::release(const std::vector<std::int64_t>& ids) {
    std::vector<ObjectPtr> released;  // their destructors run after the lock is released
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::int64_t id : ids) {
        const auto found = objects_.find(id);
        if (found == objects_.end()) continue;  // ignored, as are the ids of the service and the device
        released.push_back(std::move(found->second));
        objects_.erase(found);
    }
}

std::int64_t Session::keep(ObjectPtr object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_[next_id_] = std::move(object);
    return next_id_++;
}

ObjectPtr Session::find(std::int64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second;
}

void Session::notify(std::int64_t callback, const char* method, std::vector<Value> arguments, const Failure* reason) {
    const std::lock_guard<std::mutex> lock(writing_);
    if (has_ended_) return;
    std::vector<Value> dropped;
    for (std::int64_t id : dropped_) dropped.push_back(Value::integer(id));
    std::vector<Value> call = {Value::integer(callback), Value::text(method), Value::array(std::move(dropped)),
                               Value::array(std::move(arguments))};
    if (reason) call.insert(call.end(), {Value::integer(0), Value::text(reason->message), Value::text(reason->rule)});
    write_frame(primary_->fd(), encode(Value::array(std::move(call))));
    dropped_.assign(1, callback);
}

void Session::launch(std::function<void()> task) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++threads_;
    }
    const auto done = [self = shared_from_this()] {
        const std::lock_guard<std::mutex> lock(self->mutex_);
        --self->threads_;
        self->idle_.notify_all();
    };
    try {
        thread_for([task = std::move(task), done]() mutable {
            task();
            task = nullptr;
            done();
        }).detach();
    } catch (const Failure&) {
        done();
        throw;
    }
}

// Says why the session ends, then closes it: docs/protocol.md "Frames", last paragraph, and "Farewell".
void Session::end(const std::string& reason) {
    const std::lock_guard<std::mutex> lock(writing_);
    if (has_ended_) return;
    has_ended_ = true;
    std::fprintf(stderr, "a session ends: %s\n", reason.c_str());
    const Value farewell = Value::array({Value::integer(kServiceId), Value::text(NNVET_METHOD_SESSION_END),
                                         Value::array({}), Value::array({Value::text(reason)})});
    write_frame(primary_->fd(), encode(farewell));
    shutdown(primary_->fd(), SHUT_RDWR);  // wakes the thread that reads it
}

void Session::finish() {
    {
        const std::lock_guard<std::mutex> lock(writing_);
        has_ended_ = true;
    }
    shutdown(primary_->fd(), SHUT_RDWR);
    stopping_.reset();
    std::unique_lock<std::mutex> lock(mutex_);
    for (const DescriptorPtr& lane : lanes_) shutdown(lane->fd(), SHUT_RDWR);
    idle_.wait(lock, [this] { return threads_ == 0; });
    objects_.clear();
}

void start_session(DescriptorPtr primary) {
    const auto session = std::make_shared<Session>(std::move(primary));
    thread_for([session] { session->run(); }).detach();
}
