#include "cli/command_line.h"

int main(int argc, char** argv) {
    return nestor::run_command_line(argc, argv, NESTOR_VERSION);
}
