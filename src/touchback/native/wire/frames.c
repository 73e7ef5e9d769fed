#include "wire/frames.h"

/* Four bits at a time: a table of sixteen, which a small microcontroller has room for. */
static const uint32_t NIBBLES[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t tb_checksum(const uint8_t *bytes, long count) {
    uint32_t sum = 0xFFFFFFFFu;
    for (long i = 0; i < count; i++) {
        sum ^= bytes[i];
        sum = sum >> 4 ^ NIBBLES[sum & 15];
        sum = sum >> 4 ^ NIBBLES[sum & 15];
    }
    return ~sum;
}

/* CRC-16/CCITT-FALSE, by which frames of version 1 are known. */
static uint16_t old_checksum(const uint8_t *bytes, long count) {
    uint16_t sum = 0xFFFF;
    for (long i = 0; i < count; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

static uint8_t byte_of(const uint8_t *payload, long count, uint32_t sum, long i) {
    return i < count ? payload[i] : (uint8_t)(sum >> 8 * (i - count));
}

long tb_frame(const uint8_t *payload, long count, uint8_t *frame) {
    if (count < 1 || count > TB_PAYLOAD)
        return 0;
    uint32_t sum = tb_checksum(payload, count);
    long start = 0, end = 1; /* of the block: where its length goes, and what comes next */
    for (long i = 0; i < count + TB_CHECKSUM; i++) {
        uint8_t byte = byte_of(payload, count, sum, i);
        if (byte)
            frame[end++] = byte;
        else {
            frame[start] = (uint8_t)(end - start);
            start = end++;
        }
    }
    frame[start] = (uint8_t)(end - start); /* never 255: frames are shorter */
    frame[end++] = 0;
    return end;
}

/* In place; returns how many bytes are left, or -1 when the stuffing is wrong. */
static long unstuff(uint8_t *bytes, long count) {
    long from = 0, to = 0;
    while (from < count) {
        long length = bytes[from++];
        if (from + length - 1 > count)
            return -1;
        for (long i = 1; i < length; i++)
            bytes[to++] = bytes[from++];
        if (from < count)
            bytes[to++] = 0;
    }
    return to;
}

static int open_frame(tb_unframer *unframer, long *length) {
    uint8_t *bytes = unframer->bytes;
    long count = unframer->count > TB_FRAME ? -1 : unstuff(bytes, unframer->count);
    long payload = count - TB_CHECKSUM;
    if (payload >= 1 && payload <= TB_PAYLOAD) {
        uint32_t sum = tb_checksum(bytes, payload), sent = 0;
        for (int i = 0; i < TB_CHECKSUM; i++)
            sent |= (uint32_t)bytes[payload + i] << 8 * i;
        if (sum == sent) {
            *length = payload;
            return TB_WHOLE;
        }
    }
    if (count >= 4 && bytes[0] >= 1 && bytes[0] <= 4 && /* the kinds of version 1 */
        old_checksum(bytes, count - 2) == (bytes[count - 2] << 8 | bytes[count - 1]))
        return TB_VERSION_1;
    return TB_DAMAGED;
}

int tb_unframe(tb_unframer *unframer, uint8_t byte, long *length) {
    if (byte) {
        if (unframer->count < TB_FRAME)
            unframer->bytes[unframer->count] = byte;
        if (unframer->count <= TB_FRAME)
            unframer->count++;
        return TB_NOTHING_YET;
    }
    if (!unframer->count)
        return TB_NOTHING_YET;
    int found = open_frame(unframer, length);
    unframer->count = 0;
    unframer->whole += found == TB_WHOLE;
    unframer->damaged += found == TB_DAMAGED;
    unframer->old += found == TB_VERSION_1;
    return found;
}
