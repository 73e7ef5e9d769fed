/* Derivatives of accelerations along a kinematic tree, several of their rows in a register:
 * tree_slopes.c includes it once for each width, and says
 *
 *   LANES  doubles in a vector            NAME(x)         the name of x for this width
 *   TARGET what the processor must have   FUSED(a, b, c)  a b + c
 *
 * Row k of M^-1 is what a unit effort at k accelerates: articulated bodies (Featherstone 1983) give
 * it, links inward, links outward, for all k of a strip at once. Efforts' derivatives by coordinate
 * j are products of something of j with sums over what j carries, and over what carries j; so are
 * rows of M^-1 times them, with sums that grow link by link: no n^3. */
#ifdef LANES

#define STRIP (LANES == 4 ? 1 : 2) /* vectors at a time: as many as registers hold */
#define WIDTH (STRIP * LANES)
#define ALL(x) ((x) - (NAME(vec)){0}) /* 0 + x would be an addition */

typedef double NAME(vec) __attribute__((vector_size(8 * LANES), may_alias));
typedef long NAME(mask) __attribute__((vector_size(8 * LANES), may_alias));
typedef double NAME(loose) __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));
typedef NAME(vec) NAME(strip)[STRIP];

/* to = from + sum of factors[c] sums[c]; two chains, not to wait. */
TARGET INLINED void NAME(dot)(NAME(vec) *to, const NAME(vec) *from, const double *factors,
                              NAME(strip) *sums, const int count) {
    NAME(strip) even, odd;
    for (int w = 0; w < STRIP; w++) {
        even[w] = FUSED(ALL(factors[0]), sums[0][w], from[w]);
        odd[w] = ALL(factors[1]) * sums[1][w];
    }
    for (int c = 2; c < count; c++)
        for (int w = 0; w < STRIP; w++)
            if (c % 2)
                odd[w] = FUSED(ALL(factors[c]), sums[c][w], odd[w]);
            else
                even[w] = FUSED(ALL(factors[c]), sums[c][w], even[w]);
    for (int w = 0; w < STRIP; w++)
        to[w] = even[w] + odd[w];
}

/* sums[c] += factors[c] x. */
TARGET INLINED void NAME(grow)(NAME(strip) *sums, const double *factors, const NAME(vec) *x,
                               const int count) {
    for (int c = 0; c < count; c++)
        for (int w = 0; w < STRIP; w++)
            sums[c][w] = FUSED(ALL(factors[c]), x[w], sums[c][w]);
}

/* Forks begin without anything from their branches. */
TARGET static void NAME(clear)(const tb_tree_slopes *self, NAME(strip) (*forks)[9]) {
    for (long l = 0; l < self->links; l++)
        for (int c = 0; self->forks[l] && c < 9; c++)
            for (int w = 0; w < STRIP; w++)
                forks[l][c][w] = (NAME(vec)){0};
}

/* Before link l, inward: what its branches left is added, besides the next link's, which comes
 * directly. */
TARGET INLINED void NAME(join)(const tb_tree_slopes *self, long l, NAME(strip) (*forks)[9],
                               NAME(strip) *sums, const int count) {
    if (self->forks[l])
        for (int c = 0; c < count; c++)
            for (int w = 0; w < STRIP; w++)
                sums[c][w] += forks[l][c][w];
}

/* After it: a branch leaves its sums at the fork, and the next begins with none. */
TARGET INLINED void NAME(leave)(const tb_tree_slopes *self, long l, NAME(strip) (*forks)[9],
                                NAME(strip) *sums, const int count) {
    long parent = self->parents[l];
    if (parent != l - 1)
        for (int c = 0; c < count; c++)
            for (int w = 0; w < STRIP; w++) {
                if (parent >= 0)
                    forks[parent][c][w] += sums[c][w];
                sums[c][w] = (NAME(vec)){0};
            }
}

