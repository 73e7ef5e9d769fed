/* The key as a program of this machine: the same firmware without an emulator between it and the line,
 * a pseudo-terminal whose path it prints. It ends when it is killed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "hardware.h"
#include "key.h"
#include "plant.h"

static const int64_t SECOND = 1000000000, FORGIVEN = 10000000; /* ns */

static int line;
static uint8_t outgoing[1024];
static size_t waiting;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

uint32_t hardware_micros(void) { return (uint32_t)(now() / 1000); }

int hardware_send(uint8_t byte) {
    if (waiting == sizeof outgoing)
        return 0;
    outgoing[waiting++] = byte;
    return 1;
}

static void flush(void) {
    ssize_t taken = waiting ? write(line, outgoing, waiting) : 0;
    if (taken <= 0)
        return; /* the line is full: nobody reads */
    waiting -= (size_t)taken;
    memmove(outgoing, outgoing + taken, waiting);
}

static void receive(void) {
    uint8_t bytes[256];
    ssize_t count;
    while ((count = read(line, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count; i++)
            key_byte(bytes[i]);
    key_pump();
    flush();
}

/* Bytes as they come, until the next tick is due. */
static void listen_until(int64_t due) {
    for (int64_t left = due - now(); left > 0; left = due - now()) {
        struct pollfd file = {line, POLLIN, 0};
        struct timespec timeout = {(time_t)(left / SECOND), (long)(left % SECOND)};
        if (ppoll(&file, 1, &timeout, NULL) > 0)
            receive();
    }
}

static void open_line(void) {
    struct termios settings;
    line = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (line < 0 || grantpt(line) || unlockpt(line)) {
        perror("pseudo-terminal");
        exit(1);
    }
    int other = open(ptsname(line), O_RDWR | O_NOCTTY); /* so that it stays when a driver leaves */
    tcgetattr(other, &settings);
    cfmakeraw(&settings);
    tcsetattr(other, TCSANOW, &settings);
    printf("%s\n", ptsname(line));
    fflush(stdout);
}

int main(void) {
    open_line();
    prctl(PR_SET_TIMERSLACK, 1);
    plant_start(hardware_micros());
    key_start((uint32_t)getpid());
    for (int64_t due = now();;) {
        due += SECOND / KEY_RATE;
        listen_until(due);
        plant_follow(hardware_micros());
        key_tick();
        flush();
        if (now() - due > FORGIVEN) /* ticks that were missed are not made up for */
            due = now();
    }
}
