#include "wire.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

struct alignas(cmsghdr) Control {
    char bytes[CMSG_SPACE(sizeof(int) * NNVET_WIRE_MAX_DESCRIPTORS_PER_WRITE)];
};

// Receives up to `size` bytes and the descriptors that came with them. Returns 0 if the other end has closed.
std::size_t receive(int socket, char* buffer, std::size_t size, Descriptors* descriptors) {
    Control control;
    iovec part = {buffer, size};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return 0;
    if (!descriptors) return static_cast<std::size_t>(count);
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t sent = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < sent; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(one) + i * sizeof fd, sizeof fd);
            descriptors->push_back(std::make_shared<Descriptor>(fd));
        }
    }
    if (message.msg_flags & MSG_CTRUNC) throw Malformed("descriptors were cut off");
    return static_cast<std::size_t>(count);
}

bool send_all(int socket, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = send(socket, bytes, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

bool send_with(int socket, const char* byte, const DescriptorPtr* first, std::size_t count) {
    Control control = {};
    iovec part = {const_cast<char*>(byte), 1};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    for (std::size_t i = 0; i < count; ++i) {
        const int fd = first[i]->fd();
        std::memcpy(CMSG_DATA(header) + i * sizeof fd, &fd, sizeof fd);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

const std::string& message_text(const Value& value) {
    if (value.kind != Value::Kind::text || !is_utf8(value.bytes)) throw Malformed("a text of the message is none");
    return value.bytes;
}

std::int64_t message_integer(const Value& value) {
    if (value.kind != Value::Kind::integer) throw Malformed("a number of the message is none");
    return value.number;
}

std::vector<std::int64_t> message_integers(const Value& value) {
    if (value.kind != Value::Kind::array) throw Malformed("a list of the message is none");
    std::vector<std::int64_t> numbers;
    for (const Value& item : value.items) numbers.push_back(message_integer(item));
    return numbers;
}

}  // namespace

bool read_frame(int socket, Frame& frame) {
    frame = Frame();
    unsigned char header[NNVET_WIRE_HEADER_BYTES];
    for (std::size_t got = 0; got < sizeof header;) {
        // Reads no further than the header: descriptors come only with the header.
        const std::size_t more =
            receive(socket, reinterpret_cast<char*>(header) + got, sizeof header - got, &frame.descriptors);
        if (more == 0) return false;
        got += more;
    }
    const std::uint32_t length = header[0] | header[1] << 8 | header[2] << 16 | std::uint32_t{header[3]} << 24;
    if ((header[6] | header[7] << 8) != NNVET_WIRE_MAGIC) throw Malformed("bytes 6 and 7 of a header are wrong");
    if (length > NNVET_WIRE_MAX_CALL_BYTES) throw Malformed("a payload is too long");
    const std::size_t announced = header[4] | header[5] << 8;
    if (announced > NNVET_WIRE_MAX_DESCRIPTORS || announced != frame.descriptors.size()) {
        throw Malformed("the number of descriptors is not the announced one");
    }
    while (frame.payload.size() < length) {
        // Memory grows with the bytes received, not with the announced length.
        const std::size_t got = frame.payload.size();
        frame.payload.resize(got + std::min<std::size_t>(length - got, kChunkBytes));
        const std::size_t more = receive(socket, frame.payload.data() + got, frame.payload.size() - got, nullptr);
        if (more == 0) return false;
        frame.payload.resize(got + more);
    }
    return true;
}

bool write_frame(int socket, const std::string& payload, const Descriptors& descriptors) {
    const std::uint64_t fields = payload.size() | std::uint64_t{descriptors.size()} << 32 |
                                 std::uint64_t{NNVET_WIRE_MAGIC} << 48;
    std::string bytes;
    for (int i = 0; i < NNVET_WIRE_HEADER_BYTES; ++i) bytes += static_cast<char>(fields >> (8 * i) & 0xff);
    bytes += payload;
    std::size_t written = 0;  // bytes already sent: one for each group of descriptors
    for (std::size_t i = 0; i < descriptors.size(); i += NNVET_WIRE_MAX_DESCRIPTORS_PER_WRITE, ++written) {
        const std::size_t count = std::min<std::size_t>(descriptors.size() - i, NNVET_WIRE_MAX_DESCRIPTORS_PER_WRITE);
        if (!send_with(socket, bytes.data() + written, &descriptors[i], count)) return false;
    }
    return send_all(socket, bytes.data() + written, bytes.size() - written);
}

std::vector<std::int64_t> read_hello(const Frame& frame, std::string& protocol) {
    const Value hello = decode(frame.payload);
    if (hello.kind != Value::Kind::array || hello.items.size() != 2) throw Malformed("the first message is no Hello");
    protocol = message_text(hello.items[0]);
    return message_integers(hello.items[1]);
}

Call read_call(Frame frame) {
    Value value = decode(frame.payload);
    // `number` and the elements after it may be absent.
    if (value.kind != Value::Kind::array || value.items.size() < 4 || value.items.size() > 7) {
        throw Malformed("a message is no Call");
    }
    Call call;
    call.target = message_integer(value.items[0]);
    call.method = message_text(value.items[1]);
    call.released = message_integers(value.items[2]);
    if (value.items[3].kind != Value::Kind::array) throw Malformed("the arguments of a Call are no array");
    call.arguments = std::move(value.items[3].items);
    if (value.items.size() > 4) call.number = message_integer(value.items[4]);
    for (std::size_t i = 5; i < value.items.size(); ++i) message_text(value.items[i]);
    call.descriptors = std::move(frame.descriptors);
    return call;
}

Value success(Value result, std::int64_t number) {
    return Value::array({Value::integer(NNVET_ERROR_STATUS_NONE), Value::text(""), Value::text(""), std::move(result),
                         Value::integer(number)});
}

Value refusal(const Failure& failure, std::int64_t number) {
    return Value::array({Value::integer(failure.status), Value::text(failure.message), Value::text(failure.rule),
                         Value(), Value::integer(number)});
}
