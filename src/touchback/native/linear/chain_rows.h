/* Rows of derivatives of accelerations of a chain, two of them in a register: chain_derivatives.c
 * includes it. */
#ifdef CHAIN

typedef two rows[TOGETHER]; /* numbers of some rows */

/* Results with rows of so many numbers, an even one. */
typedef struct results {
    long stride;
    double *by_q, *by_v, *inverse;
} results;

/* Products with the first or second of two factors, in the order in which they are written: each
 * waits for the one before of its sum, and compilers would put them side by side. */
#define PRODUCT(name, instruction, lane, kept)                                                     \
    INLINED void name(two *sum, two x, two factors) {                                              \
        __asm__ volatile(instruction " %0.2d, %1.2d, %2.d[" lane "]"                               \
                         : kept(*sum)                                                              \
                         : "w"(x), "w"(factors));                                                  \
    }
PRODUCT(set_first, "fmul", "0", "=w")
PRODUCT(add_first, "fmla", "0", "+w")
PRODUCT(add_second, "fmla", "1", "+w")
PRODUCT(take_first, "fmls", "0", "+w")
PRODUCT(take_second, "fmls", "1", "+w")
#undef PRODUCT

/* Of one vector of rows, or of both; with a loop over them compilers keep sums in memory. */
#define EACH(DO, sums, x, factors)                                                                 \
    do {                                                                                           \
        if (from == 0)                                                                             \
            DO(&(sums)[0], (x)[0], factors);                                                       \
        if (to == TOGETHER)                                                                        \
            DO(&(sums)[1], (x)[1], factors);                                                       \
    } while (0)

/* Sums of factors[c] sums[c], three of them in turns. */
INLINED void dots(two *x, two *q, two *v, const double *of_x, const double *of_q,
                  const double *of_v, rows *sums, const int from, const int to) {
    for (int c = 0; c < 6; c += 2) {
        two fx = vld1q_f64(of_x + c), fq = vld1q_f64(of_q + c), fv = vld1q_f64(of_v + c);
        if (c == 0) {
            EACH(set_first, x, sums[0], fx);
            EACH(set_first, q, sums[0], fq);
            EACH(set_first, v, sums[0], fv);
        } else {
            EACH(add_first, x, sums[c], fx);
            EACH(add_first, q, sums[c], fq);
            EACH(add_first, v, sums[c], fv);
        }
        EACH(add_second, x, sums[c + 1], fx);
        EACH(add_second, q, sums[c + 1], fq);
        EACH(add_second, v, sums[c + 1], fv);
    }
}

/* sums[c] += factors[c] x. */
INLINED void grow(rows *sums, const double *factors, const two *x, const int count, const int from,
                  const int to) {
    for (int c = 0; c < count; c += 2) {
        two f = vld1q_f64(factors + c);
        EACH(add_first, sums[c], x, f);
        if (c + 1 < count)
            EACH(add_second, sums[c + 1], x, f);
    }
}

/* What derivatives are of sums P: by v less S . P. */
INLINED void turn(two *q, two *v, const chained *joint, rows *P, const int from, const int to) {
    const double *turning = joint->turning, *S = joint->S;
    EACH(add_first, q, P[0], vld1q_f64(turning));
    EACH(take_first, v, P[0], vld1q_f64(S));
    EACH(add_second, q, P[1], vld1q_f64(turning));
    EACH(take_second, v, P[1], vld1q_f64(S));
    EACH(add_first, q, P[2], vld1q_f64(turning + 2));
    EACH(take_first, v, P[2], vld1q_f64(S + 2));
}

#undef EACH

/* Numbers of two rows at two coordinates. */
INLINED void place(double *corner, long stride, two x, two y) {
    vst1q_f64(corner, vzip1q_f64(x, y));
    vst1q_f64(corner + stride, vzip2q_f64(x, y));
}

/* ---- beyond: rows of which a coordinate is carried ------------------------------------------- */

/* Coordinates j and j + 1, beyond rows from k on. */
INLINED void beyond(const results *out, const chained *joint, rows *A, long k, long j,
                    const int to) {
    const long stride = out->stride;
    rows x[2], q[2], v[2];
    dots(x[0], q[0], v[0], joint[0].U, joint[0].above[0], joint[0].above[1], A, 0, to);
    grow(A, joint[0].S, x[0], 6, 0, to);
    dots(x[1], q[1], v[1], joint[1].U, joint[1].above[0], joint[1].above[1], A, 0, to);
    grow(A, joint[1].S, x[1], 6, 0, to);
    for (int w = 0; w < to; w++) {
        const long corner = (k + 2 * w) * stride + j, mirrored = j * stride + k + 2 * w;
        place(out->by_q + corner, stride, q[0][w], q[1][w]);
        place(out->by_v + corner, stride, v[0][w], v[1][w]);
        place(out->inverse + corner, stride, x[0][w], x[1][w]);
        vst1q_f64(out->inverse + mirrored, x[0][w]);
        vst1q_f64(out->inverse + mirrored + stride, x[1][w]);
    }
}

