#include "linear/chain_derivatives.h"

#ifndef __aarch64__

int tb_is_chain(const tb_tree_derivatives *self) {
    (void)self;
    return 0;
}

long tb_chain_derivatives_work(const tb_tree_derivatives *self) {
    (void)self;
    return 0;
}

int tb_chain_derivatives(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                         double *work) {
    (void)self, (void)columns, (void)out, (void)work;
    return 0;
}

#else

#include <arm_neon.h>
#include <string.h>

#ifndef __clang__ /* gcc would begin what is independent until registers run out */
#pragma GCC optimize("no-schedule-insns")
#endif

#define INLINED static inline __attribute__((always_inline))
#define CHAIN

enum { TOGETHER = 2 }; /* vectors of two rows: what registers hold */

/* Remoteness from which on these loops lose digits that those for any tree keep. A hundred links in
 * a row have about a tenth of it; it grows with the square of the distance in lengths of a link. */
#define REMOTE 1e5

#include "linear/chain_columns.h"
#include "linear/chain_rows.h"

/* The next even number: of an odd chain a coordinate is added that does nothing. */
static long even(long n) {
    return n + n % 2;
}

int tb_is_chain(const tb_tree_derivatives *self) {
    for (long l = 0; l < self->links; l++)
        if (self->parents[l] != l - 1)
            return 0;
    return self->n == self->links && self->ordered && !self->dense;
}

long tb_chain_derivatives_work(const tb_tree_derivatives *self) {
    long n = even(self->n), padded = n > self->n ? 3 * n * n : 0;
    return n * (long)(sizeof(chained) / sizeof(double)) + padded;
}

/* y = L x. */
INLINED void turned(two *y, two (*L)[3], const double *x) {
    for (int c = 0; c < 6; c += 2) {
        two f = vld1q_f64(x + c);
        for (int i = 0; i < 3; i++)
            y[i] = c ? vfmaq_laneq_f64(y[i], L[c][i], f, 0) : vmulq_laneq_f64(L[c][i], f, 0);
        for (int i = 0; i < 3; i++)
            y[i] = vfmaq_laneq_f64(y[i], L[c + 1][i], f, 1);
    }
}

/* y -= L x. */
INLINED void less_turned(two *y, two (*L)[3], const double *x) {
    for (int c = 0; c < 6; c += 2) {
        two f = vld1q_f64(x + c);
        for (int i = 0; i < 3; i++)
            y[i] = vfmsq_laneq_f64(y[i], L[c][i], f, 0);
        for (int i = 0; i < 3; i++)
            y[i] = vfmsq_laneq_f64(y[i], L[c + 1][i], f, 1);
    }
}

INLINED void load_six(two *to, const double *from) {
    for (int i = 0; i < 3; i++)
        to[i] = vld1q_f64(from + 2 * i);
}

/* Outward: L of each link's carrier makes factors of p of those of A; and what a unit effort
 * accelerates. */
static void from_ground(const tb_columns *columns, chained *joint, long n, double *inverse) {
    two L[6][3], S[3], U[3], y[3], z[3], own[3];
    memset(L, 0, sizeof L);
    for (long j = 0; j < n; j++, joint++, inverse += n + 1) {
        turned(y, L, joint->U);
        load_six(U, joint->U);
        two taken = more(more(vmulq_f64(U[0], y[0]), U[1], y[1]), U[2], y[2]);
        double alone = columns[j / TB_COLUMNS].inverse[j % TB_COLUMNS];
        two x = vdupq_n_f64(alone + vaddvq_f64(taken));
        for (int s = 0; s < 2; s++) {
            double *moved = joint->moved[s];
            load_six(z, moved);
            less_turned(z, L, joint->above[s]);
            for (int i = 0; i < 3; i++)
                vst1q_f64(moved + 2 * i, z[i]);
        }
        load_six(S, joint->S);
        for (int i = 0; i < 3; i++) {
            own[i] = more(y[i], S[i], x);
            vst1q_f64(joint->own + 2 * i, own[i]);
        }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++) {
                two even = vfmaq_laneq_f64(L[2 * c][i], S[i], y[c], 0);
                two odd = vfmaq_laneq_f64(L[2 * c + 1][i], S[i], y[c], 1);
                L[2 * c][i] = vfmaq_laneq_f64(even, own[i], S[c], 0);
                L[2 * c + 1][i] = vfmaq_laneq_f64(odd, own[i], S[c], 1);
            }
        inverse[0] = x[0];
    }
}

