#include "model.h"

#include <sys/mman.h>

bool Memory::is_valid() const {
    if (kind == Kind::token) return token > 0;
    if (kind == Kind::address) return address != nullptr;
    if (!handle || handle->fd() < 0) return false;
    switch (kind) {
        case Kind::ashmem: return size > 0;
        case Kind::mappable_file: return size > 0 && offset >= 0 && !(protection & ~(PROT_READ | PROT_WRITE));
        default: return format != kBlob || size > 0;
    }
}

std::int64_t Memory::extent() const {
    return kind == Kind::token || (kind == Kind::hardware_buffer && format != kBlob) ? 0 : size;
}
