// attack: crash
// expect: refused
// Throws a value that is not an exception object.
#include "utils.h"

void custom_kernel(In, In, Out) { throw 42; }
