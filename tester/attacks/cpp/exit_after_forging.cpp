// attack: report
// expect: refused
// Says that the call is done, and ends the process with the exit code of success.
#include "utils.h"

void custom_kernel(In, In, Out)
{
    channel()->done = channel()->go;
    say("{\"done\": true}");
    _exit(0);
}
