// Messages of the link between the suite and the agent: docs/remote.md "The link".
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

enum class Kind : std::uint8_t {
    hello = 1,
    frame = 2,
    part = 3,
    close = 4,
    memory = 5,
    range = 6,
    resize = 7,
    watch = 8,
    drop = 9,
    seal = 10,
    fence = 11,
    ping = 12,
    look = 13,
    kill = 14,
    refused = 15,
    output = 16,
    exited = 17,
    keep = 18,
    paste = 19,
    again = 20,
    forget = 21,
};

constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kMostBodyBytes = std::size_t{1} << 20;
constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

// The bytes from the other end do not follow the protocol; the connection cannot be used any more.
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Message {
    Kind kind = Kind::hello;
    std::uint64_t id = 0;
    std::string body;
};

// The CRC-32 of zlib.
std::uint32_t crc32(std::string_view bytes, std::uint32_t sum = 0);

void put(std::string& bytes, std::uint64_t value, int size);

// Reads numbers from the front of a body; throws Broken if too few bytes are left.
class Cursor {
public:
    explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t number(int size);
    std::string_view rest() const { return bytes_; }
    bool at_end() const { return bytes_.empty(); }

private:
    std::string_view bytes_;
};

std::string packed(Kind kind, std::uint64_t id, std::string_view body = {});

// Splits the bytes that were read into messages.
class Splitter {
public:
    void feed(const char* bytes, std::size_t size) { buffer_.append(bytes, size); }
    // Returns false if the next message is not complete yet; throws Broken.
    bool next(Message& message);

private:
    std::string buffer_;
    std::size_t start_ = 0;
};
