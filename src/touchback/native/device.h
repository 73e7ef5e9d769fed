/* Some files are compiled for a graphics card, too (batch/gpu), as parts of one text: that text
 * defines TB_ON_DEVICE, has what these files include before them, and says with TB_DEVICE how
 * their functions are compiled there. */
#ifndef TOUCHBACK_DEVICE_H
#define TOUCHBACK_DEVICE_H

#define TB_DEVICE

#endif
