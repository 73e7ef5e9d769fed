/* The ways out of a mode, as tables: a graphics card reads them, too. */
#ifndef TOUCHBACK_MODE_EXIT_H
#define TOUCHBACK_MODE_EXIT_H

enum { TB_CROWD = 64 }; /* transitions that may chatter */
/* What is logged of one: time, mode before, exit, mode after, gap; then both states. */
enum { TB_TRANSITION_HEAD = 5 };

/* The constraints whose impulses act in a transition: those of the mode that follows, and the
 * contacts that are struck. */
typedef struct tb_impact {
    long set;            /* its number */
    const int *contacts; /* of each row: the number of its contact, -1 for what stays */
} tb_impact;

typedef struct tb_exit {
    long target, rest; /* modes; rest is -1 for none */
    long mode_place;   /* in x, of the number that changes */
    double target_number, rest_number;
    long direction, when; /* of the indicator, and its place among the values */
    long reset_count;
    const int *reset_places;             /* in x */
    long reset_start, restitution_start; /* among the values */
    long struck;                         /* rows of contacts */
    long poisson;                        /* restitution compares impulses instead of velocities */
    double rest_speed;                   /* rebounds slower than this [m/s] lead to `rest` */
    tb_impact impact, rest_impact;
} tb_exit;

#endif
