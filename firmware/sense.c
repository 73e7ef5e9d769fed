#include "sense.h"

int32_t sense_counter(sense *state, uint16_t counter) {
    state->count += (int16_t)(uint16_t)(counter - state->last);
    state->last = counter;
    return state->count - state->zero;
}

int32_t sense_hall(int32_t front, int32_t rear) { return front * front - rear * rear; }

int32_t sense_velocity(sense *state, int32_t count, int32_t rate) {
    int32_t before = state->history[state->next];
    state->history[state->next] = count;
    state->next = (state->next + 1) & 7;
    return (count - before) * (rate / 8);
}
