/* What the processor that runs this program can execute. */
#ifndef TOUCHBACK_PROCESSOR_H
#define TOUCHBACK_PROCESSOR_H

/* Whether it has AVX, and the system keeps its registers. */
int tb_has_avx(void);
/* Whether it has AVX-512 F, DQ, BW and VL and the system keeps their registers. The processor is
 * asked: in an emulator the kernel's list may be that of another. */
int tb_has_avx512(void);

#endif
