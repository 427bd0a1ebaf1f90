// A session serves one client: it owns the primary connection, the lanes and the client's objects. docs/protocol.md
// "Overview", "Objects and their lifetimes".
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "wire.h"

// Base of everything that a client refers to by an id.
struct Object {
    virtual ~Object() = default;
};
using ObjectPtr = std::shared_ptr<Object>;

constexpr std::int64_t kServiceId = 0, kDeviceId = 1;

struct Answer {
    Value result;
    Descriptors descriptors;
};

class Session : public std::enable_shared_from_this<Session> {
public:
    explicit Session(DescriptorPtr primary);

    // Serves the client until the primary is closed, on the calling thread and one for each lane.
    void run();

    // For the methods of the service. All of these may be called from any thread.
    std::int64_t keep(ObjectPtr object);  // returns the new id of the object
    template <typename T>
    std::shared_ptr<T> object(std::int64_t id) {
        if (auto found = std::dynamic_pointer_cast<T>(find(id))) return found;
        throw invalid("there is no such object", "wire/object");
    }
    // Sends the single notification of a callback and forgets the callback. A notification of a failure may give
    // the reason.
    void notify(std::int64_t callback, const char* method, std::vector<Value> arguments, const Failure* reason = nullptr);
    // Runs a task on a new thread. The session waits for it before it ends. Throws Failure.
    void launch(std::function<void()> task);
    const Descriptor& stop() const { return *stop_; }  // readable once the session ends

private:
    bool shake_hands();
    void serve_primary();
    void serve_lane(const DescriptorPtr& lane);
    void open_lane(const Call& call);
    bool answer(const Call& call, const DescriptorPtr& lane);
    void release(const std::vector<std::int64_t>& ids);
    ObjectPtr find(std::int64_t id);
    void end(const std::string& reason);  // because of an error of the client
    void finish();

    DescriptorPtr primary_, stop_, stopping_;
    std::mutex writing_;                        // guards writes to the primary, dropped_ and has_ended_
    std::vector<std::int64_t> dropped_;         // callbacks whose end the client has not been told yet
    bool has_ended_ = false;
    std::mutex mutex_;                          // guards all members below
    std::condition_variable idle_;
    std::map<std::int64_t, ObjectPtr> objects_;
    std::int64_t next_id_ = kDeviceId + 1;
    std::set<DescriptorPtr> lanes_;
    int threads_ = 0;
};

// Starts a session on a new thread: for Service.open_client and for clients that connect to a socket.
void start_session(DescriptorPtr primary);
