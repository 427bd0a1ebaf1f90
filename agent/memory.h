// Shared memory of the driver's, of which the suite has the original: docs/remote.md "Memory".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "descriptor.h"

class Memory {
public:
    using Changed = std::function<void(std::uint64_t offset, std::string_view bytes)>;

    // Throws std::system_error if there is no memory.
    explicit Memory(std::uint64_t size);

    int fd() const { return file_.fd(); }
    // The same memory by a descriptor that allows less; throws std::system_error.
    Descriptor opened(int flags) const;

    void resize(std::uint64_t size);
    void seal(std::uint32_t seals);
    // The suite has changed a range.
    void write(std::uint64_t offset, std::string_view bytes);
    // Tells all that the driver has changed since the last time, and a new size if there is one.
    void compare(const std::function<void(std::uint64_t size)>& resized, const Changed& changed);

    // A call or an object of the driver's may write into it.
    bool is_watched = false;

private:
    void compare_block(std::uint64_t block, const Changed& changed);
    void cut_known(std::uint64_t size);

    Descriptor file_;
    std::uint64_t size_;
    // What both ends know, in blocks; those that are absent are 0.
    std::map<std::uint64_t, std::string> known_;
};
