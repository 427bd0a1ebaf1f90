// Memory that the driver maps: a copy of the suite's memory (docs/remote.md "Memory").
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

    // Throws std::system_error if the memory cannot be allocated.
    explicit Memory(std::uint64_t size);

    int fd() const { return file_.fd(); }
    // Returns another descriptor of this memory, opened with fewer rights. Throws std::system_error.
    Descriptor opened(int flags) const;

    void resize(std::uint64_t size);
    void seal(std::uint32_t seals);
    // Copies a range that the suite has changed.
    void write(std::uint64_t offset, std::string_view bytes);
    // Reports every range that the driver has changed since the last call, and the size if it has changed.
    void compare(const std::function<void(std::uint64_t size)>& resized, const Changed& changed);

    // True while a call or an object of the driver may write into this memory.
    bool is_watched = false;

private:
    void compare_block(std::uint64_t block, const Changed& changed);
    void cut_known(std::uint64_t size);

    Descriptor file_;
    std::uint64_t size_;
    // The content that suite and agent last agreed on, by block; a missing block is all 0.
    std::map<std::uint64_t, std::string> known_;
};
