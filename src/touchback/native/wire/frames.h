/* Frames on a serial line: consistent overhead byte stuffing (Cheshire & Baker 1999), a checksum, a
 * zero at the end. Stuffing removes every zero from a frame, so that a receiver that starts
 * anywhere, or loses bytes, is in step again at the next zero.
 *
 * Freestanding C: the driver here and firmware there (firmware/) are built from the same lines. */
#ifndef TOUCHBACK_WIRE_FRAMES_H
#define TOUCHBACK_WIRE_FRAMES_H

#include <stdint.h>

enum {
    TB_PAYLOAD = 120,                        /* bytes of the longest payload */
    TB_CHECKSUM = 4,                         /* bytes after it */
    TB_FRAME = TB_PAYLOAD + TB_CHECKSUM + 2, /* with stuffing and the zero */
};

enum { TB_NOTHING_YET, TB_WHOLE, TB_DAMAGED, TB_VERSION_1 }; /* what a byte has brought */

/* CRC-32C (Castagnoli): polynomial 0x1EDC6F41 reflected, start and end inverted. Of random bytes
 * one frame in 4·10⁹ passes; with 16 bits of checksum it were one in 65 536. */
uint32_t tb_checksum(const uint8_t *bytes, long count);

/* Writes the frame of a payload of 1 to TB_PAYLOAD bytes into TB_FRAME bytes; returns its length,
 * or 0 when the payload has another size. */
long tb_frame(const uint8_t *payload, long count, uint8_t *frame);

typedef struct tb_unframer {
    uint8_t bytes[TB_FRAME]; /* of a frame; then of its payload */
    long count;              /* so far; more than there is room for: noise up to the next zero */
    int64_t whole, damaged, old; /* frames so far: good ones, bad ones, those of version 1 */
} tb_unframer;

/* Takes one byte. With TB_WHOLE a payload of *length bytes is at the start of `bytes`, until the
 * next call. TB_VERSION_1 is a good frame of the protocol before this one (its checksum had 16
 * bits). */
int tb_unframe(tb_unframer *unframer, uint8_t byte, long *length);

#endif
