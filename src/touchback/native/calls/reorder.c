#include "calls/reorder.h"

#include <string.h>

enum {
    ISSUE = 2, /* operations that start in a cycle */
    SLACK = 4, /* values that may be alive beyond those of the given order at the same step */
    MOST = 64  /* the largest window */
};

typedef struct {
    const int *operands; /* three an operation: earlier operations, -1 for none and for repeats */
    const int *latency;  /* cycles until a result can be used */
    int *way;            /* cycles from the start of an operation to the end of all that need it */
    int *uses;           /* of a result, by operations that have not been placed */
    int *alive;          /* in the given order: values alive before each operation */
    int *ready;          /* cycle in which a result is there, -1 until the operation is placed */
} code;

static void survey(const code *c, long count) {
    for (long i = count - 1; i >= 0; i--) {
        c->way[i] += c->latency[i];
        for (int k = 0; k < 3; k++) {
            int operand = c->operands[3 * i + k];
            if (operand >= 0) {
                c->uses[operand]++;
                if (c->way[operand] < c->way[i])
                    c->way[operand] = c->way[i];
            }
        }
    }
    int *left = c->ready, now = 0;
    memcpy(left, c->uses, (size_t)count * sizeof *left);
    for (long i = 0; i < count; i++) {
        c->alive[i] = now;
        now += c->uses[i] > 0;
        for (int k = 0; k < 3; k++) {
            int operand = c->operands[3 * i + k];
            if (operand >= 0 && --left[operand] == 0)
                now--;
        }
    }
    memset(c->ready, -1, (size_t)count * sizeof *c->ready);
}

/* The cycle in which an operation could start, and how many values it uses for the last time; -1 if
 * an operand has not been placed. */
static long earliest(const code *c, int i, long cycle, int *freed) {
    *freed = 0;
    for (int k = 0; k < 3; k++) {
        int operand = c->operands[3 * i + k];
        if (operand < 0)
            continue;
        if (c->ready[operand] < 0)
            return -1;
        if (cycle < c->ready[operand])
            cycle = c->ready[operand];
        *freed += c->uses[operand] == 1;
    }
    return cycle;
}

/* Which of the waiting operations comes next: the one with the longest way ahead, less what it
 * would wait for its operands; where registers get scarce the one that frees most of them, else the
 * first one. */
static int choose(const code *c, const int *waiting, int size, long cycle, int scarce) {
    int best = 0, freed;
    long best_worth = 0;
    for (int w = 0, found = 0; w < size; w++) {
        long start = earliest(c, waiting[w], cycle, &freed);
        if (start < 0)
            continue;
        long worth = scarce ? freed : c->way[waiting[w]] - (start - cycle);
        if (!found || worth > best_worth) {
            best = w;
            best_worth = worth;
            found = 1;
        }
    }
    return best;
}

void tb_reorder(long count, const int *operands, const int *latency, long window, const int *stops,
                int *work, int *order) {
    code c = {operands, latency, work, work + count, work + 2 * count, work + 3 * count};
    survey(&c, count);
    int waiting[MOST], size = 0, started = 0, alive = 0, freed;
    long next = 0, cycle = 0;
    if (window > MOST)
        window = MOST;
    for (long step = 0; step < count; step++) {
        while (step == *stops)
            stops++;
        while (size < window && next < *stops)
            waiting[size++] = (int)next++;
        int w = choose(&c, waiting, size, cycle, alive >= c.alive[step] + SLACK), i = waiting[w];
        memmove(waiting + w, waiting + w + 1, (size_t)(--size - w) * sizeof *waiting);
        long start = earliest(&c, i, cycle, &freed);
        for (int k = 0; k < 3; k++)
            if (operands[3 * i + k] >= 0)
                c.uses[operands[3 * i + k]]--;
        alive += (c.uses[i] > 0) - freed;
        started = start > cycle ? 1 : started + 1;
        cycle = start + (started == ISSUE);
        started %= ISSUE;
        c.ready[i] = (int)(start + latency[i]);
        order[step] = i;
    }
}
