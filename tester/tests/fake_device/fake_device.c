// A fake accelerator and its driver, to test everything but a real driver without one. Exports the
// functions of CUDA's driver that the tester calls. The device is a file that every process maps: memory, streams and
// events; `fake_device_run`, in a thread of the test, executes its work, also while a worker is frozen.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifdef AS_HIP
// The same as HIP's runtime of version AS_HIP, whose functions have other names.
#define cuInit hipInit
#define cuDriverGetVersion hipRuntimeGetVersion
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetName hipDeviceGetName
#define cuDeviceTotalMem hipDeviceTotalMem
#define cuDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cuDeviceGetAttribute hipDeviceGetAttribute
#define cuMemGetAllocationGranularity hipMemGetAllocationGranularity
#define cuMemCreate hipMemCreate
#define cuMemRelease hipMemRelease
#define cuMemExportToShareableHandle hipMemExportToShareableHandle
#define cuMemImportFromShareableHandle hipMemImportFromShareableHandle
#define cuMemAddressReserve hipMemAddressReserve
#define cuMemAddressFree hipMemAddressFree
#define cuMemMap hipMemMap
#define cuMemSetAccess hipMemSetAccess
#define cuMemUnmap hipMemUnmap
#define cuCtxSynchronize hipDeviceSynchronize
#define cuEventCreate hipEventCreateWithFlags
#define cuEventRecord hipEventRecord
#define cuEventElapsedTime hipEventElapsedTime
#endif
#if !defined AS_HIP && __has_include(<cuda.h>)
// Where the toolkit is installed, the compiler checks our prototypes against its headers.
#include <cuda.h>
#undef cuEventElapsedTime
#else
typedef int CUresult, CUdevice, CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationGranularity_flags;
typedef uint64_t CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct context *CUcontext;
typedef struct event *CUevent;
typedef struct stream *CUstream;
typedef struct { int type, id; } CUmemLocation;
typedef struct {
    int type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct { unsigned char compressionType, gpuDirectRDMACapable; unsigned short usage; unsigned char reserved[4]; } allocFlags;
} CUmemAllocationProp;
typedef struct { CUmemLocation location; int flags; } CUmemAccessDesc;
#ifndef AS_HIP
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#endif
#endif
#include <stdio.h>

enum { BLOCK = 1 << 16, BLOCKS = 8192, COMMANDS = 1 << 12, STREAMS = 16, EVENTS = 1 << 12, MAPS = 512 };
enum kind { ADD, WATCH_AND_ADD, STAMP, WAIT };

struct command {
    atomic_uint ready, done; // number of the command, from 1: set once it is submitted, and once it is completed
    unsigned owner;
    int kind, stream, event;
    uint64_t a, b, c, n; // offsets of floats in the memory, and their number
    uint64_t delay_ns;
};
struct device {
    atomic_int lock, quit;
    atomic_uint asked; // number of commands so far; also the futex on which the device waits
    unsigned char used[BLOCKS];
    atomic_uint events, owners;
    uint64_t stamps[EVENTS];
    struct command commands[COMMANDS];
};
static const size_t HEADER = (sizeof(struct device) + BLOCK - 1) / BLOCK * BLOCK;

static struct device *device;
static int file = -1;
static unsigned owner;
static struct { uint64_t address, size, offset; } maps[MAPS];

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
static void nap(void) { nanosleep(&(struct timespec){0, 20000}, NULL); }
static char *memory(void) { return (char *)device + HEADER; }

// ---- the device

struct stream_state { unsigned next; uint64_t until, first, last; float *sum; };

static uint64_t word(uint64_t offset, uint64_t n) { return n ? *(volatile uint32_t *)(memory() + offset + 4 * (n - 1)) : 0; }

static float *add(const struct command *k)
{
    float *sum = malloc(4 * k->n + 4), *a = (float *)(memory() + k->a), *b = (float *)(memory() + k->b);
    for (uint64_t i = 0; i < k->n; i++)
        sum[i] = a[i] + b[i];
    return sum;
}

