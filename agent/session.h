// One client of the agent: passes messages between the suite and the driver's process.
#pragma once

#include <poll.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel.h"
#include "fence.h"
#include "memory.h"
#include "message.h"
#include "process.h"

struct Options {
    std::vector<std::string> command;
    std::string token;  // empty: any client may connect, because only trusted ones can reach the agent
    int silence_s = 60;
};

class Session {
public:
    // `in` and `out` may be the same connection.
    Session(const Options& options, int in, int out);
    // Serves the client until it disconnects, then ends all processes of the driver.
    void run();

    // Set by a signal that asks this process to end: the driver has to be ended first.
    static volatile sig_atomic_t is_asked_to_end;

private:
    using Clock = std::chrono::steady_clock;

    void loop();
    void turn();
    void wait_for_events(std::vector<pollfd>& polled, std::vector<std::uint64_t>& channels, std::vector<std::uint64_t>& fences);
    bool read_link();
    void write_link();
    void say(Kind kind, std::uint64_t id, std::string_view body = {}) { unsent_ += packed(kind, id, body); }

    void act(const Message& message);
    void greet(const Message& message);
    void start_driver();
    void send_frame(const Message& message);
    Descriptor described(Cursor& cursor);
    void set_fence(std::uint64_t id, FenceState state);
    Memory& memory(std::uint64_t id);
    void keep(std::uint64_t id, const std::string& bytes);
    void forget(std::uint64_t id);
    const std::string& content(Cursor& cursor) const;

    void serve_channel(std::uint64_t id);
    void forward(std::uint64_t id, std::string_view payload, std::vector<Descriptor>& descriptors);
    void close_channel(std::uint64_t id, std::string_view reason);
    void flush_channels();
    void look_at_fence(std::uint64_t id);
    void tell_changes();
    void hear_output();
    void tell_end();
    void weigh();

    const Options& options_;
    const int in_, out_;
    Splitter splitter_;
    std::string unsent_;
    Clock::time_point heard_ = Clock::now(), weighed_ = Clock::now();
    std::uint64_t memory_limit_ = 0;  // 0: no limit
    std::uint64_t taken_ = 0;         // the driver's memory when weigh() killed it; else 0
    bool is_welcome_ = false, is_over_ = false, has_ended_ = false;
    std::unique_ptr<Process> process_;
    std::map<std::uint64_t, std::unique_ptr<Channel>> channels_;
    std::map<std::uint64_t, std::unique_ptr<Memory>> memories_;
    std::map<std::uint64_t, std::string> contents_;  // bytes that the suite will name again, by the id that it gave them
    std::size_t content_bytes_ = 0;
    std::map<std::uint64_t, Descriptor> their_fences_;  // our ends of the suite's fences
    std::map<std::uint64_t, std::pair<Descriptor, Descriptor>> new_fences_;
    std::map<std::uint64_t, Descriptor> driver_fences_;
    std::uint64_t last_fence_ = 0;
};
