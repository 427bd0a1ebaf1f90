// Exception for a call that is answered with a status other than NONE. Used in place of docs/examples/cpp/failure.h.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "nnvet.h"

struct Failure : std::exception {
    Failure(nnvet_error_status status, std::string message, std::string rule = "")
        : status(status), message(std::move(message)), rule(std::move(rule)) {}
    const char* what() const noexcept override { return message.c_str(); }

    nnvet_error_status status;
    std::string message;  // for people
    std::string rule;     // the id of the broken rule, if known
};

// If this program refuses a call, the library has not been asked, and must not get a PASS for it: the rule of the failure
// makes the verdict UNSUPPORTED. The exceptions are rules of the protocol itself, which this program enforces, and
// unsupported operations, about which the library has been asked.
inline Failure invalid(std::string message, std::string rule = "") {
    const bool is_known = rule.rfind("wire/", 0) == 0 || rule.rfind("driver/", 0) == 0;
    if (!is_known && !rule.empty()) message += " [" + rule + "]";
    return Failure(NNVET_ERROR_STATUS_INVALID_ARGUMENT, std::move(message), is_known ? rule : "adapter/inexpressible");
}

inline Failure failed(std::string message, std::string rule = "") {
    return Failure(NNVET_ERROR_STATUS_GENERAL_FAILURE, std::move(message), std::move(rule));
}
