#include "process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace {

constexpr int kNotStarted = 127;
constexpr int kKillTurns = 500;
constexpr useconds_t kKillPauseUs = 10000;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Returns the fields of /proc/PID/stat after the name, which may contain spaces; an empty list if the process has ended.
std::vector<std::string> stat_fields(const std::string& folder) {
    const std::string text = text_of(folder + "/stat");
    const std::size_t end = text.rfind(')');
    std::vector<std::string> fields;
    if (end == std::string::npos) return fields;
    std::istringstream rest(text.substr(end + 1));
    for (std::string field; rest >> field;) fields.push_back(field);
    return fields;
}

std::vector<std::string> numbers_in(const std::string& folder) {
    std::vector<std::string> names;
    DIR* const opened = opendir(folder.c_str());
    if (!opened) return names;
    while (const dirent* entry = readdir(opened)) {
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') names.push_back(entry->d_name);
    }
    closedir(opened);
    return names;
}

pid_t number_of(const std::string& pid) { return static_cast<pid_t>(std::atol(pid.c_str())); }

// Returns the descendants of this process, parents first, without those in `kept` and their descendants.
std::vector<std::string> descendants(const std::set<pid_t>& kept = {}) {
    constexpr std::size_t kParent = 1;
    std::multimap<std::string, std::string> children;
    for (const std::string& pid : numbers_in("/proc")) {
        const auto fields = stat_fields("/proc/" + pid);
        if (fields.size() > kParent) children.emplace(fields[kParent], pid);
    }
    std::vector<std::string> found = {std::to_string(getpid())};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [from, to] = children.equal_range(std::string(found[i]));
        for (auto child = from; child != to; ++child) {
            if (!kept.count(number_of(child->second))) found.push_back(child->second);
        }
    }
    found.erase(found.begin());
    return found;
}

// Resources of a process: open descriptors, bytes in memory, bytes of address space.
std::string held_by(const std::string& folder) {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::istringstream sizes(text_of(folder + "/statm"));
    std::uint64_t size = 0, resident = 0;
    sizes >> size >> resident;
    return std::to_string(numbers_in(folder + "/fd").size()) + " " + std::to_string(resident * page) + " " + std::to_string(size * page);
}

[[noreturn]] void become(const std::vector<std::string>& command, int primary, int output, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kNotStarted);
    signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    fcntl(primary, F_SETFD, 0);
    setenv("NNVET_SOCKET_FD", std::to_string(primary).c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "%s: %s\n", arguments[0], std::strerror(errno));
    _exit(kNotStarted);
}

}  // namespace

Process::Process(const std::vector<std::string>& command, Descriptor primary) {
    // Orphaned processes of the driver become our children, so that we can see and end them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw system_failure("no pipe");
    output_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    fcntl(output_.fd(), F_SETFL, O_NONBLOCK);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw system_failure("the driver cannot be started");
    if (pid_ == 0) become(command, primary.fd(), theirs.fd(), parent);
    setpgid(pid_, pid_);
}

std::optional<int> Process::ended() {
    int status;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    return status_;
}

void Process::kill() {
    if (pid_ < 0) return;
    if (!ended()) ::kill(pid_, SIGKILL);
    ::kill(-pid_, SIGKILL);
    for (int turn = 0; turn < kKillTurns; ++turn) {
        ended();
        const auto left = descendants();
        for (const std::string& pid : left) ::kill(number_of(pid), SIGKILL);
        // ended() has kept the driver's status; those of the other processes are not needed.
        while (status_ && waitpid(-1, nullptr, WNOHANG) > 0) {}
        if (status_ && left.empty()) break;
        usleep(kKillPauseUs);
    }
}

void Process::end_all_but(const std::set<pid_t>& kept) {
    for (int turn = 0; turn < kKillTurns; ++turn) {
        const auto left = descendants(kept);
        if (left.empty()) return;
        for (const std::string& pid : left) {
            ::kill(number_of(pid), SIGKILL);
            waitpid(number_of(pid), nullptr, WNOHANG);
        }
        usleep(kKillPauseUs);
    }
}

std::string Process::look() {
    constexpr std::size_t kState = 0, kTimes = 11, kTimesEnd = 15;
    std::string text = "ticks " + std::to_string(sysconf(_SC_CLK_TCK)) + "\n";
    for (const std::string& pid : descendants()) {
        const std::string folder = "/proc/" + pid;
        const auto fields = stat_fields(folder);
        if (fields.size() < kTimesEnd) continue;
        long long ticks = 0;
        for (std::size_t i = kTimes; i < kTimesEnd; ++i) ticks += std::atoll(fields[i].c_str());
        text += "process " + pid + " " + std::to_string(ticks) + " " + held_by(folder) + "\n";
        for (const std::string& thread : numbers_in(folder + "/task")) {
            const auto of_thread = stat_fields(folder + "/task/" + thread);
            std::istringstream times(text_of(folder + "/task/" + thread + "/schedstat"));
            long long ran = 0, waited = 0;
            times >> ran >> waited;
            if (!of_thread.empty()) text += "thread " + thread + " " + of_thread[kState] + " " + std::to_string(waited) + "\n";
        }
    }
    return text;
}

std::uint64_t Process::memory() {
    std::uint64_t pages = 0;
    for (const std::string& pid : descendants()) {
        std::istringstream sizes(text_of("/proc/" + pid + "/statm"));
        std::uint64_t size = 0, resident = 0, shared = 0;
        sizes >> size >> resident >> shared;
        pages += resident - std::min(resident, shared);
    }
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
