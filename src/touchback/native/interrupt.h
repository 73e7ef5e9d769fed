/* Long loops ask between two pieces of work whether somebody wants them to end: Ctrl-C where the
 * thread listens to it, the stop of a live run in its own thread. */
#ifndef TOUCHBACK_INTERRUPT_H
#define TOUCHBACK_INTERRUPT_H

#include <stdatomic.h>

/* Whether this thread's loops are to end. */
int tb_stop_asked(void);

/* Lets this thread's loops end when the flag becomes other than 0; NULL: never. */
void tb_stop_by(const atomic_long *flag);

/* Lets this thread's loops end at Ctrl-C. Returns whether there is a plain handler to stand in for.
 */
int tb_listen(void);
/* Gives Ctrl-C back. Returns how often it was pressed. */
long tb_unlisten(void);

#endif
