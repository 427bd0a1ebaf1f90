// What the device of the library says of itself; filled in before the first client is served.
#pragma once

#include <string>
#include <vector>

#include "nnvet.h"

extern std::string kDeviceName, kDeviceVersion;
extern int kDeviceLevel, kDeviceType;
// The C API tells nobody of a device's performance.
inline const std::vector<int> kDeviceTypes;
