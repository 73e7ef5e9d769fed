/* Event devices as files that never wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "evdev/event_device.h"

#ifdef __linux__

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int open_kernel(const char *path) {
    int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -errno;
    /* Two drivers of one wheel would push against each other. Programs that don't lock aren't kept
     * away; the lock ends with whoever holds it. */
    if (!flock(file, LOCK_EX | LOCK_NB))
        return file;
    close(file);
    return -EBUSY;
}

static int open_simulated(const char *path) {
    struct sockaddr_un address = {AF_UNIX, {0}};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -errno;
    if (!connect(file, (struct sockaddr *)&address, sizeof address))
        return file;
    int error = errno;
    close(file);
    return -error;
}

int tb_evdev_open(const char *path, const tb_evdev_backend **backend, tb_evdev_about *about) {
    struct stat kind;
    if (stat(path, &kind))
        return -errno;
    if (!S_ISCHR(kind.st_mode) && !S_ISSOCK(kind.st_mode))
        return -ENOTTY;
    *backend = S_ISSOCK(kind.st_mode) ? &tb_evdev_simulated : &tb_evdev_kernel;
    int file = S_ISSOCK(kind.st_mode) ? open_simulated(path) : open_kernel(path);
    if (file < 0)
        return file;
    memset(about, 0, sizeof *about);
    int error = (*backend)->describe(file, about);
    if (!error && fcntl(file, F_SETFL, O_RDWR | O_NONBLOCK))
        error = errno;
    if (!error)
        return file;
    tb_evdev_close(file);
    return -error;
}

void tb_evdev_close(int file) {
    flock(file, LOCK_UN); /* children that were forked hold the file, too */
    close(file);
}

#else

int tb_evdev_open(const char *path, const tb_evdev_backend **backend, tb_evdev_about *about) {
    return (void)path, (void)backend, (void)about, -ENOSYS;
}
void tb_evdev_close(int file) {
    (void)file;
}

#endif
