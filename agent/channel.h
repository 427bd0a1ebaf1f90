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

    // Adds bytes to the frame that finish() will queue.
    void append(std::string_view bytes) { begun_.append(bytes); }
    // Queues a frame made of the appended bytes.
    void finish(std::vector<Descriptor> descriptors);
    // Sends as much as the driver accepts now; returns false if it has closed the connection.
    bool flush();
    // Reads the bytes that have arrived; returns false if the driver has closed the connection.
    bool read();
    // Takes the next complete frame; returns false if there is none. Throws Broken if the bytes are not a frame.
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
