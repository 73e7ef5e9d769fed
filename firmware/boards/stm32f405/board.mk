CPU := -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
include cortex_m.mk
