// Checks models and requests: docs/contract/hal.md 3, 4, 7 and 8. A driver has to validate operations that it does not
// support, too: the validator knows all operations from docs/native/operations.json.
#pragma once

#include "failure.h"
#include "model.h"
#include "tables.h"

// All throw Failure with INVALID_ARGUMENT if a rule is broken.
void validate_model(const Model& model);
void validate_prepare_config(const PrepareModelConfig& config);
void validate_execution(const Model& model, const Request& request, const ExecutionConfig& config,
                        std::int64_t deadline_ns, bool outputs_may_be_unknown);
void validate_argument(const Request& request, const Argument& argument, const Operand& operand, bool may_be_unknown);
void validate_deadline(std::int64_t deadline_ns);

// Checks the rules of one operation that operations.json states as sentences (phase "model").
void validate_operation_rules(const Model& model, const Subgraph& graph, const Operation& operation);

// Return true if ranks are equal where both are known, and dimensions, too: hal.md 7.4.
bool compatible_dimensions(const Integers& one, const Integers& other);
bool compatible(const Operand& one, const Operand& other);

// Returns the number of bytes of a tensor, 0 if a dimension is unknown, or −1 if the number does not fit into 32 bits.
std::int64_t byte_size(const OperandTypeInfo& type, const Integers& dimensions);
bool fully_known(const Integers& dimensions);

constexpr std::int64_t extension_prefix(std::int64_t code) { return code >> NNVET_EXTENSION_TYPE_LOW_BITS_TYPE; }
