/* How long something takes. */
#ifndef TOUCHBACK_SECONDS_H
#define TOUCHBACK_SECONDS_H

/* Seconds since any instant; a machine without a clock gives 0 at all times. */
double tb_seconds(void);

#endif
