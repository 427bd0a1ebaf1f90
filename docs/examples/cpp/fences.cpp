#include "fences.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "failure.h"

std::int64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void wait_for_fence(const Descriptor& fence, std::int64_t until_ns, const Descriptor& stop) {
    for (;;) {
        pollfd waiting[] = {{fence.fd(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
        int timeout_ms = -1;
        if (until_ns >= 0) {
            const std::int64_t left = std::max<std::int64_t>(until_ns - now_ns(), 0);
            timeout_ms = static_cast<int>(std::min<std::int64_t>((left + 999999) / 1000000, std::numeric_limits<int>::max()));
        }
        const int count = poll(waiting, 2, timeout_ms);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0 || waiting[1].revents) throw failed("the session ends");
        if (waiting[0].revents & (POLLERR | POLLNVAL)) throw failed("a fence to wait for ends in error", "execution/fence");
        if (waiting[0].revents) return;
        if (until_ns >= 0 && now_ns() >= until_ns) {
            throw Failure(NNVET_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT, "the deadline has passed");
        }
    }
}

Fence::Fence() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw Failure(NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, "there is no descriptor for a fence");
    }
    ours_ = std::make_shared<Descriptor>(ends[0]);
    theirs_ = std::make_shared<Descriptor>(ends[1]);
    // Our end is closed with an unread byte in it, which the other end sees as an error.
    if (write(ends[1], "", 1) != 1 || shutdown(ends[1], SHUT_WR) != 0) throw failed("a fence cannot be made");
}

void Fence::signal() {
    char byte;
    // Without SIGPIPE: the client may have closed its end.
    if (send(ours_->fd(), "", 1, MSG_NOSIGNAL) == 1 && read(ours_->fd(), &byte, 1) == 1) ours_.reset();
    else abandon();
}

void Fence::abandon() { ours_.reset(); }
