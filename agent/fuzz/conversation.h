// A conversation of a suite with the agent that has every kind of message; the fuzzer mutates it.
#pragma once

#include <string>

#include "../message.h"

constexpr char kToken[] = "token";

// Returns the conversation as an input of the fuzzer: see converse in session.cpp.
std::string conversation();
