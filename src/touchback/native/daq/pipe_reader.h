/* What waits in a pipe, taken by one call: as much as there is, in whole groups.
 *
 * The rules are those of DapBufferGetEx (Gallo 2012, section 4.3.4): at least, at most, multiples
 * of, how long to wait for something new and how long for all. Bytes of a group that isn't complete
 * stay with the pipe. */
#ifndef TOUCHBACK_DAQ_GET_H
#define TOUCHBACK_DAQ_GET_H

#include <stdint.h>

enum { TB_DAQ_GROUP = 4096 }; /* bytes that a call may have to wait for */

typedef struct tb_daq_want {
    int64_t least, most, multiple; /* bytes; the first and last at most TB_DAQ_GROUP */
    int64_t wait;    /* ns without a new byte after which the call ends with nothing; -1: any */
    int64_t timeout; /* ns after which it ends with nothing, whatever came; 0: never */
} tb_daq_want;

typedef struct tb_daq_pipe {
    long file;     /* reads without waiting */
    long other;    /* when there is something to read here, a call ends with -EINTR; -1: none */
    int64_t slice; /* ns of sleep after which a call ends with -EINTR, for its thread; 0: none */
    long carried;  /* bytes that weren't enough */
    uint8_t carry[TB_DAQ_GROUP];
    int64_t waited; /* ns of the last call in which it slept */
} tb_daq_pipe;

/* Returns how many bytes came, or minus an errno: EPIPE when the other end is closed and nothing
 * whole is left, EINTR for a signal, for `other` or after a slice. */
int64_t tb_daq_get(tb_daq_pipe *pipe, const tb_daq_want *want, uint8_t *bytes);

#endif
