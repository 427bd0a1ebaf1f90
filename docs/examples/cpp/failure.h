// Exception for a call that the driver answers with a status other than NONE: docs/contract/hal.md 6.1,
// docs/protocol.md "Errors of the wire itself".
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

inline Failure invalid(std::string message, std::string rule = "") {
    return Failure(NNVET_ERROR_STATUS_INVALID_ARGUMENT, std::move(message), std::move(rule));
}

inline Failure failed(std::string message, std::string rule = "") {
    return Failure(NNVET_ERROR_STATUS_GENERAL_FAILURE, std::move(message), std::move(rule));
}