// Executes one step of a command; 1 when it is done. A sum is computed when the command starts, and written after its
// delay.
static int step(struct command *k, struct stream_state *s)
{
    if (k->kind == STAMP) {
        device->stamps[k->event] = now();
        return 1;
    }
    if (k->kind == WAIT)
        return (int32_t)(word(k->a, 1) - (uint32_t)k->n) >= 0;
    if (s->until == 0) {
        s->until = now() + k->delay_ns;
        s->first = word(k->a, 1), s->last = word(k->c, k->n);
        s->sum = k->kind == ADD ? add(k) : NULL;
    }
    // Starts when the inputs and the poison in the output have changed, that is, with those of the next call. Gives up
    // after 0.3 s.
    if (k->kind == WATCH_AND_ADD && s->sum == NULL && (word(k->a, 1) == s->first || word(k->c, k->n) == s->last))
        return now() > s->until + 300000000;
    if (s->sum == NULL)
        s->sum = add(k);
    if (now() < s->until)
        return 0;
    memcpy(memory() + k->c, s->sum, 4 * k->n);
    free(s->sum);
    return 1;
}

// Works until `fake_device_quit`.
void fake_device_run(void)
{
    static struct stream_state streams[STREAMS];
    memset(streams, 0, sizeof streams);
    while (!atomic_load(&device->quit)) {
        unsigned asked = atomic_load(&device->asked);
        int idle = 1;
        for (int number = 0; number < STREAMS; number++) {
            struct stream_state *s = &streams[number];
            while (s->next < asked) {
                struct command *k = &device->commands[s->next % COMMANDS];
                if (atomic_load(&k->ready) != s->next + 1)
                    break;
                if (k->stream == number) {
                    if (!step(k, s)) {
                        idle = 0;
                        break;
                    }
                    atomic_store(&k->done, s->next + 1);
                    s->until = 0;
                }
                s->next++;
            }
        }
        if (idle)
            syscall(SYS_futex, &device->asked, FUTEX_WAIT, asked, &(struct timespec){0, 50000000}, NULL, 0);
        else
            nap();
    }
}
void fake_device_quit(void) { atomic_store(&device->quit, 1); }

// ---- its driver

#ifdef AS_HIP
static int system_answers(void) { return 1; }
#else
// What CUDA's driver 580 needs of the operating system before it opens a device: it names its threads, and listens at an
// abstract address.
static int system_answers(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/comm", syscall(SYS_gettid));
    FILE *name = fopen(path, "w");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "cuda-uvmfd-%d-%d", file, getpid());
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    // Two ranks of a run, each with a PID namespace of its own, may use one name at the same moment.
    int bound = listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0;
    int answers = name != NULL && listener >= 0 && (bound ? listen(listener, 16) == 0 : errno == EADDRINUSE);
    if (name != NULL)
        fclose(name);
    if (listener >= 0)
        close(listener);
    return answers;
}
#endif

CUresult cuInit(unsigned flags)
{
    (void)flags;
    if (!system_answers())
        return 304; // CUDA_ERROR_OPERATING_SYSTEM
    if (device == NULL) {
        file = open(DEVICE_FILE, O_RDWR | O_CLOEXEC);
        size_t size = HEADER + (size_t)BLOCKS * BLOCK;
        void *at = file < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at == MAP_FAILED)
            return 100; // CUDA_ERROR_NO_DEVICE
        device = at;
        owner = atomic_fetch_add(&device->owners, 1) + 1;
    }
    return 0;
}

uint64_t fake_device_bytes(void) { return HEADER + (uint64_t)BLOCKS * BLOCK; }

#ifdef AS_HIP
const char *hipGetErrorName(CUresult error) { return error == 1 ? "hipErrorInvalidValue" : "hipErrorUnknown"; }
#else
CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = error == 1 ? "CUDA_ERROR_INVALID_VALUE" : NULL;
    return error == 1 ? 0 : 1;
}
#endif

// Locks or unlocks blocks, or finds a lock of another process. The system unlocks those of a process that ends, whose memory
// is thereby free.
static int lock_blocks(int command, short kind, unsigned first, unsigned blocks)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = first, .l_len = blocks};
    return fcntl(file, command, &lock) == 0 && lock.l_type != F_UNLCK;
}
static unsigned char own[BLOCKS];
static int is_used(unsigned block)
{
    return device->used[block] && (own[block] || lock_blocks(F_OFD_GETLK, F_WRLCK, block, 1));
}

// Returns the number of allocated blocks plus the number of mappings of this process.
unsigned fake_device_held(void)
{
    unsigned held = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        held += (unsigned)is_used(i);
    for (int i = 0; i < MAPS; i++)
        held += maps[i].size != 0;
    return held;
}

