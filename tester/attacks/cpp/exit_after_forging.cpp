// attack: report
// expect: refused
// Signals completion of the call, and exits with code 0.
#include "utils.h"

void custom_kernel(In, In, Out)
{
    channel()->done = channel()->go;
    say("{\"done\": true}");
    _exit(0);
}
