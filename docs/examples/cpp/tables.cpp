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

std::vector<const Formal*> expand(const Span<Formal>& formals, std::size_t count) {
    std::vector<const Formal*> expanded;
    for (const Formal& formal : formals) {
        std::size_t times = expanded.size() < count ? 1 : 0;
        if (formal.variadic) {
            if (count + 1 < formals.size() + static_cast<std::size_t>(formal.minimum)) return {};
            times = count + 1 - formals.size();
        }
        expanded.insert(expanded.end(), times, &formal);
    }
    return expanded;
}
