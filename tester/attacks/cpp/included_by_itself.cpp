// attack: limits
// expect: not built
// Includes itself, twice each time.
#include __FILE__
#include __FILE__
#include "utils.h"

void custom_kernel(In, In, Out) {}
