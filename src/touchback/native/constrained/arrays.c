/* Sizes of the arrays of tb_constrained_work, for those who make them. */
#include "constrained/struct.h"

#define SIZE(type, name, count) *sizes++ = (count);

void tb_constrained_array_sizes(const tb_constrained_model *model, long *sizes) {
    TB_CHOICE_ARRAYS(SIZE)
    TB_SOLUTION_ARRAYS(SIZE)
    TB_WORK_ARRAYS(SIZE)
    TB_IMPLICIT_ARRAYS(SIZE)
}
