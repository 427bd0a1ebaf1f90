// Runs a session on a fuzzer's bytes: some are what the suite sends, the rest what the driver sends.
// Linked with the agent except main.cpp and process.cpp; the end of this file replaces the latter.
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "../session.h"
#include "conversation.h"

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 16;
constexpr int kRoom = 1 << 20;

std::string driver_says;

// Corrects the checksums: a fuzzer would not find them, and every input would be refused at once.
std::string mended(std::string_view bytes) {
    std::string whole;
    while (bytes.size() >= kHeaderBytes) {
        Cursor cursor(bytes.substr(4));
        const std::size_t length = std::min<std::size_t>(cursor.number(4) % (kMostBodyBytes + 1), bytes.size() - kHeaderBytes);
        const std::uint64_t id = cursor.number(8);
        const auto kind = static_cast<Kind>(cursor.number(2));
        whole += packed(kind, id, bytes.substr(kHeaderBytes, length));
        bytes.remove_prefix(kHeaderBytes + length);
    }
    return whole.append(bytes);
}

void send_all(int socket, std::string_view bytes) {
    const int room = kRoom;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    while (!bytes.empty()) {
        const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

// The first byte says whether checksums are corrected; the next two how many bytes at the end the driver sends.
void converse(std::string_view input) {
    Cursor cursor(input);
    const bool is_mended = cursor.number(1) % 8 != 0;
    const std::size_t of_driver = cursor.number(2) % (input.size() - 2);
    std::string_view of_suite = cursor.rest();
    driver_says = of_suite.substr(of_suite.size() - of_driver);
    of_suite.remove_suffix(of_driver);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw system_failure("no socket");
    const Descriptor suite(ends[0]);
    Descriptor agent(ends[1]);
    const std::string said = is_mended ? mended(of_suite) : std::string(of_suite);
    std::thread speaker([&] {
        send_all(suite.fd(), said);
        shutdown(suite.fd(), SHUT_WR);
    });
    Options options;
    options.command = {"driver"};
    options.token = kToken;
    Session(options, agent.fd(), agent.fd()).run();
    // Otherwise the speaker could wait for ever to send to a session that has ended.
    agent.close();
    speaker.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size > 3 && size <= kMostBytes) converse({reinterpret_cast<const char*>(bytes), size});
    return 0;
}

// A driver without a process: sends all its bytes at once and closes the connection.
Process::Process(const std::vector<std::string>&, Descriptor primary) : status_(0) {
    std::string_view rest = driver_says;
    const ssize_t sent = send(primary.fd(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    static_cast<void>(sent);
}

std::optional<int> Process::ended() { return status_; }

void Process::kill() {}

void Process::end_all_but(const std::set<pid_t>&) {}

std::string Process::look() { return "ticks 100\n"; }

std::uint64_t Process::memory() { return 0; }
