// attack: crash
// expect: refused
// Throws what is no exception.
#include "utils.h"

void custom_kernel(In, In, Out) { throw 42; }