// Several ordinals name the one device; its handle is none of them, so that tests detect a confusion of the two.
enum { DEVICE = 70, NUMBERS = 16 };
static CUresult known(CUdevice handle) { return handle >= DEVICE && handle < DEVICE + NUMBERS ? 0 : 101; } // CUDA_ERROR_INVALID_DEVICE

CUresult cuDriverGetVersion(int *version)
{
#ifdef AS_HIP
    *version = AS_HIP;
#else
    *version = 12040;
#endif
    return 0;
}
CUresult cuDeviceGetCount(int *count) { return *count = 1, 0; }
CUresult cuDeviceGet(CUdevice *handle, int ordinal) { return *handle = DEVICE + ordinal, known(*handle); }
CUresult cuDeviceGetName(char *name, int size, CUdevice handle)
{
    snprintf(name, (size_t)size, "Fake device");
    return known(handle);
}
CUresult cuDeviceTotalMem(size_t *size, CUdevice handle)
{
    *size = (size_t)BLOCKS * BLOCK;
    return known(handle);
}
CUresult cuDeviceGetPCIBusId(char *name, int size, CUdevice handle)
{
    snprintf(name, (size_t)size, "0000:C1:00.0");
    return known(handle);
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice handle)
{
#ifdef AS_HIP
    *value = attribute == 19 ? 1 << 16 : -1; // hipDeviceAttributeL2CacheSize
#else
    switch (attribute) {
    case 38: *value = 1 << 16; break; // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
    case 75: *value = 9; break; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    case 76: *value = 0; break; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    case 103: *value = 1; break; // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
#ifndef BEFORE_AMPERE
    case 108: *value = 1 << 15; break; // CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE
#endif
    default: *value = 0;
    }
#endif
    return known(handle);
}
#ifndef AS_HIP
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice handle)
{
    *context = (CUcontext)1;
    return known(handle);
}
CUresult cuCtxSetCurrent(CUcontext context) { return context == (CUcontext)1 ? 0 : 201; } // CUDA_ERROR_INVALID_CONTEXT
CUresult cuCtxResetPersistingL2Cache(void)
{
#ifdef BEFORE_AMPERE
    return 801; // CUDA_ERROR_NOT_SUPPORTED
#else
    return 0;
#endif
}
#endif

CUresult cuMemGetAllocationGranularity(size_t *size, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option)
{
    (void)option;
    *size = BLOCK;
    return properties->type == 1 && properties->requestedHandleTypes == 1 && properties->location.type == 1 ? 0 : 1;
}

// A handle contains the first block and the number of blocks.
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties, unsigned long long flags)
{
    (void)properties, (void)flags;
    unsigned blocks = (unsigned)(size / BLOCK), run = 0;
    if (size % BLOCK || blocks == 0)
        return 1; // CUDA_ERROR_INVALID_VALUE
    while (atomic_exchange(&device->lock, 1))
        sched_yield();
    for (unsigned i = 0; i < BLOCKS && run < blocks; i++) {
        run = is_used(i) ? 0 : run + 1;
        if (run == blocks) {
            memset(device->used + i + 1 - blocks, 1, blocks);
            memset(own + i + 1 - blocks, 1, blocks);
            lock_blocks(F_OFD_SETLK, F_WRLCK, i + 1 - blocks, blocks);
            *handle = ((unsigned long long)blocks << 32) | (i + 1 - blocks);
        }
    }
    atomic_store(&device->lock, 0);
    return run == blocks ? 0 : 2; // CUDA_ERROR_OUT_OF_MEMORY
}
// Only the allocating process frees memory; an imported handle has bit 63.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    unsigned first = handle & 0xffffffff, blocks = (handle >> 32) & 0x7fffffff;
    if (!(handle >> 63)) {
        memset(device->used + first, 0, blocks);
        memset(own + first, 0, blocks);
        lock_blocks(F_OFD_SETLK, F_UNLCK, first, blocks);
    }
    return 0;
}
CUresult cuMemExportToShareableHandle(void *to, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags)
{
    int out = memfd_create("fake_device", MFD_CLOEXEC);
    (void)flags;
    *(int *)to = out;
    return out >= 0 && type == 1 && write(out, &handle, sizeof handle) == sizeof handle ? 0 : 1;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *from, CUmemAllocationHandleType type)
{
#if defined AS_HIP && AS_HIP < 70100000
    int number = *(int *)from;
#else
    int number = (int)(intptr_t)from;
#endif
    if (type != 1 || pread(number, handle, sizeof *handle, 0) != sizeof *handle)
        return 1;
    *handle |= 1ull << 63;
    return 0;
}
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wish, unsigned long long flags)
{
    (void)wish, (void)flags;
    if (alignment & (alignment - 1))
        return 1; // not a power of two
    void *at = mmap(NULL, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return 2;
    uintptr_t first = (uintptr_t)at, aligned = alignment ? (first + alignment - 1) / alignment * alignment : first;
    if (aligned > first)
        munmap(at, aligned - first);
    munmap((void *)(aligned + size), first + alignment - aligned);
    *address = (CUdeviceptr)aligned;
    return 0;
}
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    uint64_t at = (handle & 0xffffffff) * BLOCK + offset;
    (void)flags;
    if (size > ((handle >> 32) & 0x7fffffff) * BLOCK ||
        mmap((void *)address, size, PROT_NONE, MAP_SHARED | MAP_FIXED, file, (off_t)(HEADER + at)) == MAP_FAILED)
        return 1;
    for (int i = 0; i < MAPS; i++)
        if (maps[i].size == 0) {
            maps[i].address = address, maps[i].size = size, maps[i].offset = at;
            return 0;
        }
    return 2;
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count)
{
    int right = count == 1 && access->flags == 3 && access->location.type == 1;
    return right && mprotect((void *)address, size, PROT_READ | PROT_WRITE) == 0 ? 0 : 1;
}
CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    for (int i = 0; i < MAPS; i++)
        if (maps[i].size && maps[i].address == address)
            maps[i].size = 0;
    return mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED;
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t size) { return munmap((void *)address, size) == 0 ? 0 : 1; }

