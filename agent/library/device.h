// The name, version, feature level and type that the library reports; set before the first client is served.
#pragma once

#include <string>
#include <vector>

#include "nnvet.h"

extern std::string kDeviceName, kDeviceVersion;
extern int kDeviceLevel, kDeviceType;
// Empty: the C API does not report the performance of a device.
inline const std::vector<int> kDeviceTypes;
