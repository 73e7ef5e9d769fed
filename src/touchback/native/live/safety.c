#include "live/safety.h"

int tb_guard_trips(const tb_guard *guard, double value) {
    return guard->at_limit == TB_TRIP && (value < guard->low || value > guard->high);
}

static double clipped(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

int tb_guard_deliver(tb_guard *guard, double value, int healthy, double *delivered) {
    if (!guard->started) {
        guard->started = 1;
        if (guard->safe_kind == TB_HOLD)
            guard->safe = clipped(value, guard->low, guard->high);
        guard->delivered = guard->safe;
    }
    guard->blend = clipped(guard->blend + (healthy ? guard->rise : -guard->fall), 0.0, 1.0);
    double wanted = guard->blend == 1.0   ? value
                    : guard->blend == 0.0 ? guard->safe
                                          : guard->safe + guard->blend * (value - guard->safe);
    double given = wanted;
    if (guard->blend > 0.0) { /* a safe value is delivered as declared */
        given = clipped(given, guard->low, guard->high);
        if (healthy)
            given = clipped(given, guard->delivered - guard->slew, guard->delivered + guard->slew);
    }
    if (healthy && guard->blend == 1.0 && guard->safe_kind == TB_HOLD)
        guard->safe = given;
    guard->delivered = *delivered = given;
    return given != wanted;
}
