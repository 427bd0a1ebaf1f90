// A conversation of a suite with the agent in which every kind of message occurs, to be mutated.
#pragma once

#include <string>

#include "../message.h"

constexpr char kToken[] = "token";

// An input of the fuzzer: see converse in session.cpp.
std::string conversation();
