/* Derivatives of accelerations to where they stand outside: tree_lanes.h includes it for each
 * width. */
#ifdef LANES

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
TARGET INLINED void NAME(exchange)(NAME(vec) * rows, const int apart) {
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
TARGET INLINED void NAME(transpose)(NAME(vec) * rows) {
    NAME(exchange)(rows, 1);
    if (LANES > 2)
        NAME(exchange)(rows, LANES > 2 ? 2 : 1);
    if (LANES > 4)
        NAME(exchange)(rows, LANES > 4 ? 4 : 1);
}

/* Rows of coordinates that stand in the same order outside, of which a vector is full. */
TARGET static void NAME(place)(const tb_tree_derivatives *self, const long *at, NAME(strip) * X,
                               NAME(strip) (*found)[2], double *out, const int to) {
    const int from = 0;
    long n = self->n;
    EACH(w)
    for (int s = 0; s < 2; s++)
        for (long next = 0; next < n; next += LANES) {
            long first = next + LANES > n ? n - LANES : next;
            double *corner = out + (s * n + at[w]) * n + first;
            NAME(vec) rows[LANES];
            for (int i = 0; i < LANES; i++)
                rows[i] = found[first + i][s][w];
            NAME(transpose)(rows);
            for (int i = 0; i < LANES; i++, corner += n)
                *(NAME(loose) *)corner = rows[i];
        }
    for (long j = 0; j < n; j++) /* M^-1 is symmetric */
        EACH(w) * (NAME(loose) *)(out + (2 * n + j) * n + at[w]) = X[j][w];
}

/* Of others. */
TARGET static void NAME(scatter)(const tb_tree_derivatives *self, const long *at, NAME(strip) * X,
                                 NAME(strip) (*found)[2], double *out, const int to) {
    const int from = 0;
    long n = self->n;
    for (long j = 0; j < n; j++)
        EACH(w)
    for (int l = 0; l < LANES && at[w] + l < n; l++) {
        double *place = out + self->order[at[w] + l] * n + self->order[j];
        place[0] = found[j][0][w][l];
        place[n * n] = found[j][1][w][l];
        place[2 * n * n] = X[j][w][l];
    }
}

#endif
