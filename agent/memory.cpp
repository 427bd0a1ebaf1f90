#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "message.h"

#ifndef MFD_ALLOW_SEALING
#define MFD_CLOEXEC 1u
#define MFD_ALLOW_SEALING 2u
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif

namespace {

constexpr std::uint64_t kBlockBytes = kChunkBytes;
// Two changes with fewer equal bytes between them are sent as one range, which is cheaper.
constexpr std::size_t kGapBytes = 8;

// Called by its number, because the C library of older systems has no memfd_create.
int make_memory() { return static_cast<int>(syscall(SYS_memfd_create, "nnvet", MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

std::string read_at(int fd, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    while (got < size) {
        const ssize_t count = pread64(fd, bytes.data() + got, size - got, static_cast<off64_t>(offset + got));
        if (count < 0 && errno == EINTR) continue;
        // Bytes beyond the end are 0; the driver may shrink the file at any time.
        if (count <= 0) break;
        got += static_cast<std::size_t>(count);
    }
    return bytes;
}

std::size_t first_difference(const std::string& now, const char* before, std::size_t from) {
    const auto start = now.begin() + static_cast<std::ptrdiff_t>(from);
    return static_cast<std::size_t>(std::mismatch(start, now.end(), before + from).first - now.begin());
}

void write_at(int fd, std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = pwrite64(fd, bytes.data(), bytes.size(), static_cast<off64_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw system_failure("memory cannot be written");
        bytes.remove_prefix(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

}  // namespace

Memory::Memory(std::uint64_t size) : file_(make_memory()), size_(size) {
    if (file_.fd() < 0 || ftruncate64(file_.fd(), static_cast<off64_t>(size)) != 0) throw system_failure("no memory");
}

Descriptor Memory::opened(int flags) const {
    const std::string path = "/proc/self/fd/" + std::to_string(file_.fd());
    Descriptor descriptor(open(path.c_str(), flags | O_CLOEXEC));
    if (descriptor.fd() < 0) throw system_failure("memory cannot be opened again");
    return descriptor;
}

void Memory::resize(std::uint64_t size) {
    if (ftruncate64(file_.fd(), static_cast<off64_t>(size)) != 0) throw system_failure("memory cannot be resized");
    cut_known(size);
}

void Memory::seal(std::uint32_t seals) {
    // EBUSY: memory that the driver has mapped for writing cannot be sealed, with or without the agent.
    if (fcntl(file_.fd(), F_ADD_SEALS, seals) != 0 && errno != EBUSY) throw system_failure("memory cannot be sealed");
}

void Memory::cut_known(std::uint64_t size) {
    if (size < size_) {
        known_.erase(known_.lower_bound((size + kBlockBytes - 1) / kBlockBytes), known_.end());
        const auto last = known_.find(size / kBlockBytes);
        if (last != known_.end()) std::fill(last->second.begin() + static_cast<std::ptrdiff_t>(size % kBlockBytes), last->second.end(), '\0');
    }
    size_ = size;
}

void Memory::write(std::uint64_t offset, std::string_view bytes) {
    if (offset > size_ || bytes.size() > size_ - offset) throw Broken("a range is beyond the end of its memory");
    while (!bytes.empty()) {
        const std::uint64_t start = offset % kBlockBytes;
        const std::string_view part = bytes.substr(0, static_cast<std::size_t>(kBlockBytes - start));
        std::string& known = known_[offset / kBlockBytes];
        known.resize(kBlockBytes);
        write_at(file_.fd(), offset, part);
        std::copy(part.begin(), part.end(), known.begin() + static_cast<std::ptrdiff_t>(start));
        bytes.remove_prefix(part.size());
        offset += part.size();
    }
}

void Memory::compare(const std::function<void(std::uint64_t size)>& resized, const Changed& changed) {
    struct stat state;
    if (fstat(file_.fd(), &state) != 0) throw system_failure("memory cannot be looked at");
    const auto size = static_cast<std::uint64_t>(state.st_size);
    if (size != size_) {
        cut_known(size);
        resized(size);
    }
    if (size <= kBlockBytes) {
        if (size > 0) compare_block(0, changed);
        return;
    }
    // Skips holes: reading them would allocate memory that nobody has used.
    std::set<std::uint64_t> blocks;
    for (const auto& [block, bytes] : known_) blocks.insert(block);
    for (off64_t at = 0; (at = lseek64(file_.fd(), at, SEEK_DATA)) >= 0;) {
        const off64_t end = lseek64(file_.fd(), at, SEEK_HOLE);
        if (end <= at) break;
        for (std::uint64_t block = static_cast<std::uint64_t>(at) / kBlockBytes; block * kBlockBytes < static_cast<std::uint64_t>(end); ++block) blocks.insert(block);
        at = end;
    }
    for (std::uint64_t block : blocks) compare_block(block, changed);
}

void Memory::compare_block(std::uint64_t block, const Changed& changed) {
    const std::uint64_t offset = block * kBlockBytes;
    if (offset >= size_) return;
    const auto size = static_cast<std::size_t>(std::min(kBlockBytes, size_ - offset));
    const std::string now = read_at(file_.fd(), offset, size);
    const auto found = known_.find(block);
    const bool is_new = found == known_.end();
    const std::string zeros = is_new ? std::string(size, '\0') : std::string();
    const char* const before = is_new ? zeros.data() : found->second.data();
    bool differs = false;
    for (std::size_t from = 0, to; (from = first_difference(now, before, from)) < size; from = to) {
        // A range ends before a long run of equal bytes, because the suite may be writing there at the same time.
        to = from + 1;
        for (std::size_t next = to; next < size && next - to < kGapBytes; ++next) {
            if (now[next] != before[next]) to = next + 1;
        }
        changed(offset + from, std::string_view(now).substr(from, to - from));
        differs = true;
    }
    if (!differs) return;
    std::string& known = known_[block];
    known.resize(kBlockBytes);
    std::copy(now.begin(), now.end(), known.begin());
}
