/* Whether what a device says of itself, and of an axis, can be. */
#include <math.h>

#include "wire/line.h"

/* A scale may be negative, but no float's rounding error of zero. */
static int is_unit(double unit) {
    return isfinite(unit) && fabs(unit) > 1e-30;
}

static int is_limit(double limit) {
    return isfinite(limit) && limit >= 0.0;
}

typedef struct judgement {
    double value;
    int good;
} judgement;

static long first_bad(const judgement *judged, long from, long to, double *value) {
    for (long i = from; i <= to; i++)
        if (!judged[i].good) {
            *value = judged[i].value;
            return i;
        }
    return 0;
}

/* Where two periods don't fit into what is called silence, each sample would be followed by it. */
long tb_hello_flaw(const tb_hello *hello, int64_t quiet_limit, double *value) {
    const judgement judged[] = {
        [TB_AXIS_COUNT] = {hello->axes, hello->axes >= 1 && hello->axes <= TB_AXES},
        [TB_PERIOD] = {hello->period,
                       hello->period >= 1 && 2000 * (int64_t)hello->period <= quiet_limit},
        [TB_WATCHDOG] = {hello->watchdog, hello->watchdog >= TB_SHORTEST_WATCHDOG &&
                                              hello->watchdog <= TB_LONGEST_WATCHDOG},
    };
    return first_bad(judged, TB_AXIS_COUNT, TB_WATCHDOG, value);
}

long tb_axis_flaw(const tb_axis *axis, uint32_t features, double *value) {
    const judgement judged[] = {
        [TB_POSITION_UNIT] = {axis->position_unit, is_unit(axis->position_unit)},
        [TB_VELOCITY_UNIT] = {(double)axis->velocity_unit,
                              !(features & TB_HAS_VELOCITY) ||
                                  is_unit((double)axis->velocity_unit)},
        [TB_FORCE_UNIT] = {(double)axis->force_unit, is_unit((double)axis->force_unit)},
        [TB_CURRENT_UNIT] = {(double)axis->current_unit,
                             !(features & TB_HAS_CURRENT) || is_unit((double)axis->current_unit)},
        [TB_VOLTAGE_UNIT] = {(double)axis->voltage_unit,
                             !(features & TB_HAS_VOLTAGE) || is_unit((double)axis->voltage_unit)},
        [TB_FORCE_LIMIT] = {(double)axis->force, is_limit((double)axis->force)},
        [TB_VELOCITY_LIMIT] = {(double)axis->velocity, is_limit((double)axis->velocity)},
        [TB_LOWEST] = {(double)axis->low, isfinite(axis->low)},
        [TB_HIGHEST] = {(double)axis->high, isfinite(axis->high) && axis->high >= axis->low},
        [TB_KIND] = {axis->kind, axis->kind <= TB_LINEAR},
    };
    return first_bad(judged, TB_POSITION_UNIT, TB_KIND, value);
}
