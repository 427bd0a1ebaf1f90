// Main program of the driver service. Started by `exec:` it serves the socket NNVET_SOCKET_FD; with a path it listens there.
// docs/protocol.md "Reaching a service".
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "session.h"

namespace {

int listen_on(const char* path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof address.sun_path) return -1;
    std::strcpy(address.sun_path, path);
    const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    umask(0177);  // only this user may connect
    const bool bound = socket_fd >= 0 && bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return bound && listen(socket_fd, SOMAXCONN) == 0 ? socket_fd : -1;
}

int serve_path(const char* path) {
    const Descriptor listening(listen_on(path));
    if (listening.fd() < 0) {
        std::perror(path);
        return 1;
    }
    for (;;) {
        const int fd = accept4(listening.fd(), nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) continue;
        try {
            start_session(std::make_shared<Descriptor>(fd));
        } catch (const Failure& failure) {
            std::fprintf(stderr, "a client is turned away: %s\n", failure.what());
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 2) return serve_path(arguments[1]);
    const char* number = std::getenv("NNVET_SOCKET_FD");
    if (!number) {
        std::fprintf(stderr, "usage: %s PATH, or started by the suite with exec:\n", arguments[0]);
        return 2;
    }
    std::make_shared<Session>(std::make_shared<Descriptor>(std::atoi(number)))->run();
    // The program ends with its first client, even if threads of other sessions still run.
    _exit(0);
}
