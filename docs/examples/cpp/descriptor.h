// File descriptors that close themselves with their last owner.
#pragma once

#include <unistd.h>

#include <memory>
#include <vector>

// Closes the descriptor when it is destroyed. −1 stands for a handle without a descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int fd() const { return fd_; }

private:
    int fd_;
};
using DescriptorPtr = std::shared_ptr<Descriptor>;
using Descriptors = std::vector<DescriptorPtr>;
