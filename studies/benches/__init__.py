"""The benches of Docquier (2021, §5.1) and Gillespie (1996, ch. 3), that can be repeated."""
