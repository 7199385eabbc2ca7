// attack: window
// expect: refused
// Starts a program that would outlive the run.
#include <cstdlib>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    (void)!std::system("sleep 60 &");
    execl("/bin/true", "true", nullptr);
}
