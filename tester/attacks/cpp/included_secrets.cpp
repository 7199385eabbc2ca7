// attack: judge
// expect: not built
// Includes files of the machine, which the compiler's messages would show.
#include "utils.h"

#include "/etc/shadow"
#include "/proc/1/environ"

void custom_kernel(In, In, Out) {}
