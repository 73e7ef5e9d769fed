/* Rows of derivatives of accelerations of a chain, two of them in a register: chain_slopes.c
 * includes it. */
#ifdef CHAIN

typedef two rows[TOGETHER]; /* numbers of some rows */

/* Results with rows of so many numbers, an even one. */
typedef struct results {
    long stride;
    double *by_q, *by_v, *inverse;
} results;

#define EACH(w) for (int w = from; w < to; w++) /* vector */

/* x += factors[lane] sum. */
INLINED void term(two *x, two factors, const int lane, const two *sum, const int from,
                  const int to) {
    EACH(w) x[w] = lane ? vfmaq_laneq_f64(x[w], sum[w], factors, 1)
                        : vfmaq_laneq_f64(x[w], sum[w], factors, 0);
}

/* Sums of factors[c] sums[c]: three of them in turns, since each waits for its term before. */
INLINED void dots(two *x, two *q, two *v, const double *of_x, const double *of_q,
                  const double *of_v, rows *sums, const int from, const int to) {
    for (int c = 0; c < 6; c += 2) {
        two fx = vld1q_f64(of_x + c), fq = vld1q_f64(of_q + c), fv = vld1q_f64(of_v + c);
        if (c == 0) {
            EACH(w) x[w] = vmulq_laneq_f64(sums[0][w], fx, 0);
            EACH(w) q[w] = vmulq_laneq_f64(sums[0][w], fq, 0);
            EACH(w) v[w] = vmulq_laneq_f64(sums[0][w], fv, 0);
        } else {
            term(x, fx, 0, sums[c], from, to);
            term(q, fq, 0, sums[c], from, to);
            term(v, fv, 0, sums[c], from, to);
        }
        term(x, fx, 1, sums[c + 1], from, to);
        term(q, fq, 1, sums[c + 1], from, to);
        term(v, fv, 1, sums[c + 1], from, to);
    }
}

/* sums[c] += factors[c] x. */
INLINED void grow(rows *sums, const double *factors, const two *x, const int count, const int from,
                  const int to) {
    for (int c = 0; c < count; c += 2) {
        two f = vld1q_f64(factors + c);
        term(sums[c], f, 0, x, from, to);
        if (c + 1 < count)
            term(sums[c + 1], f, 1, x, from, to);
    }
}

/* What derivatives are of sums P: by v less S . P. */
INLINED void turn(two *q, two *v, const chained *joint, rows *P, const int from, const int to) {
    for (int c = 0; c < 3; c++) {
        term(q, vld1q_f64(joint->turning + (c & ~1)), c % 2, P[c], from, to);
        two S = vld1q_f64(joint->S + (c & ~1));
        EACH(w) v[w] = c % 2 ? vfmsq_laneq_f64(v[w], P[c][w], S, 1)
                             : vfmsq_laneq_f64(v[w], P[c][w], S, 0);
    }
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
