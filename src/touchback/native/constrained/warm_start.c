/* What a mechanism with constraints remembers from step to step beside its state, as numbers that a
 * recording can keep: its choice and how good that was, the state that it accepted last, and what
 * formulations begin their next step with. Whoever wrote them may have written anything: orders and
 * ranks, which are places in memory, are checked. */
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"

enum { RANK, POSITION_RANK, MOST_RANK, STARTED, WAS_TRUNCATED, HEAD };
enum { PIECES = 13 };

typedef struct piece {
    double *at;
    long count;
} piece;

static void list_pieces(const tb_constrained *c, piece *pieces) {
    long n = c->n, m = c->m;
    const piece all[PIECES] = {
        {c->chosen_pivot, m},
        {c->best_pivot, m},
        {c->pivot, m},
        {c->pivot_floor, m},
        {c->chosen_size, m},
        {c->row_size, m},
        {c->row_weight, m},
        {c->scale, n},
        {(double *)&c->redundant_h, 1},
        {c->settled, c->nq + n + c->nz},
        {c->a, n},
        {c->lambda, m},
        {tb_terms_z(c), c->nz},
    };
    memcpy(pieces, all, sizeof all);
}

long tb_constrained_save_warm_start(const tb_constrained *c, double *memory) {
    piece pieces[PIECES];
    list_pieces(c, pieces);
    long size = HEAD + c->m + c->n;
    if (memory) {
        const double head[HEAD] = {(double)c->rank, (double)c->position_rank, (double)c->most_rank,
                                   (double)c->started, (double)c->truncated};
        memcpy(memory, head, sizeof head);
        for (long i = 0; i < c->m; i++)
            memory[HEAD + i] = c->rows[i];
        for (long j = 0; j < c->n; j++)
            memory[HEAD + c->m + j] = c->columns[j];
    }
    for (long k = 0; k < PIECES; size += pieces[k++].count)
        if (memory)
            memcpy(memory + size, pieces[k].at, (size_t)pieces[k].count * sizeof *memory);
    return size;
}

static int is_whole(double number, long most) {
    return number >= 0.0 && number <= (double)most && number == floor(number);
}

/* Whether each of 0 to count - 1 is among so many numbers. */
static int is_order(const tb_constrained *c, const double *numbers, long count) {
    int *seen = c->pivots; /* scratch of every choice */
    memset(seen, 0, (size_t)count * sizeof *seen);
    for (long i = 0; i < count; i++)
        if (!is_whole(numbers[i], count - 1) || seen[(long)numbers[i]]++)
            return 0;
    return 1;
}

int tb_constrained_is_warm_start(const tb_constrained *c, const double *memory) {
    long most = c->m < c->n ? c->m : c->n;
    return is_whole(memory[RANK], most) && is_whole(memory[POSITION_RANK], most) &&
           memory[POSITION_RANK] <= memory[RANK] && is_whole(memory[MOST_RANK], most) &&
           is_whole(memory[STARTED], 1) && is_whole(memory[WAS_TRUNCATED], 1) &&
           is_order(c, memory + HEAD, c->m) && is_order(c, memory + HEAD + c->m, c->n);
}

void tb_constrained_restore_warm_start(tb_constrained *c, const double *memory) {
    piece pieces[PIECES];
    list_pieces(c, pieces);
    c->rank = (long)memory[RANK];
    c->position_rank = (long)memory[POSITION_RANK];
    c->most_rank = (long)memory[MOST_RANK];
    c->started = (long)memory[STARTED];
    c->truncated = (long)memory[WAS_TRUNCATED];
    memory += HEAD;
    for (long i = 0; i < c->m; i++)
        c->rows[i] = (int)*memory++;
    for (long j = 0; j < c->n; j++)
        c->columns[j] = (int)*memory++;
    for (long k = 0; k < PIECES; memory += pieces[k++].count)
        memcpy(pieces[k].at, memory, (size_t)pieces[k].count * sizeof *memory);
    tb_use_choice(c);
}
