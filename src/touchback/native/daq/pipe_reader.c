#define _GNU_SOURCE
#include "daq/pipe_reader.h"

#include <errno.h>

#ifdef __linux__

#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/clock.h"

/* The first `whole` of the bytes go, the rest is carried to the next call. */
static int64_t handed(tb_daq_pipe *pipe, const uint8_t *bytes, int64_t held, int64_t whole) {
    pipe->carried = (long)(held - whole);
    memcpy(pipe->carry, bytes + whole, (size_t)pipe->carried);
    return whole;
}

/* Until a byte comes, or at most so long [ns; negative: any time]. Returns 0, or EINTR. */
static int slept(tb_daq_pipe *pipe, int64_t longest) {
    int sliced = pipe->slice && (longest < 0 || longest > pipe->slice);
    if (sliced)
        longest = pipe->slice;
    struct pollfd files[2] = {{(int)pipe->file, POLLIN, 0}, {(int)pipe->other, POLLIN, 0}};
    struct timespec span = {longest / 1000000000, (long)(longest % 1000000000)};
    int64_t begin = tb_clock_now();
    int found = ppoll(files, pipe->other >= 0 ? 2 : 1, longest < 0 ? NULL : &span, NULL);
    int error = found < 0 ? errno : 0;
    pipe->waited += tb_clock_now() - begin;
    return error || (sliced && !found) || files[1].revents ? EINTR : 0;
}

/* ns that may still pass at an instant, -1 for any number. */
static int64_t left(const tb_daq_want *want, int64_t begin, int64_t fresh, int64_t now) {
    int64_t longest = want->wait < 0 ? -1 : want->wait - (now - fresh);
    if (want->wait >= 0 && longest < 0)
        longest = 0;
    if (want->timeout) {
        int64_t whole = want->timeout - (now - begin);
        whole = whole < 0 ? 0 : whole;
        longest = longest < 0 || whole < longest ? whole : longest;
    }
    return longest;
}

int64_t tb_daq_get(tb_daq_pipe *pipe, const tb_daq_want *want, uint8_t *bytes) {
    int64_t begin = tb_clock_now(), fresh = begin, held = pipe->carried;
    int64_t least = want->least > want->multiple ? want->least : want->multiple;
    memcpy(bytes, pipe->carry, (size_t)held);
    pipe->waited = 0;
    for (;;) {
        ssize_t count = read((int)pipe->file, bytes + held, (size_t)(want->most - held));
        int error = count < 0 ? errno : 0;
        if (count > 0) {
            held += count;
            fresh = tb_clock_now();
            if (held < want->most)
                continue;
        }
        if (held >= least)
            return handed(pipe, bytes, held, held / want->multiple * want->multiple);
        if (!count)
            error = EPIPE;
        int64_t longest = left(want, begin, fresh, tb_clock_now());
        if (error == EAGAIN)
            error = longest ? slept(pipe, longest) : -1;
        if (error) {
            handed(pipe, bytes, held, 0);
            return error > 0 ? -error : 0;
        }
    }
}

#else

int64_t tb_daq_get(tb_daq_pipe *pipe, const tb_daq_want *want, uint8_t *bytes) {
    return (void)pipe, (void)want, (void)bytes, -ENOSYS;
}

#endif
