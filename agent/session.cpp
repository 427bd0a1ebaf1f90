#include "session.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <system_error>

namespace {

constexpr char kProtocol[] = "nnvet-link";
constexpr char kVersion[] = "4";
constexpr std::uint64_t kPrimary = 1;
constexpr int kPauseMs = 100;
constexpr std::chrono::milliseconds kWeighEvery(300);
constexpr int kEndingPauseMs = 5;
constexpr int kGoodbyeTurns = 200;
constexpr useconds_t kGoodbyePauseUs = 5000;
constexpr std::size_t kMostChannels = 256;
constexpr int kMostReads = 16;
constexpr std::size_t kMostContentBytes = std::size_t{64} << 20;

// The kinds of objects that a frame can pass as a descriptor.
enum class Entry : std::uint8_t { memory = 1, fence = 2, channel = 3, read_only = 4, write_only = 5, folder = 6 };

bool is_same(std::string_view one, std::string_view other) {
    // Takes the same time for every guess, so that the time reveals nothing about the token.
    unsigned char differs = one.size() != other.size();
    for (std::size_t i = 0; i < one.size(); ++i) differs |= static_cast<unsigned char>(one[i] ^ other[other.empty() ? 0 : i % other.size()]);
    return !differs;
}

std::string line_of(std::istringstream& lines) {
    std::string line;
    std::getline(lines, line);
    return line;
}

std::string own_name() {
    utsname system = {};
    uname(&system);
    return std::string("nnvet-agent on ") + system.nodename + " (" + system.machine + ")";
}

}  // namespace

volatile sig_atomic_t Session::is_asked_to_end = 0;

Session::Session(const Options& options, int in, int out) : options_(options), in_(in), out_(out) {
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
}

void Session::run() {
    try {
        loop();
    } catch (const std::bad_alloc&) {
        memories_.clear();
        contents_.clear();
        say(Kind::refused, 0, "the agent has no memory left");
    } catch (const std::exception& error) {
        // Tells the suite the reason, if it is still connected.
        std::fprintf(stderr, "nnvet-agent: %s\n", error.what());
        say(Kind::refused, 0, error.what());
    }
    write_link();
    channels_.clear();
    if (!process_) return;
    for (int turn = 0; turn < kGoodbyeTurns && !process_->ended(); ++turn) usleep(kGoodbyePauseUs);
    process_->kill();
}

void Session::loop() {
    while (!is_over_ && !is_asked_to_end) turn();
}

void Session::turn() {
    std::vector<pollfd> polled;
    std::vector<std::uint64_t> channels, fences;
    wait_for_events(polled, channels, fences);
    std::size_t at = 0;
    const bool is_readable = polled[at++].revents != 0;
    ++at;  // the entry of out_: write_link is called in any case
    const bool has_output = polled[at++].revents != 0;
    for (std::uint64_t id : channels) {
        if (polled[at++].revents & ~POLLOUT && channels_.count(id)) serve_channel(id);
    }
    for (std::uint64_t id : fences) {
        if (polled[at++].revents) look_at_fence(id);
    }
    if (has_output) hear_output();
    if (is_readable && !read_link()) is_over_ = true;
    if (Clock::now() - heard_ > std::chrono::seconds(options_.silence_s)) throw Broken("nothing was heard of the suite for long");
    flush_channels();
    weigh();
    tell_end();
    write_link();
}

void Session::wait_for_events(std::vector<pollfd>& polled, std::vector<std::uint64_t>& channels, std::vector<std::uint64_t>& fences) {
    const auto add = [&polled](int fd, int events) { polled.push_back({fd, static_cast<short>(events), 0}); };
    add(in_, POLLIN);
    add(unsent_.empty() ? -1 : out_, POLLOUT);
    add(process_ ? process_->output().fd() : -1, POLLIN);
    for (const auto& [id, channel] : channels_) {
        add(channel->fd(), POLLIN | (channel->has_unsent() ? POLLOUT : 0));
        channels.push_back(id);
    }
    for (const auto& [id, fence] : driver_fences_) {
        add(fence.fd(), POLLIN);
        fences.push_back(id);
    }
    const bool is_ending = process_ && !has_ended_ && !channels_.count(kPrimary);
    poll(polled.data(), polled.size(), is_ending ? kEndingPauseMs : kPauseMs);
}

bool Session::read_link() {
    char buffer[kChunkBytes];
    const ssize_t count = read(in_, buffer, sizeof buffer);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (count == 0) return false;
    heard_ = Clock::now();
    splitter_.feed(buffer, static_cast<std::size_t>(count));
    Message message;
    while (!is_over_ && splitter_.next(message)) act(message);
    return true;
}

