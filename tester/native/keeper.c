// The keeper: the process outside that made a cell. It holds the judge's leash: when the judge lets go, the worker dies;
// when the worker dies, the judge is told how. And it is asked by the kernel (seccomp_unotify(2)) whether a process may be
// started. The answer depends on what the judge said last and on nothing that the asker could change meanwhile.
//
// The judge says one byte: ALLOW; or REFUSE, which is answered once no process can be started any more and nothing lives
// in the cell but the worker. A message to the judge is two numbers: {0, 0}: so it is; {0, 1}: it could not be done;
// {CLD_..., status}: how the worker ended, as of waitid(2); {TOO_MUCH_MEMORY, 0}: it was ended for that.
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

// Processes of a cell, the worker among them. A compiler's driver, its passes and ninja are a handful for each job.
#define MOST_PROCESSES 64
// While there are processes, their memory is added up this often.
#define LOOK_MS 50
// How long killed processes may take to be gone.
#define EMPTY_S 15

struct keeper {
    int leash, worker, listener, door;
    uint64_t memory_bytes;
    int allowed; // what the judge said last
    int granted; // whether a process may have been started since the cell was last seen empty
    int ended_for_memory;
};

static void tell(int leash, int32_t what, int32_t status)
{
    int32_t message[2] = {what, status};
    (void)!write(leash, message, sizeof message);
}

// ---- the processes of the cell, seen through its /proc, which the worker has mounted for both

struct census {
    unsigned processes; // zombies among them
    unsigned others;    // that live, without the worker
    uint64_t memory_bytes;
};

// Memory that is no file's. What a fork shares with its parent counts for both.
static uint64_t anonymous_bytes(int process)
{
    char text[128];
    unsigned long resident, shared;
    int fd = openat(process, "statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    if (sscanf(text, "%*u %lu %lu", &resident, &shared) != 2 || resident < shared)
        return 0;
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

// 0, or -1 when /proc cannot be read.
static int count(struct census *c)
{
    memset(c, 0, sizeof *c);
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
        c->memory_bytes += anonymous_bytes(process);
        if (strcmp(entry->d_name, "1") != 0 && kb_all_stopped(process) != -1)
            c->others++;
        close(process);
    }
    closedir(list);
    return c->processes > 0 ? 0 : -1;
}

// Sends SIGKILL to all of them but the worker, in one step of the kernel: kill(-1) spares the caller and process 1. The
// caller is a process in the cell, since a child of the keeper is one. It has no parent there, which proves it.
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

// Ends every process of the cell but the worker: 0, or 1 when some did not end. None may be allowed any more.
//
// The worker may be in the midst of a fork that was granted before. Once all its threads are seen stopped there is no such
// fork: it is done, or it will be asked anew and refused. What is killed after that has no heirs. The threads do not stop
// while they wait for a child of vfork, so there is killing before, too. And a child's end can make the worker run on
// (an orphaned process group gets SIGCONT), so whoever needs it stopped has to stop it after this.
static int empty(struct keeper *k)
{
    struct timespec pause = {0, 100000};
    time_t end = time(NULL) + EMPTY_S;
    struct census left;
    do {
        kill(k->worker, SIGSTOP);
        int stopped = worker_stopped();
        kill_others();
        if (stopped < 0 || (stopped && count(&left) == 0 && left.others == 0)) {
            k->granted = 0;
            return 0;
        }
        nanosleep(&pause, NULL);
    } while (time(NULL) <= end);
    return 1;
}

// ---- conversation

// Does what the judge has said and not yet seen done. 0 when the judge has let go.
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

// The worker is at the door, with the listener or without.
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

// Counts, and ends the worker if all of them have taken too much: each has a limit of its own, so many need one together.
static int look(struct keeper *k, struct census *now)
{
    if (count(now) != 0)
        return -1;
    if (now->memory_bytes > k->memory_bytes) {
        k->ended_for_memory = 1;
        kill(k->worker, SIGKILL);
    }
    return 0;
}

// Answers one who wants to start a process, or another program in one.
static void answer(struct keeper *k)
{
    // The kernel may know longer ones.
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
        return; // It was withdrawn: the asker was stopped or killed.
    hear(k);    // What the judge said before the question was asked.
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
        // A kernel that cannot let a call go on.
        reply.is.flags = 0;
        reply.is.error = -EPERM;
        ioctl(k->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
}

// Until the end of the worker or of the judge; then tells the judge, and exits. `door`: where the listener comes in, -1
// where there is no cell. `group`: the worker leads a process group, which is killed whole (a cell needs no such help:
// its process 1 dies).
void kb_keep(int leash, int worker, int group, int door, uint64_t memory_bytes)
{
    struct keeper k = {.leash = leash, .worker = worker, .listener = -1, .door = door, .memory_bytes = memory_bytes};
    int ended = (int)syscall(SYS_pidfd_open, worker, 0);
    int held = ended >= 0;
    while (held) {
        struct pollfd waits[4] = {{ended, POLLIN, 0}, {leash, POLLIN, 0}, {k.door, POLLIN, 0}, {k.listener, POLLIN, 0}};
        int watching = k.allowed && k.granted;
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
        else if (waits[3].revents) // Nobody is left who could ask.
            k.listener = -1;
    }
    // A worker that has ended by itself is not killed by this.
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
