#include "msgpack.h"

#include <cstring>
#include <limits>

#include "nnvet.h"

namespace {

// Limits of this service, because the payload comes from a process that is not trusted.
constexpr int kMostLevels = 32;
constexpr std::size_t kMostValues = std::size_t{1} << 22;

class Decoder {
public:
    explicit Decoder(const std::string& payload) : at_(payload.data()), end_(at_ + payload.size()) {}

    Value whole() {
        Value value = next(0);
        if (at_ != end_) throw Malformed("bytes follow the payload's value");
        return value;
    }

private:
    std::uint64_t big_endian(std::size_t count) {
        std::uint64_t number = 0;
        for (char byte : taken(count)) number = number << 8 | static_cast<std::uint8_t>(byte);
        return number;
    }

    std::string_view taken(std::uint64_t count) {
        if (count > static_cast<std::uint64_t>(end_ - at_)) throw Malformed("the payload ends within a value");
        std::string_view bytes(at_, static_cast<std::size_t>(count));
        at_ += count;
        return bytes;
    }

    static Value unsigned_integer(std::uint64_t number) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        return Value::integer(static_cast<std::int64_t>(number < most ? number : most));
    }

    Value signed_integer(std::size_t count) {
        const int spare = 64 - 8 * static_cast<int>(count);
        return Value::integer(static_cast<std::int64_t>(big_endian(count) << spare) >> spare);
    }

    Value blob(Value::Kind kind, std::uint64_t size) {
        Value value;
        value.kind = kind;
        value.bytes = std::string(taken(size));
        return value;
    }

    Value list(Value::Kind kind, std::uint64_t count, int level) {
        // Each value takes at least one byte: a larger count is wrong, and must not reserve memory.
        if (count > static_cast<std::uint64_t>(end_ - at_)) throw Malformed("the payload ends within a list");
        Value value;
        value.kind = kind;
        value.items.reserve(static_cast<std::size_t>(count));
        for (std::uint64_t i = 0; i < count; ++i) value.items.push_back(next(level + 1));
        return value;
    }

    Value extension(std::uint64_t size) {
        const auto type = static_cast<std::int8_t>(big_endian(1));
        std::string_view data = taken(size);
        std::uint64_t number = 0;
        Value value;
        value.kind = Value::Kind::other;
        if ((type == NNVET_WIRE_EXT_DESCRIPTOR && size == 2) || (type == NNVET_WIRE_EXT_REFERENCE && size == 8)) {
            for (std::size_t i = data.size(); i-- > 0;) number = number << 8 | static_cast<std::uint8_t>(data[i]);
            value = unsigned_integer(number);
            value.kind = type == NNVET_WIRE_EXT_DESCRIPTOR ? Value::Kind::descriptor : Value::Kind::reference;
        }
        return value;
    }

    Value real(std::size_t count) {
        const std::uint64_t bits = big_endian(count);
        if (count == 8) {
            double number;
            std::memcpy(&number, &bits, sizeof number);
            return Value::real(number);
        }
        const auto half = static_cast<std::uint32_t>(bits);
        float number;
        std::memcpy(&number, &half, sizeof number);
        return Value::real(number);
    }

    Value next(int level) {
        if (level > kMostLevels || ++values_ > kMostValues) throw Malformed("the payload has too many values");
        const auto head = static_cast<std::uint8_t>(big_endian(1));
        if (head < 0x80) return Value::integer(head);
        if (head < 0x90) return list(Value::Kind::map, 2u * (head & 0x0f), level);
        if (head < 0xa0) return list(Value::Kind::array, head & 0x0f, level);
        if (head < 0xc0) return blob(Value::Kind::text, head & 0x1f);
        if (head >= 0xe0) return Value::integer(static_cast<std::int8_t>(head));
        switch (head) {
            case 0xc0: return Value();
            case 0xc2: return Value::boolean(false);
            case 0xc3: return Value::boolean(true);
            case 0xc4: case 0xc5: case 0xc6: return blob(Value::Kind::binary, big_endian(1u << (head - 0xc4)));
            case 0xc7: case 0xc8: case 0xc9: return extension(big_endian(1u << (head - 0xc7)));
            case 0xca: return real(4);
            case 0xcb: return real(8);
            case 0xcc: case 0xcd: case 0xce: case 0xcf: return unsigned_integer(big_endian(1u << (head - 0xcc)));
            case 0xd0: case 0xd1: case 0xd2: case 0xd3: return signed_integer(1u << (head - 0xd0));
            case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return extension(1u << (head - 0xd4));
            case 0xd9: case 0xda: case 0xdb: return blob(Value::Kind::text, big_endian(1u << (head - 0xd9)));
            case 0xdc: case 0xdd: return list(Value::Kind::array, big_endian(2u << (head - 0xdc)), level);
            case 0xde: case 0xdf: return list(Value::Kind::map, 2 * big_endian(2u << (head - 0xde)), level);
            default: throw Malformed("the payload is not msgpack");
        }
    }

