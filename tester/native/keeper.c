// The keeper: the process that created a cell, outside of it. It holds one end of the leash, a socket to the judge:
// when the judge closes it, the worker is killed; when the worker ends, the judge gets a report. The kernel asks the
// keeper (seccomp_unotify(2)) whether a process may be started. The answer depends only on the judge's last message,
// and on nothing that the requesting process could change meanwhile.
//
// The judge sends one byte: ALLOW; or REFUSE, which is answered once no process can be started and only the worker is
// left in the cell. A message to the judge is two numbers: {0, 0}: refused; {0, 1}: some process could not be ended;
// {CLD_..., status}: end of the worker, as of waitid(2); {TOO_MUCH_MEMORY, 0}: the cell was killed because of its
// memory.
#define _GNU_SOURCE
#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

enum { ALLOW = 'a', REFUSE = 'r', TOO_MUCH_MEMORY = 100 };

// Limit of the processes of a cell, the worker included. A compiler's driver, its passes and ninja are a handful for
// each job.
#define MOST_PROCESSES 64
// While there may be several processes, their memory is summed up at this interval.
#define LOOK_MS 50
// Timeout for killed processes to end.
#define EMPTY_S 15

struct keeper {
    int leash, worker, listener, door;
    uint64_t memory_bytes;
    int allowed; // whether the judge's last message was ALLOW
    int granted; // whether a process may have been started since the cell was last seen empty
    int ended_for_memory;
    int always; // whether memory is summed up all the time
};

static void tell(int leash, int32_t what, int32_t status)
{
    int32_t message[2] = {what, status};
    (void)!write(leash, message, sizeof message);
}

// ---- the processes of the cell, seen through its /proc, which the worker has mounted for both

struct census {
    unsigned processes; // including zombies
    unsigned others;    // living processes other than the worker
    uint64_t memory_bytes;
};

// Kernel memory that the buffers of one socket may hold: the default limit of 208 KiB, which the filter prevents a
// worker from raising, and the socket itself.
#define SOCKET_BYTES (256ULL << 10)

// Returns the value of a line of a file such as /proc/PID/status, in bytes; 0 where it is missing.
static uint64_t kilobytes(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? strtoull(line + strlen(name), NULL, 10) << 10 : 0;
}

// Reads a file of a process. Returns its length, or -1.
static ssize_t read_file(int process, const char *name, char *text, size_t size)
{
    int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n;
}

// Returns memory not backed by files: anonymous memory (pages shared after a fork count for both processes) and page
// tables. Adds shared mappings to `shared`. With `exactly`, a page shared by several processes counts proportionally.
static uint64_t memory_of(int process, const char *status, int exactly, uint64_t *shared)
{
    char text[4096];
    uint64_t own = kilobytes(status, "\nRssAnon:");
    uint64_t mapped = kilobytes(status, "\nRssShmem:");
    if (exactly && read_file(process, "smaps_rollup", text, sizeof text) > 0 && strstr(text, "\nPss_Shmem:")) {
        own = kilobytes(text, "\nPss_Anon:");
        mapped = kilobytes(text, "\nPss_Shmem:");
    }
    *shared += mapped;
    return own + kilobytes(status, "\nVmPTE:") + kilobytes(status, "\nVmSwap:");
}

// Returns an upper bound of the number of open files: the size of the process's file table.
static uint64_t open_files(const char *status) { return kilobytes(status, "\nFDSize:") >> 10; }

// Returns the number of sockets of a process that no process before it had, by the last bits of their inode numbers.
// In a process that denies access to its files (prctl(2), PR_SET_DUMPABLE), every file counts as a socket.
static uint64_t new_sockets(int process, const char *status, uint8_t seen[8192])
{
    char target[64];
    uint64_t found = 0;
    int fds = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fds < 0)
        return errno == EACCES || errno == EPERM ? open_files(status) : 0;
    DIR *list = fdopendir(fds);
    if (!list) {
        close(fds);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        ssize_t n = readlinkat(fds, entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        if (strncmp(target, "socket:[", 8) != 0)
            continue;
        unsigned bits = (unsigned)(strtoull(target + 8, NULL, 10) & 0xffff);
        found += !(seen[bits / 8] & (1 << bits % 8));
        seen[bits / 8] |= (uint8_t)(1 << bits % 8);
    }
    closedir(list);
    return found;
}

// Sums up the cell. Without `exactly` the sum is fast and an upper bound: each open file counts as a socket, and
// shared memory counts for each process that has it mapped. Returns 0, or -1 when the cell's /proc cannot be read;
// before the worker has mounted it, /proc still contains the caller.
static int count(struct census *c, int exactly)
{
    uint8_t seen[8192] = {0};
    char self[16], status[4096];
    uint64_t shared = 0;
    memset(c, 0, sizeof *c);
    if (readlink("/proc/self", self, sizeof self) >= 0)
        return -1;
    DIR *list = opendir("/proc");
    if (!list)
        return -1;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        int process = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (process < 0)
            continue;
        c->processes++;
        if (read_file(process, "status", status, sizeof status) > 0)
            c->memory_bytes +=
                memory_of(process, status, exactly, &shared) +
                SOCKET_BYTES * (exactly ? new_sockets(process, status, seen) : open_files(status));
        if (strcmp(entry->d_name, "1") != 0 && kb_all_stopped(process) != -1)
            c->others++;
        close(process);
    }
    closedir(list);
    c->memory_bytes += shared;
    return c->processes > 0 ? 0 : -1;
}

