// Fences and times: docs/protocol.md "Values that the types do not explain", docs/contract/hal.md 10.4.1.
#pragma once

#include <cstdint>

#include "descriptor.h"

// Returns nanoseconds of CLOCK_BOOTTIME, the clock of deadlines.
std::int64_t now_ns();

// Returns once the fence has signalled. Throws Failure when it ends in error, `until_ns` has passed (−1: never), or
// `stop` becomes readable because the session ends.
void wait_for_fence(const Descriptor& fence, std::int64_t until_ns, const Descriptor& stop);

// A fence that the driver signals and the client waits for. Destroyed without a signal, it is in the error state.
class Fence {
public:
    Fence();
    DescriptorPtr receiving_end() const { return theirs_; }
    void signal();   // after a success
    void abandon();  // after a failure: puts the fence into the error state
    void sent() { theirs_.reset(); }

private:
    DescriptorPtr ours_, theirs_;
};
