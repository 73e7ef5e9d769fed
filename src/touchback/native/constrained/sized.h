/* Loops of few turns cost more than what they compute, so SIZED repeats the same lines with
 * constants for usual small sizes, which the compiler unrolls; operations and their order are those
 * of any size. */
#ifndef TOUCHBACK_CONSTRAINED_SIZED_H
#define TOUCHBACK_CONSTRAINED_SIZED_H

#define IS_SIZE(model, work, columns, rows) ((model)->n == (columns) && (work)->rank == (rows))
#ifdef TOUCHBACK_SMALL /* less code, where that counts more than speed */
#define SIZED(model, work, call) call((model)->n, (work)->rank)
#else
#define SIZED(model, work, call)                                                                   \
    (IS_SIZE(model, work, 3, 2)   ? call(3, 2)                                                     \
     : IS_SIZE(model, work, 2, 1) ? call(2, 1)                                                     \
     : IS_SIZE(model, work, 3, 1) ? call(3, 1)                                                     \
     : IS_SIZE(model, work, 4, 2) ? call(4, 2)                                                     \
     : IS_SIZE(model, work, 4, 3) ? call(4, 3)                                                     \
     : IS_SIZE(model, work, 5, 4) ? call(5, 4)                                                     \
     : IS_SIZE(model, work, 6, 5) ? call(6, 5)                                                     \
     : IS_SIZE(model, work, 7, 6) ? call(7, 6)                                                     \
                                  : call((model)->n, (work)->rank))
#endif

#endif
