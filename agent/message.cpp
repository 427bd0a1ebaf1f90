#include "message.h"

#include <array>

namespace {

constexpr std::uint16_t kMagic = 0x4c4e;
constexpr std::size_t kSummedFrom = 4;

std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320u ^ value >> 1 : value >> 1;
        table[i] = value;
    }
    return table;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t sum) {
    static const std::array<std::uint32_t, 256> table = make_table();
    sum = ~sum;
    for (char byte : bytes) sum = table[(sum ^ static_cast<unsigned char>(byte)) & 0xff] ^ sum >> 8;
    return ~sum;
}

void put(std::string& bytes, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t Cursor::number(int size) {
    if (bytes_.size() < static_cast<std::size_t>(size)) throw Broken("a message is too short");
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)])} << (8 * i);
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return value;
}

std::string packed(Kind kind, std::uint64_t id, std::string_view body) {
    std::string summed;
    summed.reserve(kHeaderBytes);
    put(summed, body.size(), 4);
    put(summed, id, 8);
    put(summed, static_cast<std::uint8_t>(kind), 2);
    put(summed, kMagic, 2);
    std::string bytes;
    bytes.reserve(kHeaderBytes + body.size());
    put(bytes, crc32(body, crc32(summed)), 4);
    bytes += summed;
    bytes += body;
    return bytes;
}

bool Splitter::next(Message& message) {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    if (rest.size() >= kHeaderBytes) {
        Cursor cursor(rest);
        const std::uint64_t sum = cursor.number(4);
        const std::uint64_t length = cursor.number(4);
        message.id = cursor.number(8);
        const std::uint64_t kind = cursor.number(2);
        if (cursor.number(2) != kMagic) throw Broken("what came is no message of the link");
        if (length > kMostBodyBytes) throw Broken("a message is too long");
        if (rest.size() >= kHeaderBytes + length) {
            const std::string_view all = rest.substr(0, kHeaderBytes + length);
            if (crc32(all.substr(kSummedFrom)) != sum) throw Broken("a message was damaged on its way");
            if (kind > 0xff) throw Broken("there is no such kind of message");
            message.kind = static_cast<Kind>(kind);
            message.body.assign(all.substr(kHeaderBytes));
            start_ += all.size();
            return true;
        }
    }
    buffer_.erase(0, start_);
    start_ = 0;
    return false;
}
