// Runs mutated conversations, for compilers without libFuzzer; given a path, writes the conversation there instead.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "conversation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

constexpr unsigned kSeed = 4;
constexpr std::size_t kMostChanges = 8;
constexpr unsigned long kInteresting[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff};

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); }

void mutate(std::string& bytes, Random& random) {
    const std::size_t at = below(random, bytes.size());
    const std::size_t length = std::min(bytes.size() - at, 1 + below(random, 64));
    switch (below(random, 5)) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(random, 8)); return;
        case 1: bytes.erase(at, length); return;
        case 2: bytes.insert(below(random, bytes.size()), bytes.substr(at, length)); return;
        case 3: {
            std::string number;
            put(number, kInteresting[below(random, std::size(kInteresting))], 8);
            bytes.replace(at, std::min<std::size_t>(length, 8), number.substr(0, std::min<std::size_t>(length, 8)));
            return;
        }
        default: bytes[at] = static_cast<char>(below(random, 256)); return;
    }
}

}  // namespace

int main(int count, char** arguments) {
    const std::string whole = conversation();
    if (count == 2 && arguments[1][0] == '/') return !(std::ofstream(arguments[1], std::ios::binary) << whole);
    Random random(kSeed);
    const long times = count == 2 ? std::atol(arguments[1]) : 0;
    for (long time = 0; time < times; ++time) {
        std::string bytes = whole;
        for (std::size_t left = below(random, kMostChanges); left > 0 && !bytes.empty(); --left) mutate(bytes, random);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%ld conversations\n", times);
}