void Session::write_link() {
    std::size_t sent = 0;
    while (sent < unsent_.size()) {
        const ssize_t count = write(out_, unsent_.data() + sent, unsent_.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
    }
    unsent_.erase(0, sent);
}

void Session::act(const Message& message) {
    Cursor cursor(message.body);
    if (!is_welcome_) return greet(message);
    switch (message.kind) {
        case Kind::frame: return send_frame(message);
        case Kind::part: {
            const auto found = channels_.find(message.id);
            if (found != channels_.end()) found->second->append(message.body);
            return;
        }
        case Kind::close: channels_.erase(message.id); return;
        case Kind::memory: memories_[message.id] = std::make_unique<Memory>(cursor.number(8)); return;
        case Kind::range: {
            const std::uint64_t offset = cursor.number(8);
            return memory(message.id).write(offset, cursor.rest());
        }
        case Kind::keep: return keep(message.id, message.body);
        case Kind::paste: {
            const std::uint64_t offset = cursor.number(8);
            return memory(message.id).write(offset, content(cursor));
        }
        case Kind::again: {
            const std::string& bytes = content(cursor);
            const auto found = channels_.find(message.id);
            if (found != channels_.end()) found->second->append(bytes);
            return;
        }
        case Kind::forget: return forget(message.id);
        case Kind::resize: return memory(message.id).resize(cursor.number(8));
        case Kind::seal: return memory(message.id).seal(static_cast<std::uint32_t>(cursor.number(4)));
        case Kind::watch: {
            const bool is_watched = cursor.number(1) != 0;
            while (!cursor.at_end()) memory(cursor.number(8)).is_watched = is_watched;
            return;
        }
        case Kind::drop: memories_.erase(message.id); return;
        case Kind::fence: return set_fence(message.id, static_cast<FenceState>(cursor.number(1)));
        case Kind::ping: {
            timespec now;
            clock_gettime(CLOCK_BOOTTIME, &now);
            std::string body;
            put(body, static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec), 8);
            return say(Kind::ping, message.id, body);
        }
        case Kind::look: return say(Kind::look, message.id, std::string_view(Process::look()).substr(0, kMostBodyBytes));
        case Kind::kill: return process_->kill();
        default: throw Broken("there is no such kind of message");
    }
}

// The lines of a greeting: protocol, versions, token, bytes that the driver may have (0: all).
void Session::greet(const Message& message) {
    std::istringstream lines(message.body);
    const auto turn_away = [this](const std::string& why) {
        say(Kind::refused, 0, why);
        is_over_ = true;
    };
    if (message.kind != Kind::hello || line_of(lines) != kProtocol) throw Broken("the first message is no greeting");
    std::istringstream versions(line_of(lines));
    bool is_known = false;
    for (std::string version; versions >> version;) is_known |= version == kVersion;
    if (!is_known) return turn_away(std::string("the agent speaks version ") + kVersion + " of the protocol, which the suite does not");
    if (!is_same(line_of(lines), options_.token)) return turn_away("the token is wrong");
    memory_limit_ = std::strtoull(line_of(lines).c_str(), nullptr, 10);
    is_welcome_ = true;
    start_driver();
    say(Kind::hello, 0, std::string(kVersion) + "\n" + own_name());
}

void Session::start_driver() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw system_failure("no socket");
    Descriptor ours(ends[0]);
    process_ = std::make_unique<Process>(options_.command, Descriptor(ends[1]));
    channels_[kPrimary] = std::make_unique<Channel>(std::move(ours));
}

void Session::send_frame(const Message& message) {
    Cursor cursor(message.body);
    std::vector<Descriptor> descriptors;
    for (std::uint64_t left = cursor.number(2); left > 0; --left) descriptors.push_back(described(cursor));
    const auto found = channels_.find(message.id);
    // The driver may have closed the channel meanwhile; the suite is told of that separately.
    if (found == channels_.end()) return;
    found->second->append(cursor.rest());
    found->second->finish(std::move(descriptors));
}

