// attack: report
// expect: refused
// The resolver of an indirect function, which the loader runs before any constructor, forges messages to the judge. Nothing is
// linked then, so it makes system calls by instructions.
#include "utils.h"

extern "C" {
static void nothing() {}
static void (*resolve())()
{
#if defined(__x86_64__)
    static const char message[] = "\x10\0\0\0{\"loaded\": true}\x0e\0\0\0{\"done\": true}";
    for (long file = 3; file < 64; file++) {
        long result = 1; // write
        asm volatile("syscall"
                     : "+a"(result)
                     : "D"(file), "S"(message), "d"(sizeof message - 1)
                     : "rcx", "r11", "memory");
    }
#endif
    return nothing;
}
void indirect() __attribute__((ifunc("resolve")));
}

void custom_kernel(In, In, Out) { indirect(); }
