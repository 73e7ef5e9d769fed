/* What derivatives by a coordinate of a chain are products of, of two coordinates in a register:
 * chain_derivatives.c includes it. The formulas are those of column_lanes.h, where a link that has
 * one freedom turns its column by the carrier's twist alone: psi' + S' = 2 psi'. */
#ifdef CHAIN

typedef float64x2_t two;

/* Of a coordinate: U/D, negative, and S; factors of A and of p, by q and by v; of P by q (by v it
 * is S, negative), and what P grows by; and what a unit effort at it is beyond it: A, P. */
typedef struct chained {
    double U[6], S[6], above[2][6], moved[2][6], turning[4], row[4], own[6], own_sums[4];
} chained;

INLINED two more(two sum, two a, two b) {
    return vfmaq_f64(sum, a, b);
}

INLINED two less(two sum, two a, two b) {
    return vfmsq_f64(sum, a, b);
}

/* to += a x b. */
INLINED void add_cross(two *to, const two *a, const two *b) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = less(more(to[i], a[j], b[k]), a[k], b[j]);
    }
}

/* to = a x b. */
INLINED void set_cross(two *to, const two *a, const two *b) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = less(vmulq_f64(a[j], b[k]), a[k], b[j]);
    }
}

INLINED void load_columns(two *to, const double (*from)[TB_COLUMNS], long lane, const int count) {
    for (int c = 0; c < count; c++)
        to[c] = vld1q_f64(from[c] + lane);
}

/* Numbers of two coordinates, so many of each. */
INLINED void part(double *first, double *second, const two *from, const int count) {
    for (int c = 0; c < count; c += 2) {
        two next = from[c + 1 < count ? c + 1 : c];
        vst1q_f64(first + c, vzip1q_f64(from[c], next));
        vst1q_f64(second + c, vzip2q_f64(from[c], next));
    }
}

/* to += I u. */
INLINED void weigh(two *to, const tb_columns *columns, long lane, const two *u) {
    static const int upper[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
#define OF(x) vld1q_f64(columns->x + lane)
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            to[i] = less(to[i], OF(J[upper[i][j]]), u[j]);
            to[i + 3] = less(to[i + 3], OF(M[upper[i][j]]), u[j + 3]);
        }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            to[i] = less(to[i], OF(H[3 * i + j]), u[j + 3]);
            to[i + 3] = less(to[i + 3], OF(H[3 * j + i]), u[j]);
        }
#undef OF
}

/* by_v = -B 2 S, by_q = B 2 psi' and row = S^T 2 B, for angular parts of which twice is given. */
INLINED void stir(const tb_columns *columns, long lane, const two *S, const two *psi, two *row,
                  two *by_q, two *by_v) {
    two p[3], trace[3];
#define K(i, j) vld1q_f64(columns->stir[3 * (i) + (j)] + lane)
    load_columns(p, columns->momentum, lane, 3);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        trace[i] = vaddq_f64(K(j, j), K(k, k)); /* less what stands in the way of i */
        row[i] = less(less(vmulq_f64(trace[i], S[i]), K(k, i), S[k]), K(j, i), S[j]);
        by_v[i] = more(vmulq_f64(K(i, k), S[k]), K(i, j), S[j]);
        by_v[i] = less(by_v[i], trace[i], S[i]);
        by_q[i] = less(less(vmulq_f64(trace[i], psi[i]), K(i, k), psi[k]), K(i, j), psi[j]);
    }
#undef K
    add_cross(row, p, S + 3);
    set_cross(by_v + 3, p, S);
    set_cross(by_q + 3, psi, p);
}

/* How many times the inertia about a joint's axis what it carries has about the root's point. */
INLINED two remoteness(const tb_columns *columns, long lane, const two *S) {
    two J = vaddq_f64(vld1q_f64(columns->J[0] + lane), vld1q_f64(columns->J[3] + lane));
    two turns = more(more(vmulq_f64(S[0], S[0]), S[1], S[1]), S[2], S[2]); /* 1, of slides 0 */
    J = vabsq_f64(vaddq_f64(J, vld1q_f64(columns->J[5] + lane)));
    return vmulq_f64(vmulq_f64(J, turns), vld1q_f64(columns->inverse + lane));
}

/* Everything but S, less what it is: M da = -d(M a + c). Returns their remoteness. */
static two make_two(const tb_columns *columns, long lane, chained *to) {
    two S[6], c[6], a[6], psi[6], shaken[6], row[3], by_q[6], by_v[6];
    load_columns(S, columns->S, lane, 6);
    load_columns(c, columns->carrier, lane, 6);
    set_cross(psi, S, c);
    set_cross(psi + 3, S, c + 3);
    add_cross(psi + 3, S + 3, c);
    for (int i = 0; i < 6; i++)
        a[i] = vaddq_f64(vld1q_f64(columns->bias[i] + lane), vld1q_f64(columns->joints[i] + lane));
    set_cross(shaken, S, a);
    set_cross(shaken + 3, S, a + 3);
    add_cross(shaken + 3, S + 3, a);
    add_cross(shaken, c, psi);
    add_cross(shaken + 3, c, psi + 3);
    add_cross(shaken + 3, c + 3, psi);
    part(to[0].S, to[1].S, S, 6);
    part(to[0].moved[0], to[1].moved[0], shaken, 6);
    part(to[0].turning, to[1].turning, psi, 3);
    for (int i = 0; i < 6; i++) {
        psi[i] = vaddq_f64(psi[i], psi[i]);
        a[i] = vaddq_f64(S[i], S[i]);
    }
    part(to[0].moved[1], to[1].moved[1], psi, 6);
    stir(columns, lane, a, psi, row, by_q, by_v);
    part(to[0].row, to[1].row, row, 3);
    weigh(by_v, columns, lane, psi);
    part(to[0].above[1], to[1].above[1], by_v, 6);
    weigh(by_q, columns, lane, shaken);
    load_columns(a, columns->wrench, lane, 6);
    load_columns(c, columns->joints, lane, 6);
    weigh(a, columns, lane, c);
    add_cross(by_q, a, S); /* less S x* f, whose moment comes first */
    add_cross(by_q, a + 3, S + 3);
    add_cross(by_q + 3, a + 3, S);
    part(to[0].above[0], to[1].above[0], by_q, 6);
    load_columns(c, columns->U, lane, 6);
    for (int i = 0; i < 6; i++)
        c[i] = vnegq_f64(c[i]);
    part(to[0].U, to[1].U, c, 6);
    return remoteness(columns, lane, S);
}

#endif
