/* What derivatives by a coordinate are products of, of several coordinates in a register:
 * tree_lanes.h includes it for each width.
 *
 * With the carrier's twist c and acceleration a, psi' = c x S, psi'' = a x S + c x psi' and
 * psi' + S' = psi' + t x S, where t is the twist of its own link. Wrenches 2 B u of angular parts u
 * have the moment 2 (tr K - K) u and the force 2 u x p (dynamics/inverse_dynamics_derivatives.py).
 *
 * Sums of I_i S_i a_i over what a link carries, with rigid bodies' I_i, are what it does to its
 * carrier less what it would do if no joint moved. Articulated bodies know the former, I A + p for
 * the carrier's acceleration A, so that I takes the place of I_i in wrenches that A is multiplied
 * with, and twists are multiplied with p; likewise f, the wrench that all it carries needs. */
#ifdef LANES

typedef NAME(vec) NAME(three)[3];
typedef NAME(vec) NAME(six)[6]; /* a twist or a wrench: what turns first */

TARGET INLINED void NAME(load)(NAME(vec) * to, const double (*from)[TB_COLUMNS], long lane,
                               const int count) {
    for (int c = 0; c < count; c++)
        to[c] = *(const NAME(vec) *)(from[c] + lane);
}

TARGET INLINED void NAME(save)(double (*to)[TB_COLUMNS], long lane, const NAME(vec) * from,
                               const int count) {
    for (int c = 0; c < count; c++)
        *(NAME(vec) *)(to[c] + lane) = from[c];
}

/* to += a x b. */
TARGET INLINED void NAME(cross)(NAME(vec) * to, const NAME(vec) * a, const NAME(vec) * b) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = LESS(a[k], b[j], FUSED(a[j], b[k], to[i]));
    }
}

/* to += a x b of twists. */
TARGET INLINED void NAME(turn)(NAME(vec) * to, const NAME(vec) * a, const NAME(vec) * b) {
    NAME(cross)(to, a, b);
    NAME(cross)(to + 3, a, b + 3);
    NAME(cross)(to + 3, a + 3, b);
}

/* to += I u, a wrench of a twist. */
TARGET INLINED void NAME(weigh)(NAME(vec) * to, const tb_columns *columns, long lane,
                                const NAME(vec) * u) {
    static const int upper[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
#define OF(x) *(const NAME(vec) *)(columns->x + lane)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            to[i] = LESS(OF(J[upper[i][j]]), u[j], to[i]);
            to[i + 3] = LESS(OF(M[upper[i][j]]), u[j + 3], to[i + 3]);
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            to[i] = LESS(OF(H[3 * i + j]), u[j + 3], to[i]);
            to[j + 3] = LESS(OF(H[3 * i + j]), u[i], to[j + 3]);
        }
#undef OF
}

/* The angular part of S^T 2 B, and 2 B u of psi' and of S. */
TARGET INLINED void NAME(stir)(const tb_columns *columns, long lane, const NAME(vec) * S,
                               const NAME(vec) * psi, NAME(vec) * row, NAME(vec) * by_q,
                               NAME(vec) * by_v) {
    NAME(three) p;
    NAME(vec) K[9];
    NAME(load)(p, columns->momentum, lane, 3);
    NAME(load)(K, columns->stir, lane, 9);
    for (int c = 0; c < 3; c++)
        p[c] += p[c];
    for (int c = 0; c < 9; c++)
        K[c] += K[c];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        NAME(vec) trace = K[4 * j] + K[4 * k]; /* less what stands in the way of i */
        row[i] = LESS(K[3 * j + i], S[j], LESS(K[3 * k + i], S[k], trace * S[i]));
        by_q[i] = LESS(K[3 * i + j], psi[j], LESS(K[3 * i + k], psi[k], trace * psi[i]));
        by_v[i] = LESS(K[3 * i + j], S[j], LESS(K[3 * i + k], S[k], trace * S[i]));
        by_q[i + 3] = by_v[i + 3] = (NAME(vec)){0};
    }
    NAME(cross)(row, p, S + 3);
    NAME(cross)(by_q + 3, psi, p);
    NAME(cross)(by_v + 3, S, p);
}

TARGET static void NAME(make)(const tb_columns *columns, long lane, products *made) {
    NAME(six) S, c, t, a, joints, psi = {0}, shaken = {0}, turned, f, by_q, by_v;
    NAME(three) row;
    NAME(load)(S, columns->S, lane, 6);
    NAME(load)(c, columns->carrier, lane, 6);
    NAME(load)(t, columns->twist, lane, 6);
    NAME(load)(a, columns->bias, lane, 6);
    NAME(load)(joints, columns->joints, lane, 6);
    NAME(load)(f, columns->wrench, lane, 6);
    for (int i = 0; i < 6; i++) {
        S[i] = -S[i]; /* everything else, less what it is: M da = -d(M a + c) */
        a[i] += joints[i];
    }
    NAME(turn)(psi, c, S);
    NAME(turn)(shaken, a, S);
    NAME(turn)(shaken, c, psi);
    for (int i = 0; i < 6; i++)
        turned[i] = psi[i];
    NAME(turn)(turned, t, S);
    NAME(stir)(columns, lane, S, psi, row, by_q, by_v);
    NAME(weigh)(f, columns, lane, joints);
    NAME(weigh)(by_q, columns, lane, shaken);
    NAME(weigh)(by_v, columns, lane, turned);
    NAME(cross)(by_q, S, f); /* S x* f, whose moment comes first */
    NAME(cross)(by_q, S + 3, f + 3);
    NAME(cross)(by_q + 3, S, f + 3);
    for (int i = 0; i < 3; i++)
        row[i] = -row[i];
    NAME(save)(made->row, lane, row, 3);
    NAME(save)(made->turning[0], lane, psi, 3);
    NAME(save)(made->turning[1], lane, S, 3);
    NAME(save)(made->moved[0], lane, shaken, 6);
    NAME(save)(made->moved[1], lane, turned, 6);
    NAME(save)(made->above[0], lane, by_q, 6);
    NAME(save)(made->above[1], lane, by_v, 6);
}

#endif
