// attack: report
// expect: refused
// A static constructor ends the process with the exit code of success.
#include <cstdlib>

#include "utils.h"

static const bool ended = (std::exit(0), true);

void custom_kernel(In, In, Out) {}
