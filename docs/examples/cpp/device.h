// The name, version, feature level and type that the device reports to its clients.
#pragma once

#include <vector>

#include "nnvet.h"

constexpr const char* kDeviceName = "nnvet-cpp";
constexpr const char* kDeviceVersion = "1.0";
constexpr int kDeviceLevel = NNVET_FEATURE_LEVEL_FL8;
constexpr int kDeviceType = NNVET_DEVICE_TYPE_CPU;
// The operand types whose performance the device reports, in ascending order: docs/contract/hal.md 6.3.
inline const std::vector<int> kDeviceTypes = {NNVET_OPERAND_TYPE_TENSOR_FLOAT32};
