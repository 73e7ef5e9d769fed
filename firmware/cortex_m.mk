# What boards with a Cortex-M share: no C library, and from reset to main by start.c.
CC      := arm-none-eabi-gcc
MACHINE := $(CPU) -mthumb -Os -ffreestanding -nostdlib -fno-tree-loop-distribute-patterns
LINKED   = start.c -L. -T boards/$(BOARD)/link.ld -lgcc
