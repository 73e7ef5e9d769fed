/* The memory of a tree of joints. */
#ifndef TB_CORE_MEMORY_H
#define TB_CORE_MEMORY_H

typedef struct tb_core {
    double x[TB_NX + 1], u[1 + TB_NU];
    double block[TB_BLOCK + 1];
    double next[TB_NX + 1], k[4][TB_NX + 1];
} tb_core;

#endif
