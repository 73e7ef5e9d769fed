/* Mechanisms whose constraints change while they run (Gillespie 1996, section 3.4): one of several
 * modes reigns at a time, each with equations of its own over the one state x, which holds the
 * numbers of the present modes, too. Nothing but x tells which mode reigns.
 *
 * A mode ends at an exit: where an indicator passes zero as wanted, or at once where it has
 * passed already when the mode begins and doesn't come back. */
#ifndef TOUCHBACK_MODES_H
#define TOUCHBACK_MODES_H

#ifndef TB_ON_DEVICE
#include "modes/struct.h"
#endif

/* The mode that a state is in, -1 when its numbers name none. */
TB_DEVICE long tb_mode_of(const tb_modes *modes, const double *x);
/* Functions of the one calling convention: the rate, the sensors and the memories in the mode that
 * x is in (with tb_modes as their context), the values of a mode (with that mode), and of these
 * only the indicators, one for each exit, less what it is passed at. */
TB_DEVICE void tb_modes_rate(const double *x, const double *u, const double *p, double *out,
                             double *work, const void *context);
TB_DEVICE void tb_modes_outputs(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *context);
TB_DEVICE void tb_modes_updates(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *context);
TB_DEVICE void tb_mode_values(const double *x, const double *u, const double *p, double *out,
                              double *work, const void *context);
TB_DEVICE void tb_mode_indicators(const double *x, const double *u, const double *p, double *out,
                                  double *work, const void *context);
/* A mode with the inputs and parameters of the run, and its values at a state then. */
TB_DEVICE tb_mode *tb_modes_lend(tb_modes *modes, const tb_problem *problem, long number);
TB_DEVICE void tb_mode_values_at(tb_mode *mode, double t, const double *x, double *values);
/* Makes a state from which a mode goes on consistent. */
TB_DEVICE void tb_modes_begin(tb_modes *modes, const tb_problem *problem, double t, double *x);
/* Moves a state from anywhere onto the constraints of its mode (weighted with M) and makes it
 * consistent; where it can't, x stays, and that is counted as unmet. */
TB_DEVICE void tb_modes_project(const tb_problem *problem, double t, double *x);
/* The values of the present mode `ahead` seconds later, in e->ahead_values. */
TB_DEVICE void tb_modes_look_ahead(tb_modes *modes, const tb_problem *problem, double t,
                                   const double *x, double ahead);
/* The exit that a mode takes at once at t and x, -1 for none: its indicator lies beyond zero and
 * does so `ahead` seconds later, too (for an impact: without being on its way back). For the other
 * exits it leaves the side on which their indicators are, the values at which they are passed
 * (zero, or a little beyond what can't be told from it), and whether they must leave zero first. */
TB_DEVICE long tb_modes_fires(tb_modes *modes, const tb_problem *problem, double t, const double *x,
                              double ahead);
/* Takes an exit: resets, positions, impulses, and the first look at the next mode. `rests`: where
 * there is a mode for contacts that stay, it follows. Returns 0 when the next mode can't begin;
 * x is then not to be used. */
TB_DEVICE int tb_modes_cross(tb_modes *modes, const tb_problem *problem, double t, double *x,
                             long exit, long rests);
/* Whether the last TB_CROWD transitions came within so many seconds. Those that lead to rest when
 * they crowd don't count. */
TB_DEVICE int tb_modes_crowded(const tb_modes *modes, double span);
/* A step of a run whose rate is tb_modes_rate, with all the transitions in it. */
TB_DEVICE void tb_modes_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch);
/* Accelerations and multipliers of all rows, and sensors, at each of many instants. */
TB_DEVICE void tb_modes_rows(const tb_problem *problem, long rows, const double *times,
                             const double *x, double *solutions, double *outputs,
                             long output_count);
/* The largest |h| of the constraints of the mode that x is in, as x is given [m or rad];
 * `tracking`: also of rows by which coordinates track, and which may be open anywhere. */
TB_DEVICE double tb_modes_open(const tb_problem *problem, double t, const double *x, int tracking);
/* The first exit of a mode whose cause is no number at x, -1 where all are; of a mode that was lent
 * its inputs. */
TB_DEVICE long tb_mode_unread(tb_mode *mode, double t, const double *x);
/* Lets modes that have run begin another run: what they count begins anew. */
TB_DEVICE void tb_modes_renew(tb_modes *modes);

#endif
