#include "fence.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

std::pair<Descriptor, Descriptor> make_fence() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw system_failure("no fence");
    }
    std::pair<Descriptor, Descriptor> fence{Descriptor(ends[0]), Descriptor(ends[1])};
    // As long as this byte is unread, closing our end makes the fence fail, also if our process ends.
    send(fence.second.fd(), "", 1, MSG_NOSIGNAL);
    shutdown(fence.second.fd(), SHUT_WR);
    return fence;
}

void settle_fence(Descriptor& ours, FenceState state) {
    if (state == FenceState::active) return;
    if (state == FenceState::signalled) {
        char byte = 0;
        send(ours.fd(), &byte, 1, MSG_NOSIGNAL);
        recv(ours.fd(), &byte, 1, MSG_DONTWAIT);
    }
    ours.close();
}

FenceState fence_state(int fence) {
    pollfd one = {fence, POLLIN, 0};
    poll(&one, 1, 0);
    if (one.revents & (POLLERR | POLLNVAL)) return FenceState::failed;
    return one.revents ? FenceState::signalled : FenceState::active;
}
