#include "cli/interruption.h"

#include <csignal>
#include <initializer_list>

namespace nestor {

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void end_on_signals() {
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = SA_RESETHAND;  // and no SA_RESTART: who waits should look up
    for (const int signal : {SIGINT, SIGTERM}) {
        sigaction(signal, &action, nullptr);
    }
}

bool is_interrupted() {
    return interrupted != 0;
}

}  // namespace nestor