// Sends SIGKILL to all processes of the cell but the worker, atomically: kill(-1) spares the caller and process 1. The
// caller is in the cell, since it is a child of the keeper. It has no parent there, which proves it.
static void kill_others(void)
{
    pid_t killer = vfork();
    if (killer == 0) {
        if (getppid() == 0)
            kill(-1, SIGKILL);
        _exit(0);
    }
    while (killer > 0 && waitpid(killer, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int worker_stopped(void)
{
    int process = open("/proc/1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process < 0)
        return -1;
    int stopped = kb_all_stopped(process);
    close(process);
    return stopped;
}

// Ends every process of the cell but the worker: 0, or 1 when some did not end. New processes must be refused already.
//
// The worker may be in the middle of a fork that was allowed before. Once all its threads have stopped, no such fork
// exists: it has completed, or will be asked again and refused. Processes killed after that have no children left.
// Threads do not stop while they wait for a child of vfork, so processes are killed before, too. The end of a child
// can continue the worker (an orphaned process group gets SIGCONT), so a caller that needs it stopped must stop it
// afterwards.
static int empty(struct keeper *k)
{
    struct timespec pause = {0, 100000};
    time_t end = time(NULL) + EMPTY_S;
    struct census left;
    do {
        kill(k->worker, SIGSTOP);
        int stopped = worker_stopped();
        kill_others();
        if (stopped < 0 || (stopped && count(&left, 0) == 0 && left.others == 0)) {
            k->granted = 0;
            return 0;
        }
        nanosleep(&pause, NULL);
    } while (time(NULL) <= end);
    return 1;
}

// ---- messages

// Handles all pending messages of the judge. 0 when the judge has closed the leash.
static int hear(struct keeper *k)
{
    char word;
    for (;;) {
        ssize_t n = recv(k->leash, &word, 1, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        k->allowed = word == ALLOW;
        if (word == REFUSE)
            tell(k->leash, 0, k->granted ? empty(k) : 0);
    }
}

// Receives the worker's only message on `door`, with or without the listener, and closes the socket.
static void open_door(struct keeper *k)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    char word;
    struct iovec words = {&word, 1};
    struct msghdr message = {.msg_iov = &words, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(k->door, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&k->listener, CMSG_DATA(&control.header), sizeof k->listener);
    close(k->door);
    k->door = -1;
}

// Sums up the cell's memory, and kills the worker if the sum exceeds the limit: limits of single processes do not
// bound the total.
static int look(struct keeper *k, struct census *now)
{
    if (count(now, 0) != 0)
        return -1;
    struct census exact = *now;
    if (now->memory_bytes > k->memory_bytes && count(&exact, 1) == 0 && exact.memory_bytes > k->memory_bytes) {
        k->ended_for_memory = 1;
        kill(k->worker, SIGKILL);
    }
    return 0;
}

// Answers a request to start a process, or to execute a program.
static void answer(struct keeper *k)
{
    // The kernel's structures may be longer.
    union {
        struct seccomp_notif is;
        char room[512];
    } question;
    union {
        struct seccomp_notif_resp is;
        char room[512];
    } reply;
    memset(&question, 0, sizeof question);
    memset(&reply, 0, sizeof reply);
    if (ioctl(k->listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0)
        return; // withdrawn: the requesting process was stopped or killed
    hear(k);    // messages that the judge sent before the request
    struct census now;
    int program = question.is.data.nr == SYS_execve || question.is.data.nr == SYS_execveat;
    reply.is.id = question.is.id;
    if (!k->allowed)
        reply.is.error = -EPERM;
    else if (look(k, &now) != 0 || (!program && now.processes >= MOST_PROCESSES))
        reply.is.error = -EAGAIN;
    else {
        k->granted = 1;
        reply.is.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    if (ioctl(k->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) != 0 && errno == EINVAL) {
        // A kernel that cannot continue a call.
        reply.is.flags = 0;
        reply.is.error = -EPERM;
        ioctl(k->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
}

// Runs until the end of the worker or of the judge; then reports to the judge, and exits. `door`: socket for the
// listener, -1 without a cell. `group`: the worker leads a process group, which is killed as a whole (in a cell, the
// end of process 1 ends all). `always`: the cell's processes start without a request, or have no own limit of memory.
void kb_keep(int leash, int worker, int group, int door, uint64_t memory_bytes, int always)
{
    struct keeper k = {
        .leash = leash, .worker = worker, .listener = -1, .door = door, .memory_bytes = memory_bytes, .always = always};
    int ended = (int)syscall(SYS_pidfd_open, worker, 0);
    int held = ended >= 0;
    while (held) {
        struct pollfd waits[4] = {{ended, POLLIN, 0}, {leash, POLLIN, 0}, {k.door, POLLIN, 0}, {k.listener, POLLIN, 0}};
        int watching = k.always || (k.allowed && k.granted);
        int ready = poll(waits, 4, watching ? LOOK_MS : -1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready == 0)
            look(&k, &(struct census){0});
        if (ready <= 0)
            continue;
        if (waits[0].revents)
            break;
        if (waits[1].revents)
            held = hear(&k);
        if (waits[2].revents)
            open_door(&k);
        if (waits[3].revents & POLLIN)
            answer(&k);
        else if (waits[3].revents) // no process is left that could send a request
            k.listener = -1;
    }
    // Without effect on a worker that has already ended.
    kill(worker, SIGKILL);
    siginfo_t info;
    while (waitid(P_PID, (id_t)worker, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    if (group)
        kill(-worker, SIGKILL);
    if (k.ended_for_memory)
        tell(leash, TOO_MUCH_MEMORY, 0);
    else
        tell(leash, info.si_code, info.si_status);
    _exit(0);
}
