// The driver's process: starts it in its own group, reads its output, looks at it and ends it with all that it started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "descriptor.h"

class Process {
public:
    // Starts a program that inherits `primary` as NNVET_SOCKET_FD. Throws std::system_error.
    Process(const std::vector<std::string>& command, Descriptor primary);
    ~Process() { kill(); }

    // The pipe with its output; it closes once no process has its other end open.
    Descriptor& output() { return output_; }
    // The exit status, or the negative number of the signal that ended it; none while it runs.
    std::optional<int> ended();
    // Kills it and every process that it has started, and waits until they have ended.
    void kill();
    // Does the same with the descendants of this process, without those in `kept` and their descendants.
    static void end_all_but(const std::set<pid_t>& kept);
    // Returns a line for each descendant of this process and for each of its threads: docs/remote.md "Looks".
    static std::string look();
    // The private memory of all descendants, in bytes.
    static std::uint64_t memory();

private:
    Descriptor output_;
    pid_t pid_ = -1;
    std::optional<int> status_;
};