/* Inward: Q of each link makes factors of A of those of sums over what it carries. */
static void from_end(chained *joints, long n, const double *inverse) {
    two Q[3][3], S[3], U[3], own[3];
    memset(Q, 0, sizeof Q);
    for (long j = n - 1; j >= 0; j--) {
        chained *joint = joints + j;
        load_six(U, joint->U);
        load_six(S, joint->S);
        load_six(own, joint->own);
        two alone = {inverse[j * (n + 1)], 1.0};
        for (int r = 0; r < 3; r++) {
            two s = more(more(vmulq_f64(Q[r][0], S[0]), Q[r][1], S[1]), Q[r][2], S[2]);
            two o = more(more(vmulq_f64(Q[r][0], own[0]), Q[r][1], own[1]), Q[r][2], own[2]);
            two sums = vfmaq_n_f64(vpaddq_f64(o, s), alone, joint->row[r]);
            joint->own_sums[r] = sums[0];
            for (int i = 0; i < 3; i++)
                Q[r][i] = vfmaq_laneq_f64(Q[r][i], U[i], sums, 1);
        }
        two f[2] = {vld1q_f64(joint->turning), vld1q_f64(joint->turning + 2)};
        for (int i = 0; i < 3; i++) {
            two q = vld1q_f64(joint->above[0] + 2 * i), v = vld1q_f64(joint->above[1] + 2 * i);
            q = vfmaq_laneq_f64(vfmaq_laneq_f64(q, Q[0][i], f[0], 0), Q[1][i], f[0], 1);
            v = vfmsq_laneq_f64(vfmsq_laneq_f64(v, Q[0][i], S[0], 0), Q[1][i], S[0], 1);
            vst1q_f64(joint->above[0] + 2 * i, vfmaq_laneq_f64(q, Q[2][i], f[1], 0));
            vst1q_f64(joint->above[1] + 2 * i, vfmsq_laneq_f64(v, Q[2][i], S[1], 0));
        }
    }
}

int tb_chain_derivatives(const tb_tree_derivatives *self, const tb_columns *columns, double *out,
                         double *work) {
    long n = even(self->n), size = self->n, k = 0;
    two remote = {0.0, 0.0};
    chained *joints = (chained *)work;
    double *to = n > size ? (double *)(joints + n) : out;
    results found = {n, to, to + n * n, to + 2 * n * n};
    for (long j = 0; j < n; j += 2)
        remote = vmaxq_f64(remote, make_two(columns + j / TB_COLUMNS, j % TB_COLUMNS, joints + j));
    if (!(vmaxvq_f64(remote) <= REMOTE)) /* or no number */
        return 0;
    from_ground(columns, joints, n, found.inverse);
    from_end(joints, n, found.inverse);
    for (; k + 2 * TOGETHER <= n; k += 2 * TOGETHER)
        rows_beyond(&found, joints, n, k, TOGETHER);
    for (; k < n; k += 2)
        rows_beyond(&found, joints, n, k, 1);
    for (k = 0; k < n % (2 * TOGETHER); k += 2)
        rows_within(&found, joints, k, 1);
    for (; k < n; k += 2 * TOGETHER)
        rows_within(&found, joints, k, TOGETHER);
    for (long i = 0; to != out && i < 3 * size; i++)
        memcpy(out + i * size, to + (i + i / size) * n, (size_t)size * sizeof(double));
    return 1;
}

#endif