/* Vector w begins with what a unit effort at its rows, k and k + 1, accelerates. */
INLINED void begin_beyond(const results *out, const chained *joint, rows *A, long k, const int w) {
    const long stride = out->stride, corner = k * stride + k;
    rows x, q, v;
    for (int c = 0; c < 6; c++)
        A[c][w] = (two){joint[0].own[c], 0.0};
    dots(x, q, v, joint[1].U, joint[1].above[0], joint[1].above[1], A, w, w + 1);
    grow(A, joint[1].S, x, 6, w, w + 1);
    for (int c = 0; c < 6; c++)
        A[c][w] = vcombine_f64(vget_low_f64(A[c][w]), vld1_f64(joint[1].own + c));
    out->by_q[corner + 1] = q[w][0];
    out->by_v[corner + 1] = v[w][0];
    out->inverse[corner + 1] = out->inverse[corner + stride] = x[w][0];
}

INLINED void rows_beyond(const results *out, const chained *joints, long n, long k, const int to) {
    rows A[6];
    begin_beyond(out, joints + k, A, k, 0);
    if (to > 1) {
        beyond(out, joints + k + 2, A, k, k + 2, 1);
        begin_beyond(out, joints + k + 2, A, k + 2, to - 1);
    }
    for (long j = k + 2 * to; j < n; j += 2)
        beyond(out, joints + j, A, k, j, to);
}

/* ---- within: rows that a coordinate carries -------------------------------------------------- */

/* A coordinate, of which M^-1 is known there; u = S . p, then that of the next one inward. */
INLINED void push(const chained *joint, const chained *next, const double *known, rows *p, rows *P,
                  two *u, two *q, two *v, const int from, const int to) {
    rows x;
    for (int w = from; w < to; w++)
        x[w] = vld1q_f64(known + 2 * w);
    grow(p, joint->U, u, 6, from, to);
    grow(P, joint->row, x, 3, from, to);
    dots(u, q, v, next->S, joint->moved[0], joint->moved[1], p, from, to);
    turn(q, v, joint, P, from, to);
}

/* Coordinates j and j + 1, within rows from k on. */
INLINED void within(const results *out, const chained *joints, rows *p, rows *P, two *u, long k,
                    long j, const int from, const int to) {
    const chained *joint = joints + j;
    const long stride = out->stride;
    const double *known = out->inverse + j * stride + k;
    rows q[2], v[2];
    push(joint + 1, joint, known + stride, p, P, u, q[1], v[1], from, to);
    push(joint, joint - (j > 0), known, p, P, u, q[0], v[0], from, to);
    for (int w = from; w < to; w++) {
        const long corner = (k + 2 * w) * stride + j;
        place(out->by_q + corner, stride, q[0][w], q[1][w]);
        place(out->by_v + corner, stride, v[0][w], v[1][w]);
    }
}

/* Vector w begins with unit efforts at its rows, k and k + 1. */
INLINED void begin_within(const results *out, const chained *joints, rows *p, rows *P, two *u,
                          long k, const int w) {
    const chained *joint = joints + k;
    const long stride = out->stride, corner = k * stride + k;
    rows q[2], v[2], x, first = {0}, second = {0}, push = {0};
    first[w] = (two){1.0, 0.0}, second[w] = (two){0.0, 1.0}, push[w] = (two){0.0, -1.0};
    for (int c = 0; c < 6; c++)
        p[c][w] = (two){0.0, 0.0};
    for (int c = 0; c < 3; c++)
        P[c][w] = (two){0.0, 0.0};
    grow(p, joint[1].U, push, 6, w, w + 1);
    grow(P, joint[1].own_sums, second, 3, w, w + 1);
    dots(u, q[1], v[1], joint[0].S, joint[1].moved[0], joint[1].moved[1], p, w, w + 1);
    turn(q[1], v[1], joint + 1, P, w, w + 1);
    u[w] = vsubq_f64(u[w], first[w]);
    x[w] = vmulq_f64(vld1q_f64(out->inverse + corner), second[w]);
    grow(p, joint[0].U, u, 6, w, w + 1);
    grow(P, joint[0].row, x, 3, w, w + 1);
    grow(P, joint[0].own_sums, first, 3, w, w + 1);
    dots(u, q[0], v[0], joint[-(k > 0)].S, joint[0].moved[0], joint[0].moved[1], p, w, w + 1);
    turn(q[0], v[0], joint, P, w, w + 1);
    out->by_q[corner] = q[0][w][0];
    out->by_v[corner] = v[0][w][0];
    vst1q_f64(out->by_q + corner + stride, vzip2q_f64(q[0][w], q[1][w]));
    vst1q_f64(out->by_v + corner + stride, vzip2q_f64(v[0][w], v[1][w]));
}

INLINED void rows_within(const results *out, const chained *joints, long k, const int to) {
    rows p[6], P[3], u;
    begin_within(out, joints, p, P, u, k + 2 * (to - 1), to - 1);
    if (to > 1) {
        within(out, joints, p, P, u, k, k, to - 1, to);
        begin_within(out, joints, p, P, u, k, 0);
    }
    for (long j = k - 2; j >= 0; j -= 2)
        within(out, joints, p, P, u, k, j, 0, to);
}

#endif
