// attack: report
// expect: refused
// A static constructor exits with code 0.
#include <cstdlib>

#include "utils.h"

static const bool ended = (std::exit(0), true);

void custom_kernel(In, In, Out) {}
