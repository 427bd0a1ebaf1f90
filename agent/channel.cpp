#include "channel.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "message.h"

namespace {

constexpr std::size_t kFrameHeaderBytes = 8;
constexpr std::uint64_t kFrameMagic = 0x564e;
constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 24;
constexpr std::size_t kDescriptorsPerWrite = 253;

struct alignas(cmsghdr) Control {
    char bytes[CMSG_SPACE(sizeof(int) * kDescriptorsPerWrite)];
};

}  // namespace

Channel::Channel(Descriptor socket) : socket_(std::move(socket)) { fcntl(socket_.fd(), F_SETFL, O_NONBLOCK); }

void Channel::finish(std::vector<Descriptor> descriptors) {
    Frame frame;
    put(frame.bytes, begun_.size(), 4);
    put(frame.bytes, descriptors.size(), 2);
    put(frame.bytes, kFrameMagic, 2);
    frame.bytes += begun_;
    frame.descriptors = std::move(descriptors);
    begun_.clear();
    unsent_.push_back(std::move(frame));
}

bool Channel::flush() {
    while (!unsent_.empty()) {
        Frame& frame = unsent_.front();
        errno = 0;
        if (!send_some(frame)) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (frame.sent == frame.bytes.size()) unsent_.pop_front();
    }
    return true;
}

// Makes one write. Descriptors go with bytes of the header, kDescriptorsPerWrite at a time, and are closed once sent.
bool Channel::send_some(Frame& frame) {
    const std::size_t count = std::min(frame.descriptors.size(), kDescriptorsPerWrite);
    const bool are_last = count == frame.descriptors.size();
    iovec part = {frame.bytes.data() + frame.sent, are_last ? frame.bytes.size() - frame.sent : 1};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Control control = {};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        for (std::size_t i = 0; i < count; ++i) {
            const int fd = frame.descriptors[i].fd();
            std::memcpy(CMSG_DATA(header) + i * sizeof fd, &fd, sizeof fd);
        }
    }
    ssize_t sent;
    do sent = sendmsg(socket_.fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return false;
    frame.descriptors.erase(frame.descriptors.begin(), frame.descriptors.begin() + static_cast<std::ptrdiff_t>(count));
    frame.sent += static_cast<std::size_t>(sent);
    return true;
}

bool Channel::read() {
    char buffer[kChunkBytes];
    iovec part = {buffer, sizeof buffer};
    Control control;
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const ssize_t count = recvmsg(socket_.fd(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (count == 0) return false;
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t i = 0; i < (one->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(one) + i * sizeof fd, sizeof fd);
            descriptors_.emplace_back(fd);
        }
    }
    received_.append(buffer, static_cast<std::size_t>(count));
    return true;
}

bool Channel::next(std::string& payload, std::vector<Descriptor>& descriptors) {
    if (received_.size() < kFrameHeaderBytes) return false;
    Cursor cursor(received_);
    const std::uint64_t length = cursor.number(4);
    const std::uint64_t count = cursor.number(2);
    if (cursor.number(2) != kFrameMagic) throw Broken("a frame's header ends in other bytes than 4e 56");
    if (length > kMostAnswerBytes) throw Broken("a frame of " + std::to_string(length) + " bytes; the limit is " + std::to_string(kMostAnswerBytes));
    if (received_.size() < kFrameHeaderBytes + length) return false;
    if (count > descriptors_.size()) throw Broken("a frame announces " + std::to_string(count) + " descriptors, " + std::to_string(descriptors_.size()) + " arrived");
    payload.assign(received_, kFrameHeaderBytes, static_cast<std::size_t>(length));
    received_.erase(0, kFrameHeaderBytes + static_cast<std::size_t>(length));
    descriptors.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        descriptors.push_back(std::move(descriptors_.front()));
        descriptors_.pop_front();
    }
    if (received_.empty() && !descriptors_.empty()) throw Broken("more descriptors arrived than a frame announces");
    return true;
}
