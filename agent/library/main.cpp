// nnvet-library: serves a library of the NNAPI's C API as a driver. nnvet-agent starts it. docs/remote.md.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "library.h"
#include "session.h"

int main(int count, char** arguments) {
    const char* const number = std::getenv("NNVET_SOCKET_FD");
    if (count != 2 || !number) {
        std::fprintf(stderr, "usage: %s LIBRARY.so[#DEVICE], started by nnvet-agent, or by the suite with exec:\n", arguments[0]);
        return 2;
    }
    try {
        nnapi::load(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "nnvet-library: %s\n", error.what());
        return 2;
    }
    std::make_shared<Session>(std::make_shared<Descriptor>(std::atoi(number)))->run();
    // The program ends with its first client, even if threads of other sessions still run.
    _exit(0);
}
