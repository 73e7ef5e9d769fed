/* Whether what a device says of an axis can be. */
#include <math.h>

#include "wire/line.h"

/* A scale may be negative, but no float's rounding error of zero. */
static int is_unit(double unit) { return isfinite(unit) && fabs(unit) > 1e-30; }

static int is_limit(double limit) { return isfinite(limit) && limit >= 0.0; }

long tb_axis_flaw(const tb_axis *axis, uint32_t features, double *value) {
    const struct {
        double value;
        int good;
    } judged[] = {
        [TB_POSITION_UNIT] = {axis->position_unit, is_unit(axis->position_unit)},
        [TB_VELOCITY_UNIT] = {(double)axis->velocity_unit,
                              !(features & TB_HAS_VELOCITY) || is_unit((double)axis->velocity_unit)},
        [TB_FORCE_UNIT] = {(double)axis->force_unit, is_unit((double)axis->force_unit)},
        [TB_CURRENT_UNIT] = {(double)axis->current_unit,
                             !(features & TB_HAS_CURRENT) || is_unit((double)axis->current_unit)},
        [TB_VOLTAGE_UNIT] = {(double)axis->voltage_unit,
                             !(features & TB_HAS_VOLTAGE) || is_unit((double)axis->voltage_unit)},
        [TB_FORCE_LIMIT] = {(double)axis->force, is_limit((double)axis->force)},
        [TB_VELOCITY_LIMIT] = {(double)axis->velocity, is_limit((double)axis->velocity)},
        [TB_LOWEST] = {(double)axis->low, isfinite(axis->low)},
        [TB_HIGHEST] = {(double)axis->high, isfinite(axis->high) && axis->high >= axis->low},
    };
    for (long i = TB_POSITION_UNIT; i <= TB_HIGHEST; i++)
        if (!judged[i].good) {
            *value = judged[i].value;
            return i;
        }
    return 0;
}
