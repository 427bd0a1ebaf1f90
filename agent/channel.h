// A connection of the local protocol to the driver: frames with descriptors (docs/protocol.md "Frames").
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "descriptor.h"

class Channel {
public:
    explicit Channel(Descriptor socket);

    int fd() const { return socket_.fd(); }
    bool has_unsent() const { return !unsent_.empty(); }

    // Bytes of a frame whose end is still to come.
    void append(std::string_view bytes) { begun_.append(bytes); }
    // Queues a frame of what was appended.
    void finish(std::vector<Descriptor> descriptors);
    // Sends what the driver takes; false when it has closed.
    bool flush();
    // Reads what is there; false when the driver has closed.
    bool read();
    // Takes the next frame that was read; false if there is none. Throws Broken for what is none.
    bool next(std::string& payload, std::vector<Descriptor>& descriptors);

private:
    struct Frame {
        std::string bytes;
        std::vector<Descriptor> descriptors;
        std::size_t sent = 0;
    };

    bool send_some(Frame& frame);

    Descriptor socket_;
    std::string begun_;
    std::deque<Frame> unsent_;
    std::string received_;
    std::deque<Descriptor> descriptors_;
};