    const char* at_;
    const char* end_;
    std::size_t values_ = 0;
};

class Encoder {
public:
    std::string text;

    void add(const Value& value) {
        switch (value.kind) {
            case Value::Kind::boolean: byte(value.number ? 0xc3 : 0xc2); break;
            case Value::Kind::integer: integer(value.number); break;
            case Value::Kind::real: real(value.fraction); break;
            case Value::Kind::text: sized(value.bytes.size(), 0xa0, 31, 0xda); text += value.bytes; break;
            case Value::Kind::array: list(value, value.items.size(), 0x90, 0xdc); break;
            case Value::Kind::map: list(value, value.items.size() / 2, 0x80, 0xde); break;
            case Value::Kind::descriptor: extension(0xd5, NNVET_WIRE_EXT_DESCRIPTOR, value.number, 2); break;
            case Value::Kind::reference: extension(0xd7, NNVET_WIRE_EXT_REFERENCE, value.number, 8); break;
            default: byte(0xc0);
        }
    }

private:
    void byte(unsigned value) { text += static_cast<char>(value); }

    void big_endian(std::uint64_t value, int count) {
        for (int i = count - 1; i >= 0; --i) byte(value >> (8 * i) & 0xff);
    }

    // Writes the header of a text or list in the short form, or with two or four bytes of length.
    void sized(std::size_t size, unsigned brief, std::size_t most_brief, unsigned head) {
        if (size <= most_brief) return byte(brief | static_cast<unsigned>(size));
        byte(size <= 0xffff ? head : head + 1);
        big_endian(size, size <= 0xffff ? 2 : 4);
    }

    void list(const Value& value, std::size_t size, unsigned brief, unsigned head) {
        sized(size, brief, 15, head);
        for (const Value& item : value.items) add(item);
    }

    void integer(std::int64_t value) {
        if (value >= 0 && value < 0x80) return byte(static_cast<unsigned>(value));
        byte(0xd3);
        big_endian(static_cast<std::uint64_t>(value), 8);
    }

    void real(double value) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        byte(0xcb);
        big_endian(bits, 8);
    }

    void extension(unsigned head, unsigned type, std::int64_t number, int count) {
        byte(head);
        byte(type);
        for (int i = 0; i < count; ++i) byte(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
    }
};

Value number_of(Value::Kind kind, std::int64_t number) {
    Value value;
    value.kind = kind;
    value.number = number;
    return value;
}

}  // namespace

Value Value::boolean(bool value) { return number_of(Kind::boolean, value); }
Value Value::integer(std::int64_t value) { return number_of(Kind::integer, value); }
Value Value::descriptor(std::uint16_t index) { return number_of(Kind::descriptor, index); }
Value Value::reference(std::uint64_t id) { return number_of(Kind::reference, static_cast<std::int64_t>(id)); }

Value Value::real(double value) {
    Value made = number_of(Kind::real, 0);
    made.fraction = value;
    return made;
}

Value Value::text(std::string value) {
    Value made = number_of(Kind::text, 0);
    made.bytes = std::move(value);
    return made;
}

Value Value::array(std::vector<Value> items) {
    Value made = number_of(Kind::array, 0);
    made.items = std::move(items);
    return made;
}

Value Value::map(std::vector<std::pair<std::string, Value>> fields) {
    Value made = number_of(Kind::map, 0);
    for (auto& [name, value] : fields) {
        made.items.push_back(Value::text(std::move(name)));
        made.items.push_back(std::move(value));
    }
    return made;
}

const Value* Value::field(std::string_view name) const {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i].kind == Kind::text && items[i].bytes == name) return &items[i + 1];
    }
    return nullptr;
}

Value decode(const std::string& payload) { return Decoder(payload).whole(); }

std::string encode(const Value& value) {
    Encoder encoder;
    encoder.add(value);
    return std::move(encoder.text);
}

bool is_utf8(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto head = static_cast<std::uint8_t>(text[i]);
        const std::size_t more = head < 0x80 ? 0 : head >> 5 == 6 ? 1 : head >> 4 == 14 ? 2 : head >> 3 == 30 ? 3 : 4;
        if (more == 4 || text.size() - i <= more) return false;
        std::uint32_t point = more == 0 ? head : head & (0x3fu >> more);
        for (std::size_t k = 1; k <= more; ++k) {
            const auto next = static_cast<std::uint8_t>(text[i + k]);
            if (next >> 6 != 2) return false;
            point = point << 6 | (next & 0x3f);
        }
        static const std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
        i += more + 1;
    }
    return true;
}