/* Inward: X = u/D for unit efforts, u = 1 - S . p, where p += (U/D) u are wrenches. */
TARGET static void NAME(push)(const tb_tree_slopes *self, const tb_column *columns, long at,
                              NAME(strip) *X, NAME(strip) (*forks)[9]) {
    const NAME(strip) none = {0};
    NAME(strip) p[6] = {0};
    long l = self->links - 1;
    for (; self->begin[l] >= at + WIDTH; l--) /* links that carry none of the strip */
        for (long j = self->begin[l]; j < self->begin[l + 1]; j++)
            for (int w = 0; w < STRIP; w++)
                X[j][w] = none[w];
    NAME(clear)(self, forks);
    for (; l >= 0; l--) {
        NAME(join)(self, l, forks, p, 6);
        for (long j = self->begin[l + 1] - 1; j >= self->begin[l]; j--) {
            const tb_column *column = columns + j;
            NAME(strip) taken, u;
            NAME(dot)(taken, none, column->S, p, 6);
            for (int w = 0; w < STRIP; w++) {
                NAME(mask) unit = *(const NAME(mask) *)counting == j - at - w * LANES;
                u[w] = (NAME(vec))(unit & (NAME(mask))ALL(1.0)) - taken[w];
                X[j][w] = ALL(column->inverse) * u[w];
            }
            NAME(grow)(p, column->U, u, 6);
        }
        NAME(leave)(self, l, forks, p, 6);
    }
}

/* Outward: X -= (U/D) . A, where A += S X are twists; and the rows' products with derivatives of
 * what carries j, while X waits for its first sum. */
TARGET static void NAME(carry)(const tb_tree_slopes *self, const tb_column *columns,
                               NAME(strip) *X, NAME(strip) (*found)[2], NAME(strip) (*forks)[9]) {
    const NAME(strip) none = {0};
    NAME(strip) A[6] = {0};
    for (long l = 0; l < self->links; l++) {
        long parent = self->parents[l], first = self->begin[l], end = self->begin[l + 1];
        if (parent != l - 1)
            for (int c = 0; c < 6; c++)
                for (int w = 0; w < STRIP; w++)
                    A[c][w] = parent < 0 ? none[w] : forks[parent][c][w];
        NAME(strip) known;
        NAME(dot)(known, none, columns[first].U, A, 6);
        for (long j = first; j < end; j++) {
            NAME(dot)(found[j][0], none, columns[j].above_q, A, 6);
            NAME(dot)(found[j][1], none, columns[j].above_v, A, 6);
        }
        for (long j = first; j < end; j++) {
            if (j > first)
                NAME(dot)(known, none, columns[j].U, A, 6);
            for (int w = 0; w < STRIP; w++)
                X[j][w] -= known[w];
            NAME(grow)(A, columns[j].S, X[j], 6);
        }
        for (int c = 0; self->forks[l] && c < 6; c++)
            for (int w = 0; w < STRIP; w++)
                forks[l][c][w] = A[c][w];
    }
}

/* Inward: the rows' products with derivatives of what j carries, its own link among it. */
TARGET static void NAME(gather)(const tb_tree_slopes *self, const tb_column *columns,
                                NAME(strip) *X, NAME(strip) (*found)[2],
                                NAME(strip) (*forks)[9]) {
    NAME(strip) P[9] = {0};
    NAME(clear)(self, forks);
    for (long l = self->links - 1; l >= 0; l--) {
        NAME(join)(self, l, forks, P, 9);
        for (long j = self->begin[l]; j < self->begin[l + 1]; j++)
            NAME(grow)(P, columns[j].row, X[j], 9);
        for (long j = self->begin[l]; j < self->begin[l + 1]; j++) {
            NAME(dot)(found[j][0], found[j][0], columns[j].by_q, P, 9);
            NAME(dot)(found[j][1], found[j][1], columns[j].by_v, P, 9);
        }
        NAME(leave)(self, l, forks, P, 9);
    }
}

/* And with those that no columns give. */
TARGET static void NAME(multiply)(const tb_tree_slopes *self, const double *dense,
                                  NAME(strip) *X, NAME(strip) (*found)[2]) {
    for (int s = 0; s < 2; s++)
        for (long j = 0; j < self->n; j++) {
            NAME(strip) sum = {0};
            for (long i = 0; i < self->n; i++, dense++)
                NAME(grow)(&sum, dense, X[i], 1);
            for (int w = 0; w < STRIP; w++)
                found[j][s][w] += sum[w];
        }
}

