// Whether a model or a request is valid: docs/contract/hal.md 3, 4, 7 and 8. A driver validates operations that it does
// not support, too: the validator knows all of them from docs/native/operations.json.
#pragma once

#include "failure.h"
#include "model.h"
#include "tables.h"

// All throw Failure with INVALID_ARGUMENT.
void validate_model(const Model& model);
void validate_prepare_config(const PrepareModelConfig& config);
void validate_execution(const Model& model, const Request& request, const ExecutionConfig& config,
                        std::int64_t deadline_ns, bool outputs_may_be_unknown);
void validate_argument(const Request& request, const Argument& argument, const Operand& operand, bool may_be_unknown);
void validate_deadline(std::int64_t deadline_ns);

// The rules of single operations that have a sentence of their own in operations.json (phase "model").
void validate_operation_rules(const Model& model, const Subgraph& graph, const Operation& operation);

// Known ranks, equal where both are; dimensions likewise: hal.md 7.4.
bool compatible_dimensions(const Integers& one, const Integers& other);
bool compatible(const Operand& one, const Operand& other);

// Bytes of a tensor of these dimensions (0: unknown), or −1 if they do not fit in 32 unsigned bits.
std::int64_t byte_size(const OperandTypeInfo& type, const Integers& dimensions);
bool fully_known(const Integers& dimensions);

constexpr std::int64_t extension_prefix(std::int64_t code) { return code >> NNVET_EXTENSION_TYPE_LOW_BITS_TYPE; }
