// nnvet-agent: runs where the driver is and serves suites that run elsewhere. docs/remote.md.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>

#include "session.h"

namespace {

constexpr int kReapEveryMs = 1000;

constexpr char kUsage[] =
    "usage: nnvet-agent --stdio [--silence SECONDS] -- COMMAND...\n"
    "       nnvet-agent --listen [HOST:]PORT --token-file FILE [--once] [--silence SECONDS] -- COMMAND...\n"
    "       nnvet-agent --listen /PATH [--token-file FILE] [--once] [--silence SECONDS] -- COMMAND...\n"
    "COMMAND is the driver's service, which is started for each suite; a HOST is 127.0.0.1 if none is given.\n";

[[noreturn]] void stop(const std::string& why) {
    std::fprintf(stderr, "nnvet-agent: %s\n", why.c_str());
    std::exit(2);
}

std::string token_in(const char* path) {
    std::ifstream file(path);
    std::string token;
    if (!std::getline(std::strcmp(path, "-") == 0 ? std::cin : file, token) || token.empty()) stop(std::string(path) + ": there is no token in it");
    return token;
}

int listen_on_path(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) stop(path + ": the path is too long");
    std::strcpy(address.sun_path, path.c_str());
    const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    umask(0177);  // only this user may connect
    if (bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listening, SOMAXCONN) != 0) {
        stop(path + ": " + std::strerror(errno));
    }
    std::printf("listening on %s\n", path.c_str());
    return listening;
}

int listen_on_port(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    const std::string host = colon == std::string::npos ? "127.0.0.1" : place.substr(0, colon);
    const std::string port = colon == std::string::npos ? place : place.substr(colon + 1);
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found)) stop(place + ": " + gai_strerror(error));
    const int listening = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listening, found->ai_addr, found->ai_addrlen) != 0 || listen(listening, SOMAXCONN) != 0) {
        stop(place + ": " + std::strerror(errno));
    }
    freeaddrinfo(found);
    sockaddr_in6 bound = {};
    socklen_t size = sizeof bound;
    getsockname(listening, reinterpret_cast<sockaddr*>(&bound), &size);
    std::printf("listening on %s:%d\n", host.c_str(), ntohs(bound.sin6_port));  // same offset in sockaddr_in
    return listening;
}

using Sessions = std::set<pid_t>;

// Starts a process for one suite, so that nothing it does can affect other suites and their drivers.
void start_session(Sessions& sessions, const Options& options, int in, int out, int listening = -1) {
    const pid_t agent = getpid();
    const pid_t session = fork();
    if (session > 0) sessions.insert(session);
    if (session != 0) return;
    if (listening >= 0) close(listening);
    signal(SIGCHLD, SIG_DFL);
    for (const int asked : {SIGTERM, SIGHUP, SIGINT}) signal(asked, [](int) { Session::is_asked_to_end = 1; });
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != agent) std::exit(1);
    Session(options, in, out).run();
    std::exit(0);
}

// Forgets sessions that have ended. If one was killed, this process has inherited its driver's processes and ends them.
void reap(Sessions& sessions) {
    bool has_left = false;
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) has_left |= sessions.erase(ended) > 0 && WIFSIGNALED(status);
    if (has_left) Process::end_all_but(sessions);
}

void adopt() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, [](int) {});  // the signal has to interrupt poll
}

// Serves every suite that connects; with is_once only the first, and gives up after options.silence_s without one.
void serve(int listening, const Options& options, bool is_once) {
    std::fflush(stdout);
    adopt();
    Sessions sessions;
    while (!is_once || listening >= 0 || !sessions.empty()) {
        pollfd one = {listening, POLLIN, 0};
        const bool is_called = poll(&one, 1, is_once && listening >= 0 ? options.silence_s * 1000 : kReapEveryMs) > 0;
        reap(sessions);
        const int connection = is_called ? accept4(listening, nullptr, nullptr, SOCK_CLOEXEC) : -1;
        if (connection >= 0) {
            const int yes = 1;
            setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            start_session(sessions, options, connection, connection, listening);
            close(connection);
        }
        if (is_once && listening >= 0) {
            close(listening);
            listening = -1;
        }
    }
}

void serve_stdio(const Options& options) {
    adopt();
    Sessions sessions;
    start_session(sessions, options, STDIN_FILENO, STDOUT_FILENO);
    // The process at the other end waits until every process has closed them.
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    while (!sessions.empty()) {
        poll(nullptr, 0, kReapEveryMs);
        reap(sessions);
    }
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    std::string place;
    bool is_stdio = false, is_once = false;
    int at = 1;
    for (; at < count && std::strcmp(arguments[at], "--") != 0; ++at) {
        const std::string option = arguments[at];
        if (option == "--stdio" || option == "--once") {
            (option == "--stdio" ? is_stdio : is_once) = true;
            continue;
        }
        if (option == "--help" || at + 1 == count) {
            std::fputs(kUsage, option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
        const char* const value = arguments[++at];
        if (option == "--listen") place = value;
        else if (option == "--token-file") options.token = token_in(value);
        else if (option == "--silence") options.silence_s = std::atoi(value);
        else stop("there is no option " + option + "\n" + kUsage);
    }
    options.command.assign(arguments + std::min(at + 1, count), arguments + count);
    if (options.command.empty() || is_stdio == !place.empty() || options.silence_s < 1) {
        std::fputs(kUsage, stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (is_stdio) {
        serve_stdio(options);
        return 0;
    }
    // Programs of every user of this machine can connect to a port, so that a port needs a token.
    const bool is_path = place[0] == '/';
    if (!is_path && options.token.empty()) stop("--listen with a port needs --token-file");
    serve(is_path ? listen_on_path(place) : listen_on_port(place), options, is_once);
}
