#include "tables.h"

namespace {

#include "operation_tables.inc"

template <typename T, std::size_t count>
const T* with_code(const T (&table)[count], std::int64_t code) {
    for (const T& entry : table) {
        if (entry.code == code) return &entry;
    }
    return nullptr;
}

}  // namespace

const OperandTypeInfo* operand_type(std::int64_t code) { return with_code(kOperandTypes, code); }
const OperationInfo* operation_info(std::int64_t code) { return with_code(kOperations, code); }
