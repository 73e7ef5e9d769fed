# The key is simulated; line, clock and ticks are this machine's.
PLANT   := 1
CC      := cc
MACHINE := -O2
LINKED  :=
