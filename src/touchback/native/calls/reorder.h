/* List scheduling of straight-line code: the same operations in an order that keeps a pipelined
 * processor busy (Gibbons and Muchnick, "Efficient instruction scheduling for a pipelined
 * architecture", 1986), within a window that slides along the given order.
 */
#ifndef TOUCHBACK_REORDER_H
#define TOUCHBACK_REORDER_H

/* order = positions of the operations as they are best done, each at most `window` places early.
 * Nothing moves across the `stops`, which rise and end with `count`. work: 4 * count zeros. */
void tb_reorder(long count, const int *operands, const int *latency, long window, const int *stops,
                int *work, int *order);

#endif
