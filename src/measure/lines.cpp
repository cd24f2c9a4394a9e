#include "measure/lines.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace nestor {

bool write_line(int file, const std::string& line) {
    const std::string text = line + "\n";
    for (std::size_t written = 0; written < text.size();) {
        const char* rest = text.data() + written;
        ssize_t n = send(file, rest, text.size() - written, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK) {
            n = write(file, rest, text.size() - written);
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        written += static_cast<std::size_t>(n);
    }
    return true;
}

}  // namespace nestor
