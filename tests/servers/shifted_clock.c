/* The wall clock of a process, moved by the seconds in a file that the processes share. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const long long *offset;

__attribute__((constructor)) static void open_offset(void)
{
    const char *path = getenv("SHIFTED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED)
        offset = shared;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *offset;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (result)
        *result = exact.tv_sec;
    return exact.tv_sec;
}
