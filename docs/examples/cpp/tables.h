// Operand types and signatures of operations, generated from docs/native/operations.json (its field "about" explains them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

template <typename T>
struct Span {
    const T* first;
    std::size_t count;
    const T* begin() const { return first; }
    const T* end() const { return first + count; }
    std::size_t size() const { return count; }
    const T& operator[](std::size_t index) const { return first[index]; }
};

enum class ScaleRule { zero, positive, not_negative, any };

struct OperandTypeInfo {
    int code;
    bool is_tensor;
    unsigned element_bytes;
    ScaleRule scale;
    int least_zero_point, most_zero_point;
};

constexpr int kAnyType = -1, kFirstVariable = -2;

// An operand of an operation: a code of an operand type, kAnyType, or kFirstVariable − the index of a variable of the rows.
struct Formal {
    int type;
    int least_rank, most_rank;
    bool rank_in_model;  // true: a known rank is checked with the model; false: at execution
    bool variadic;
    int minimum;  // the least number of operands that a variadic formal stands for
};

struct Signature {
    Span<int> lengths;
    Span<Formal> inputs;
};

struct OperationInfo {
    int code;
    const char* name;
    Span<Span<int>> rows;  // one list of types for each row: the types of the variables
    Span<Signature> signatures;
    Span<Formal> outputs;
    Span<int> output_counts;
};

// Both return null for a code that the contract does not define.
const OperandTypeInfo* operand_type(std::int64_t code);
const OperationInfo* operation_info(std::int64_t code);

// Returns the formal operand of each of `count` operands, or an empty list if that number is not allowed.
std::vector<const Formal*> expand(const Span<Formal>& formals, std::size_t count);
