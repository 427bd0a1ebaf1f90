// The part of msgpack that the wire uses: docs/protocol.md "Values".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Exception for a malformed message, which ends the session: docs/protocol.md "Frames".
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Value {
    enum class Kind { nil, boolean, integer, real, text, binary, array, map, descriptor, reference, other };

    static Value boolean(bool value);
    static Value integer(std::int64_t value);
    static Value real(double value);
    static Value text(std::string value);
    static Value array(std::vector<Value> items);
    static Value map(std::vector<std::pair<std::string, Value>> fields);
    static Value descriptor(std::uint16_t index);
    static Value reference(std::uint64_t id);

    // Returns the value of a field of a structure, or null if it is absent.
    const Value* field(std::string_view name) const;

    Kind kind = Kind::nil;
    // Booleans, integers, indexes and ids. Numbers above the largest int64 are stored as the largest int64: no legal
    // value and no id is that large.
    std::int64_t number = 0;
    double fraction = 0;
    std::string bytes;         // texts and binaries
    std::vector<Value> items;  // elements of arrays; key, value, key, value, … of maps
};

// Reads exactly one value. Throws Malformed for anything else.
Value decode(const std::string& payload);
std::string encode(const Value& value);
bool is_utf8(const std::string& text);
