# There is no key on this one: it is emulated only.
PLANT := 1
CPU   := -mcpu=cortex-m3
include cortex_m.mk