/* Of two rows those numbers, counted through both. */
TARGET INLINED NAME(vec) NAME(chosen)(NAME(vec) x, NAME(vec) y, NAME(mask) which) {
#ifdef __clang__ /* which makes one instruction of it, too */
    NAME(vec) found = x;
    for (int l = 0; l < LANES; l++)
        found[l] = which[l] < LANES ? x[which[l]] : y[which[l] - LANES];
    return found;
#else
    return __builtin_shuffle(x, y, which);
#endif
}

/* Every other number of neighbouring rows changes places; or pairs; or fours. */
TARGET INLINED void NAME(exchange)(NAME(vec) *rows, const int apart) {
    NAME(mask) first = {0}, second = {0};
    for (int l = 0; l < LANES; l++) {
        first[l] = l & apart ? LANES + l - apart : l;
        second[l] = l & apart ? LANES + l : l + apart;
    }
    for (int i = 0; i < LANES; i++)
        if (!(i & apart)) {
            NAME(vec) x = rows[i], y = rows[i + apart];
            rows[i] = NAME(chosen)(x, y, first);
            rows[i + apart] = NAME(chosen)(x, y, second);
        }
}

/* Rows become columns. */
TARGET INLINED void NAME(transpose)(NAME(vec) *rows) {
    NAME(exchange)(rows, 1);
    if (LANES > 2)
        NAME(exchange)(rows, LANES > 2 ? 2 : 1);
    if (LANES > 4)
        NAME(exchange)(rows, LANES > 4 ? 4 : 1);
}

/* Numbers of a row to where its coordinate and theirs stand. */
TARGET INLINED void NAME(put)(const tb_tree_slopes *self, double *out, long row, long from,
                              NAME(vec) x) {
    double *to = out + self->order[row] * self->n;
    if (self->ordered && from + LANES <= self->n)
        *(NAME(loose) *)(to + from) = x;
    else
        for (int l = 0; l < LANES && from + l < self->n; l++)
            to[self->order[from + l]] = x[l];
}

TARGET static void NAME(place)(const tb_tree_slopes *self, long at, NAME(strip) *X,
                               NAME(strip) (*found)[2], double *out) {
    long n = self->n;
    for (int w = 0; w < STRIP; w++) {
        long row = at + w * LANES;
        for (long j = 0; j < n; j++)
            NAME(put)(self, out + 2 * n * n, j, row, X[j][w]); /* M^-1 is symmetric */
        for (int s = 0; s < 2; s++)
            for (long next = 0; next < n; next += LANES) {
                long from = next + LANES > n && n >= LANES ? n - LANES : next;
                NAME(vec) rows[LANES];
                for (int i = 0; i < LANES; i++)
                    rows[i] = -found[from + i][s][w];
                NAME(transpose)(rows);
                for (int i = 0; i < LANES && row + i < n; i++)
                    NAME(put)(self, out + s * n * n, row + i, from, rows[i]);
            }
    }
}

TARGET static void NAME(solve)(const tb_tree_slopes *self, const tb_column *columns, double *out,
                               double *work) {
    long n = self->n;
    NAME(strip) *X = (NAME(strip) *)work, (*found)[2] = (void *)(X + n + LANES);
    NAME(strip) (*forks)[9] = (void *)(found + n + LANES);
    for (long next = 0; next < n; next += WIDTH) {
        long at = next + WIDTH > n && n >= WIDTH ? n - WIDTH : next;
        NAME(push)(self, columns, at, X, forks);
        NAME(carry)(self, columns, X, found, forks);
        NAME(gather)(self, columns, X, found, forks);
        if (self->dense)
            NAME(multiply)(self, (const double *)(columns + n), X, found);
        NAME(place)(self, at, X, found, out);
    }
}

#undef ALL
#undef STRIP
#undef WIDTH
#undef LANES
#undef NAME
#undef TARGET
#undef FUSED
#endif
