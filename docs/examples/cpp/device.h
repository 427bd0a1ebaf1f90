// What the device says of itself.
#pragma once

constexpr const char* kDeviceName = "nnvet-cpp";
constexpr const char* kDeviceVersion = "1.0";
