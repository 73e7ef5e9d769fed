/* Another structure for a live run: built beside it, taken over at a tick.
 *
 * Positions, extra states, modes and inputs are carried over by name, offsets of freedoms that
 * vanish become parameters (placements) of the new structure. Velocities follow from those of the
 * bodies: the new ones are the nearest in the metric of the new mass matrix,
 *
 *   v = v* + M^-1 sum_b J_b^T M_b (V_b - J_b v*),
 *
 * with V_b what body b had and v* what is carried by name; then M-orthogonally onto J v = b. */
#ifndef TOUCHBACK_LIVE_SWAP_H
#define TOUCHBACK_LIVE_SWAP_H

#include "live/live.h"

enum { TB_SWAP_WAITING, TB_SWAP_TAKEN, TB_SWAP_NOT_FINITE, TB_SWAP_OPEN, TB_SWAP_NO_MODE };
enum { TB_STATE, TB_PARAMETERS }; /* arrays of a structure */

typedef struct tb_move { /* a number that is carried over: of which array, and its place there, */
    long source, from;   /* into which array of the new structure, and the place in that */
    long target, to;
} tb_move;

typedef struct tb_renumbered { /* modes, which may have other numbers in the new structure */
    long place, count;         /* in its state; of old numbers */
    const long *numbers;       /* the new number of each, -1: there is none */
} tb_renumbered;

typedef struct tb_staged { /* a function and the stage that computes its parameter block */
    tb_callable first;     /* reads parameters; call is NULL when it reads none */
    double *block;
    tb_callable second; /* call is NULL when only the block is wanted */
} tb_staged;

typedef struct tb_swap {
    tb_live *from, *to;
    double not_before; /* time of the model */
    long move_count, block_count;
    const tb_move *moves;
    long renumbered_count;
    const tb_renumbered *renumbered; /* after the moves */
    long lost_group, lost_mode;      /* which of these had no new number, and its old one */
    const tb_staged *blocks;         /* of the new structure's parameters */
    tb_staged velocities; /* of the old bodies: 6 numbers each, x and u of the old structure */
    tb_staged transfer; /* [sum_b J_b^T M_b (V_b - J_b v*), M], u = [t, inputs, V] of the new one */
    double *transfer_u, *transferred;
    const long *inputs, *outputs, *guards, *energies; /* where each was, -1: it is new */
    double *after;               /* the state that the new structure starts from */
    double moved;                /* the largest change of a position by the new constraints */
    _Atomic uint64_t *directory; /* of the ports, and what it becomes */
    uint64_t next_directory;
    int64_t tick, duration; /* the first tick of the new structure; ns that the change took */
    _Atomic long state;
} tb_swap;

/* The structure that the coming tick is of: after a swap that was due the new one. */
tb_live *tb_live_take_swap(tb_live *live);
/* To be taken at the next tick from `not_before` on. */
void tb_live_offer_swap(tb_live *live, tb_swap *swap);
/* Whoever sees that a swap is done also sees what it has done. */
long tb_live_swap_state(const tb_swap *swap);

#endif
