/* An instance of a model behind the interface, whatever its version: its state, and what can be asked
 * of it. Nothing is global; a call works on its own instance only. */
#ifndef TB_INSTANCE_H
#define TB_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/* Numbered as both versions of the standard number them. */
enum { TB_OK, TB_WARNING, TB_DISCARD, TB_ERROR, TB_FATAL };

/* What an instance is in, as bits, so that a call names all in which it is allowed. */
enum {
    TB_INSTANTIATED = 1,
    TB_INITIALIZING = 2,
    TB_EVENTS = 4,
    TB_CONTINUOUS = 8,
    TB_STEPS = 16,
    TB_TERMINATED = 32,
    TB_BEGINNING = TB_INSTANTIATED | TB_INITIALIZING,
    TB_RUNNING = TB_EVENTS | TB_CONTINUOUS | TB_STEPS,
    TB_ANY = 63
};

/* References of variables: time, then one group after the other. */
enum {
    TB_TIME = 0,
    TB_INPUTS = 1,
    TB_OUTPUTS = TB_INPUTS + TB_NU,
    TB_STATES = TB_OUTPUTS + TB_NY,
    TB_RATES = TB_STATES + TB_NX,
    TB_PARAMETERS = TB_RATES + TB_NX,
    TB_INDICATORS = TB_PARAMETERS + TB_NP,
    TB_REFERENCES = TB_INDICATORS + TB_NI
};

/* All that an instance is to be continued from: plain numbers, which may be copied and kept. */
typedef struct tb_state {
    uint64_t model; /* which model it belongs to */
    int32_t phase, failed;
    double time;
    double start[TB_NX + 1]; /* what the state begins from: settable until it is initialised */
    double x[TB_NX + 1];
    double inputs[TB_NU + 1];
    double parameters[TB_NP + 1];
    double memory[TB_MEMORY + 1]; /* of the core */
} tb_state;

typedef struct tb_instance {
    tb_state now;
    tb_core core;
    /* What follows from the state, and whether it does so still. */
    int block_known, rate_known, outputs_known;
    double rate[TB_NX + 1];
    double outputs[TB_NY + 1];
    double indicators[TB_NI + 1];
    double slope_block[TB_SLOPE_BLOCK + 1];
    double moved[TB_NX + 1]; /* the states that the next event gives */
    int moves;
    /* Who made it, and for which interface: steps, or model exchange. */
    int stepwise;
    int logging;
    void *environment;
    void *logger;
    char name[256];
    void (*say)(struct tb_instance *self, int status, const char *text);
} tb_instance;

/* Logs what went wrong, and gives the status back. */
int tb_tell(tb_instance *self, int status, const char *text, ...);
/* 0 where there is no instance, or a call isn't allowed in its phase. */
int tb_allowed(tb_instance *self, const char *call, int phases);

tb_instance *tb_make(const char *name, const char *token, int logging, void *environment,
                     void *logger, void (*say)(tb_instance *, int, const char *));
void tb_reset(tb_instance *self);
int tb_get(tb_instance *self, const uint32_t *references, size_t count, double *values);
int tb_set(tb_instance *self, const uint32_t *references, size_t count, const double *values);
/* Finds the state at the start, and goes on to a phase. */
int tb_initialized(tb_instance *self, int phase);
int tb_advance(tb_instance *self, double time, double step);
int tb_set_time(tb_instance *self, double time);
int tb_set_states(tb_instance *self, const double *x, size_t count);
int tb_get_states(tb_instance *self, double *x, size_t count);
int tb_get_rates(tb_instance *self, double *rates, size_t count);
int tb_get_indicators(tb_instance *self, double *values, size_t count);
/* 1 in *event where states are to be moved. */
int tb_step_completed(tb_instance *self, int *event);
/* 1 in *changed where they were. */
int tb_event(tb_instance *self, int *changed);
int tb_get_slopes(tb_instance *self, const uint32_t *unknowns, size_t unknown_count,
                  const uint32_t *knowns, size_t known_count, const double *seed, double *result);

/* States outside an instance: NULL where there is no memory. */
tb_state *tb_kept(tb_instance *self, tb_state *old);
int tb_restore(tb_instance *self, const tb_state *kept);
/* 1 where bytes are a state of this model. */
int tb_is_state(const void *bytes, size_t size);

/* Of the parameters, the rate and the sensors, where they aren't known yet. */
int tb_know_rate(tb_instance *self);
int tb_know_outputs(tb_instance *self);

#endif
