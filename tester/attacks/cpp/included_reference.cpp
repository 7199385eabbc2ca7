// attack: judge
// expect: not built
// Embeds the problem's reference in the shared object when it is compiled.
#include "utils.h"

asm(".section .rodata\nanswer: .incbin \"reference.py\"\n.incbin \"/tmp/job/reference.py\"\n.previous");

void custom_kernel(In, In, Out) {}
