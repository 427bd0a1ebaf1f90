// The driver's process: started in a group of its own, heard, looked at, and never left behind.
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

    // What it prints; closed once nobody can print any more.
    Descriptor& output() { return output_; }
    // The status with which it has ended, minus the signal if one has ended it; none while it runs.
    std::optional<int> ended();
    // Kills it and all that it has started, and waits for their end.
    void kill();
    // Kills all that descend from this process but `kept` and what those have started, and waits for their end.
    static void end_all_but(const std::set<pid_t>& kept);
    // A line for each process that descends from ours and one for each of its threads: docs/remote.md "Looks".
    static std::string look();
    // Bytes that all of them have to themselves.
    static std::uint64_t memory();

private:
    Descriptor output_;
    pid_t pid_ = -1;
    std::optional<int> status_;
};
