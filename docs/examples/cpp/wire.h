// Frames and messages: docs/protocol.md "Frames" and "Messages".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "descriptor.h"
#include "failure.h"
#include "msgpack.h"

struct Frame {
    std::string payload;
    Descriptors descriptors;
};

struct Call {
    std::int64_t target = 0;
    std::string method;
    std::vector<std::int64_t> released;
    std::vector<Value> arguments;
    std::int64_t number = 0;
    Descriptors descriptors;
};

// Reads one frame. Returns false if the other end has closed. Throws Malformed.
bool read_frame(int socket, Frame& frame);

// Writes one frame. Returns false if the other end has closed, which is not an error of the service.
bool write_frame(int socket, const std::string& payload, const Descriptors& descriptors = {});

// Reads a Hello: returns the versions that the client offers, and sets `protocol`. Throws Malformed.
std::vector<std::int64_t> read_hello(const Frame& frame, std::string& protocol);
Call read_call(Frame frame);

Value success(Value result, std::int64_t number);
Value refusal(const Failure& failure, std::int64_t number);
