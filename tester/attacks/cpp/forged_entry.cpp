// attack: report
// expect: not built
// Defines the functions by which the worker calls a kernel.
#include <cstddef>

#include "utils.h"

extern "C" int kernelbot_call(void *, char *, std::size_t) { return 0; }
extern "C" int kernelbot_is_defined() { return 1; }

void custom_kernel(In, In, Out) {}
