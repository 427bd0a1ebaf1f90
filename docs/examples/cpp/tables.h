// What docs/native/operations.json says of operand types and operations; its field "about" explains it.
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
    bool rank_in_model;  // whether a known rank is checked with the model, or when it runs
    bool variadic;
    int minimum;  // how many a variadic operand stands for at least
};

struct Signature {
    Span<int> lengths;
    Span<Formal> inputs;
};

struct OperationInfo {
    int code;
    const char* name;
    Span<Span<int>> rows;  // types of the variables, one list for each row
    Span<Signature> signatures;
    Span<Formal> outputs;
    Span<int> output_counts;
};

// Null for a code that the contract does not have.
const OperandTypeInfo* operand_type(std::int64_t code);
const OperationInfo* operation_info(std::int64_t code);

// The formal operand that stands for each operand, or none if the numbers do not fit.
std::vector<const Formal*> expand(const Span<Formal>& formals, std::size_t count);
