#include "conversation.h"

namespace {

std::string numbers(std::uint64_t one, std::uint64_t other, int size_of_one, int size_of_other) {
    std::string bytes;
    put(bytes, one, size_of_one);
    put(bytes, other, size_of_other);
    return bytes;
}

std::string number(std::uint64_t value, int size) { return numbers(value, 0, size, 0); }

// A frame of the local protocol, as the driver sends it.
std::string local_frame(const std::string& payload) { return numbers(payload.size(), 0, 4, 2) + number(0x564e, 2) + payload; }

}  // namespace

std::string conversation() {
    constexpr std::uint64_t kPrimary = 1, kLane = 2, kMemory = 7, kFence = 9;
    std::string suite = packed(Kind::hello, 0, std::string("nnvet-link\n4 5\n") + kToken + "\n1000000000");
    suite += packed(Kind::memory, kMemory, number(200000, 8));
    suite += packed(Kind::range, kMemory, number(65530, 8) + "across two blocks");
    suite += packed(Kind::fence, kFence, number(0, 1));
    suite += packed(Kind::watch, 0, number(1, 1) + number(kMemory, 8));
    suite += packed(Kind::part, kPrimary, "the beginning ");
    std::string entries = number(5, 2);
    entries += numbers(1, kMemory, 1, 8) + numbers(4, kMemory, 1, 8) + numbers(2, kFence, 1, 8) + numbers(3, kLane, 1, 8) + numbers(6, 0, 1, 8);
    suite += packed(Kind::frame, kPrimary, entries + "and the end");
    suite += packed(Kind::frame, kLane, numbers(0, 0, 2, 0) + "call");
    suite += packed(Kind::fence, kFence, number(1, 1));
    suite += packed(Kind::resize, kMemory, number(70000, 8));
    const std::string constant(5000, 'c');
    const std::string named = numbers(3, crc32(constant), 8, 4);
    suite += packed(Kind::keep, 3, constant) + packed(Kind::paste, kMemory, number(62000, 8) + named);
    suite += packed(Kind::again, kLane, named) + packed(Kind::frame, kLane, number(0, 2) + "call") + packed(Kind::forget, 3);
    suite += packed(Kind::ping, 1) + packed(Kind::look, 2);
    suite += packed(Kind::watch, 0, number(0, 1) + number(kMemory, 8));
    suite += packed(Kind::seal, kMemory, number(2, 4));
    suite += packed(Kind::close, kLane) + packed(Kind::drop, kMemory) + packed(Kind::kill, 0);
    const std::string driver = local_frame("a greeting") + local_frame("an answer");
    return number(1, 1) + number(driver.size(), 2) + suite + driver;
}