static struct command *ask(int kind, int stream, unsigned *number)
{
    *number = atomic_fetch_add(&device->asked, 1);
    struct command *k = &device->commands[*number % COMMANDS];
    k->kind = kind, k->stream = stream % STREAMS, k->owner = owner;
    return k;
}
static void tell(struct command *k, unsigned number)
{
    atomic_store(&k->ready, number + 1);
    syscall(SYS_futex, &device->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

// Waits for the commands of this process.
CUresult cuCtxSynchronize(void)
{
    unsigned asked = atomic_load(&device->asked);
    for (unsigned i = asked > COMMANDS ? asked - COMMANDS : 0; i < asked; i++) {
        struct command *k = &device->commands[i % COMMANDS];
        while (k->owner == owner && atomic_load(&k->ready) == i + 1 && atomic_load(&k->done) != i + 1)
            nap();
    }
    return 0;
}
CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    *event = (CUevent)(uintptr_t)(atomic_fetch_add(&device->events, 1) % EVENTS);
    return 0;
}
CUresult cuEventRecord(CUevent event, CUstream stream)
{
    unsigned number;
    struct command *k = ask(STAMP, (int)(intptr_t)stream, &number);
    k->event = (int)(intptr_t)event;
    tell(k, number);
    return 0;
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    *milliseconds = (float)(device->stamps[(uintptr_t)end] - device->stamps[(uintptr_t)start]) / 1e6f;
    return 0;
}

// ---- its kernels

static uint64_t place(uint64_t address)
{
    for (int i = 0; i < MAPS; i++)
        if (maps[i].size && address >= maps[i].address && address < maps[i].address + maps[i].size)
            return maps[i].offset + address - maps[i].address;
    abort();
}

// Computes c = a + b over n floats, on a stream, with a minimum duration. `watch`: starts when the inputs of the next
// call appear.
void fake_device_add(int stream, uint64_t a, uint64_t b, uint64_t c, uint64_t n, uint64_t delay_ns, int watch)
{
    unsigned number;
    struct command *k = ask(watch ? WATCH_AND_ADD : ADD, stream, &number);
    k->a = place(a), k->b = place(b), k->c = place(c), k->n = n, k->delay_ns = delay_ns;
    tell(k, number);
}
// HIP's function has a fifth argument, a mask of the bits.
#ifdef AS_HIP
int hipStreamWaitValue32(void *stream, uint64_t address, uint32_t value, unsigned flags, uint32_t mask)
#else
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
#endif
{
#ifdef AS_HIP
    if (mask != UINT32_MAX)
        return 1;
#endif
    if (flags != 0)
        return 1; // CUDA_ERROR_INVALID_VALUE
    unsigned number;
    struct command *k = ask(WAIT, (int)(intptr_t)stream, &number);
    k->a = place(address), k->n = value;
    tell(k, number);
    return 0;
}