Descriptor Session::described(Cursor& cursor) {
    const auto entry = static_cast<Entry>(cursor.number(1));
    const std::uint64_t id = cursor.number(8);
    switch (entry) {
        case Entry::memory:
        case Entry::read_only:
        case Entry::write_only: {
            return memory(id).opened(entry == Entry::memory ? O_RDWR : entry == Entry::read_only ? O_RDONLY : O_WRONLY);
        }
        case Entry::fence: {
            const auto found = new_fences_.find(id);
            if (found == new_fences_.end()) throw Broken("there is no such fence");
            Descriptor theirs = std::move(found->second.second);
            if (found->second.first.fd() >= 0) their_fences_[id] = std::move(found->second.first);
            new_fences_.erase(found);
            return theirs;
        }
        case Entry::channel: {
            int ends[2];
            if (channels_.count(id) || channels_.size() >= kMostChannels) throw Broken("there can be no such channel");
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw system_failure("no socket");
            channels_[id] = std::make_unique<Channel>(Descriptor(ends[0]));
            return Descriptor(ends[1]);
        }
        case Entry::folder: return Descriptor(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    throw Broken("there is no such kind of descriptor");
}

// Creates a fence of the suite with its first state, or changes its state, which happens at most once.
void Session::set_fence(std::uint64_t id, FenceState state) {
    const auto sent = their_fences_.find(id);
    if (sent != their_fences_.end()) {
        settle_fence(sent->second, state);
        if (state != FenceState::active) their_fences_.erase(sent);
        return;
    }
    auto& fence = new_fences_[id] = make_fence();
    settle_fence(fence.first, state);
}

Memory& Session::memory(std::uint64_t id) {
    const auto found = memories_.find(id);
    if (found == memories_.end()) throw Broken("there is no such memory");
    return *found->second;
}

void Session::keep(std::uint64_t id, const std::string& bytes) {
    forget(id);
    content_bytes_ += bytes.size();
    if (content_bytes_ > kMostContentBytes) throw Broken("the suite has more kept than it may");
    contents_[id] = bytes;
}

void Session::forget(std::uint64_t id) {
    const auto found = contents_.find(id);
    if (found == contents_.end()) return;
    content_bytes_ -= found->second.size();
    contents_.erase(found);
}

// Reads the id of kept bytes and the sum of those that the suite means.
const std::string& Session::content(Cursor& cursor) const {
    const auto found = contents_.find(cursor.number(8));
    if (found == contents_.end() || crc32(found->second) != cursor.number(4)) throw Broken("what the suite names was not kept");
    return found->second;
}

void Session::serve_channel(std::uint64_t id) {
    Channel& channel = *channels_[id];
    const bool is_open = channel.read();
    std::string payload, reason;
    std::vector<Descriptor> descriptors;
    try {
        while (channel.next(payload, descriptors)) forward(id, payload, descriptors);
    } catch (const Broken& broken) {
        return close_channel(id, broken.what());
    }
    if (!is_open) close_channel(id, "");
}

void Session::forward(std::uint64_t id, std::string_view payload, std::vector<Descriptor>& descriptors) {
    std::string entries;
    put(entries, descriptors.size(), 2);
    for (Descriptor& descriptor : descriptors) {
        const FenceState state = fence_state(descriptor.fd());
        put(entries, ++last_fence_, 8);
        put(entries, static_cast<std::uint8_t>(state), 1);
        if (state == FenceState::active) driver_fences_[last_fence_] = std::move(descriptor);
    }
    // An execution may end at any time, so the states of its fences are read first: one that has signalled by then has
    // written all that is told here.
    tell_changes();
    for (; payload.size() > kChunkBytes; payload.remove_prefix(kChunkBytes)) say(Kind::part, id, payload.substr(0, kChunkBytes));
    say(Kind::frame, id, entries.append(payload));
}

void Session::close_channel(std::uint64_t id, std::string_view reason) {
    tell_changes();
    channels_.erase(id);
    say(Kind::close, id, reason);
}

void Session::flush_channels() {
    std::vector<std::uint64_t> closed;
    for (const auto& [id, channel] : channels_) {
        // Before the channel closes, read what the driver has sent.
        if (!channel->flush() && !channel->read()) closed.push_back(id);
    }
    for (std::uint64_t id : closed) close_channel(id, "");
}

void Session::look_at_fence(std::uint64_t id) {
    const auto found = driver_fences_.find(id);
    const FenceState state = fence_state(found->second.fd());
    if (state == FenceState::active) return;
    driver_fences_.erase(found);
    tell_changes();
    std::string body;
    put(body, static_cast<std::uint8_t>(state), 1);
    say(Kind::fence, id, body);
}

// Tells what the driver has done before it sends a frame, signals a fence or closes a channel: its results and its output
// must reach the suite first. A sanitizer's report that came after the reply would be that of another case.
void Session::tell_changes() {
    hear_output();
    for (const auto& [number, one] : memories_) {
        if (!one->is_watched) continue;
        const std::uint64_t id = number;
        const auto resized = [this, id](std::uint64_t size) {
            std::string body;
            put(body, size, 8);
            say(Kind::resize, id, body);
        };
        one->compare(resized, [this, id](std::uint64_t offset, std::string_view bytes) {
            std::string body;
            put(body, offset, 8);
            say(Kind::range, id, body.append(bytes));
        });
    }
}

void Session::hear_output() {
    if (!process_ || process_->output().fd() < 0) return;
    char buffer[kChunkBytes];
    for (int turn = 0; turn < kMostReads; ++turn) {
        const ssize_t count = read(process_->output().fd(), buffer, sizeof buffer);
        if (count == 0) process_->output().close();
        if (count <= 0) return;
        say(Kind::output, 0, std::string_view(buffer, static_cast<std::size_t>(count)));
    }
}

void Session::tell_end() {
    if (!process_ || has_ended_) return;
    const auto status = process_->ended();
    if (!status) return;
    has_ended_ = true;
    hear_output();
    std::string body;
    put(body, static_cast<std::uint64_t>(static_cast<std::int64_t>(*status)), 4);
    put(body, taken_, 8);
    say(Kind::exited, 0, body);
}

// Kills a driver that uses more memory than allowed, before the machine runs out of it.
void Session::weigh() {
    if (memory_limit_ == 0 || taken_ != 0 || !process_ || Clock::now() - weighed_ < kWeighEvery) return;
    weighed_ = Clock::now();
    const std::uint64_t memory = Process::memory();
    if (memory <= memory_limit_) return;
    taken_ = memory;
    process_->kill();
}
