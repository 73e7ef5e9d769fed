/* An instance of a model behind the interface, whatever its version: its state, and what can be
 * asked of it. Nothing is global; a call works on its own instance only. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/* Numbered as both versions of the standard number them. */
enum { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL };

/* What an instance is in, as bits, so that a call names all in which it is allowed. */
enum {
    FMU_INSTANTIATED = 1,
    FMU_INITIALIZING = 2,
    FMU_EVENTS = 4,
    FMU_CONTINUOUS = 8,
    FMU_STEPS = 16,
    FMU_TERMINATED = 32,
    FMU_BEGINNING = FMU_INSTANTIATED | FMU_INITIALIZING,
    FMU_RUNNING = FMU_EVENTS | FMU_CONTINUOUS | FMU_STEPS,
    FMU_ANY = 63
};

/* References of variables: time, then one group after the other. */
enum {
    FMU_TIME = 0,
    FMU_INPUTS = 1,
    FMU_OUTPUTS = FMU_INPUTS + FMU_NU,
    FMU_STATES = FMU_OUTPUTS + FMU_NY,
    FMU_RATES = FMU_STATES + FMU_NX,
    FMU_PARAMETERS = FMU_RATES + FMU_NX,
    FMU_INDICATORS = FMU_PARAMETERS + FMU_NP,
    FMU_REFERENCES = FMU_INDICATORS + FMU_NI
};

/* All that an instance is to be continued from: plain numbers, which may be copied and kept. */
typedef struct fmu_state {
    uint64_t model; /* which model it belongs to */
    int32_t phase, failed;
    int64_t steps; /* of co-simulation, since the time `begin` */
    double time, begin;
    double start[FMU_NX + 1]; /* what the state begins from: settable until it is initialised */
    double x[FMU_NX + 1];
    double inputs[FMU_NU + 1];
    double parameters[FMU_NP + 1];
    double memory[FMU_MEMORY + 1]; /* of the core */
} fmu_state;

typedef struct fmu_instance {
    fmu_state now;
    fmu_core core;
    /* What follows from the state, and whether it does so still. */
    int block_known, rate_known, outputs_known;
    double rate[FMU_NX + 1];
    double outputs[FMU_NY + 1];
    double indicators[FMU_NI + 1];
    double slope_block[FMU_SLOPE_BLOCK + 1];
    double moved[FMU_NX + 1]; /* the states that the next event gives */
    int moves;
    /* Who made it, and for which interface: steps, or model exchange. */
    int stepwise;
    int logging;
    void *environment;
    void *logger;
    char name[256];
    void (*say)(struct fmu_instance *self, int status, const char *text);
} fmu_instance;

/* Logs what went wrong, and gives the status back. */
int fmu_tell(fmu_instance *self, int status, const char *text, ...);
/* 0 where there is no instance, or a call isn't allowed in its phase. */
int fmu_allowed(fmu_instance *self, const char *call, int phases);

fmu_instance *fmu_make(const char *name, const char *token, int logging, void *environment,
                     void *logger, void (*say)(fmu_instance *, int, const char *));
void fmu_reset(fmu_instance *self);
int fmu_get(fmu_instance *self, const uint32_t *references, size_t count, double *values);
int fmu_set(fmu_instance *self, const uint32_t *references, size_t count, const double *values);
/* Finds the state at the start, and goes on to a phase. */
int fmu_initialized(fmu_instance *self, int phase);
int fmu_advance(fmu_instance *self, double time, double step);
int fmu_set_time(fmu_instance *self, double time);
int fmu_set_states(fmu_instance *self, const double *x, size_t count);
int fmu_get_states(fmu_instance *self, double *x, size_t count);
int fmu_get_rates(fmu_instance *self, double *rates, size_t count);
int fmu_get_indicators(fmu_instance *self, double *values, size_t count);
/* 1 in *event where states are to be moved. */
int fmu_step_completed(fmu_instance *self, int *event);
/* 1 in *changed where they were. */
int fmu_event(fmu_instance *self, int *changed);
int fmu_get_slopes(fmu_instance *self, const uint32_t *unknowns, size_t unknown_count,
                  const uint32_t *knowns, size_t known_count, const double *seed, double *result);

/* States outside an instance: NULL where there is no memory. */
fmu_state *fmu_kept(fmu_instance *self, fmu_state *old);
int fmu_restore(fmu_instance *self, const fmu_state *kept);
/* 1 where bytes are a state of this model. */
int fmu_is_state(const void *bytes, size_t size);

/* What follows from the state and isn't known yet: of the parameters, the rate and the sensors; and
 * that the last two aren't known any more. */
int fmu_know_block(fmu_instance *self);
int fmu_know_rate(fmu_instance *self);
int fmu_know_outputs(fmu_instance *self);
void fmu_forget(fmu_instance *self);

#endif
