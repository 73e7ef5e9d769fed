/* What a mechanism with constraints remembers from step to step beside its state, as numbers that a
 * recording can keep: its choice and how good that was, the state that it accepted last, and what
 * formulations begin their next step with. Whoever wrote them may have written anything: orders and
 * ranks, which are places in memory, are checked. */
#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"
#endif

enum { RANK, POSITION_RANK, MOST_RANK, STARTED, WAS_TRUNCATED, HEAD };
#define SAVE(type, name, count)                                                                    \
    for (long k = 0; k < (count); k++, size++)                                                     \
        if (memory)                                                                                \
            memory[size] = (double)work->name[k];
#define RESTORE(type, name, count)                                                                 \
    for (long k = 0; k < (count); k++)                                                             \
        work->name[k] = (type) * memory++;

TB_DEVICE long tb_constrained_save_warm_start(const tb_constrained *c, double *memory) {
    const tb_constrained_model *model = c->model;
    const tb_constrained_work *work = c->work;
    long size = HEAD;
    if (memory) {
        const double head[HEAD] = {(double)work->rank, (double)work->position_rank,
                                   (double)work->most_rank, (double)work->started,
                                   (double)work->truncated};
        memcpy(memory, head, sizeof head);
    }
    TB_CHOICE_ARRAYS(SAVE)
    if (memory)
        memory[size] = work->redundant_h;
    size++;
    TB_SOLUTION_ARRAYS(SAVE)
    for (long k = 0; k < model->nz; k++, size++)
        if (memory)
            memory[size] = tb_terms_z(model, work)[k];
    return size;
}

static int is_whole(double number, long most) {
    return number >= 0.0 && number <= (double)most && number == floor(number);
}

/* Whether each of 0 to count - 1 is among so many numbers. */
static int is_order(const tb_constrained_work *work, const double *numbers, long count) {
    int *seen = work->pivots; /* scratch of every choice */
    memset(seen, 0, (size_t)count * sizeof *seen);
    for (long i = 0; i < count; i++)
        if (!is_whole(numbers[i], count - 1) || seen[(long)numbers[i]]++)
            return 0;
    return 1;
}

TB_DEVICE int tb_constrained_is_warm_start(const tb_constrained *c, const double *memory) {
    const tb_constrained_model *model = c->model;
    const tb_constrained_work *work = c->work;
    long most = model->m < model->n ? model->m : model->n;
    return is_whole(memory[RANK], most) && is_whole(memory[POSITION_RANK], most) &&
           memory[POSITION_RANK] <= memory[RANK] && is_whole(memory[MOST_RANK], most) &&
           is_whole(memory[STARTED], 1) && is_whole(memory[WAS_TRUNCATED], 1) &&
           is_order(work, memory + HEAD, model->m) &&
           is_order(work, memory + HEAD + model->m, model->n);
}

TB_DEVICE void tb_constrained_restore_warm_start(const tb_constrained *c, const double *memory) {
    const tb_constrained_model *model = c->model;
    tb_constrained_work *work = c->work;
    work->rank = (long)memory[RANK];
    work->position_rank = (long)memory[POSITION_RANK];
    work->most_rank = (long)memory[MOST_RANK];
    work->started = (long)memory[STARTED];
    work->truncated = (long)memory[WAS_TRUNCATED];
    memory += HEAD;
    TB_CHOICE_ARRAYS(RESTORE)
    work->redundant_h = *memory++;
    TB_SOLUTION_ARRAYS(RESTORE)
    for (long k = 0; k < model->nz; k++)
        tb_terms_z(model, work)[k] = *memory++;
    tb_use_choice(model, work);
}
