// Fences of the local protocol: docs/protocol.md "Values that the types do not explain".
#pragma once

#include <cstdint>
#include <utility>

#include "descriptor.h"

enum class FenceState : std::uint8_t { active = 0, signalled = 1, failed = 2 };

// Returns the end that signals and the end that the driver polls. Throws std::system_error.
std::pair<Descriptor, Descriptor> make_fence();
// Changes the state of an active fence.
void settle_fence(Descriptor& ours, FenceState state);
FenceState fence_state(int fence);
