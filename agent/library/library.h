// A library of the NNAPI's C API, or a support library: docs/contract/c-api.md.
#pragma once

#include <memory>
#include <string>

#include "NeuralNetworks.h"
#include "failure.h"

namespace nnapi {

// Loads LIBRARY[#DEVICE] and reads the description of the device. Throws std::runtime_error.
void load(const std::string& place);
ANeuralNetworksDevice* device();

// Returns the address of a function, or null if the library has no function of this name.
void* find(const char* name);
void* needed(const char* name);  // throws Failure

// Throws Failure with the HAL's status for a result other than NO_ERROR.
void check(int result, const char* function);

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace nnapi

// A function of the library, by its name without the prefix. It is looked up in the library, not linked.
#define NN_FIND(name) (reinterpret_cast<decltype(&ANeuralNetworks##name)>(nnapi::find("ANeuralNetworks" #name)))
#define NN(name) (reinterpret_cast<decltype(&ANeuralNetworks##name)>(nnapi::needed("ANeuralNetworks" #name)))
#define NN_CALL(name, ...) nnapi::check(NN(name)(__VA_ARGS__), "ANeuralNetworks" #name)
#define NN_HOLD(kind, pointer) nnapi::Owned<ANeuralNetworks##kind>(pointer, NN(kind##_free))
