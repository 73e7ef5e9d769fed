/* Serial lines as files that never wait. */
#define _GNU_SOURCE
#include <errno.h>

#include "wire/line.h"

#ifdef __linux__

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    long baud;
    speed_t speed;
} SPEEDS[] = {
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {921600, B921600},
    {1000000, B1000000}, {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000},
};

static int set_up(int file, long baud) {
    struct termios settings;
    if (tcgetattr(file, &settings))
        return ENOTTY;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)(CRTSCTS | CSTOPB);
    for (unsigned i = 0; i < sizeof SPEEDS / sizeof *SPEEDS; i++)
        if (SPEEDS[i].baud == baud) {
            cfsetispeed(&settings, SPEEDS[i].speed);
            cfsetospeed(&settings, SPEEDS[i].speed);
            if (tcsetattr(file, TCSANOW, &settings))
                return errno;
            tcflush(file, TCIOFLUSH); /* what waited here is old */
            return 0;
        }
    return EINVAL;
}

int tb_port_open(const char *path, long baud) {
    int file = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    /* Two drivers on one line would each get half of the samples. Programs that don't lock aren't
     * kept away; the lock ends with whoever holds it. */
    int error = flock(file, LOCK_EX | LOCK_NB) ? EBUSY : set_up(file, baud);
    if (!error)
        return file;
    close(file);
    return -error;
}

void tb_port_close(int file) {
    flock(file, LOCK_UN); /* children that were forked hold the file, too */
    close(file);
}

#else

int tb_port_open(const char *path, long baud) {
    return (void)path, (void)baud, -ENOSYS;
}
void tb_port_close(int file) {
    (void)file;
}

#endif
