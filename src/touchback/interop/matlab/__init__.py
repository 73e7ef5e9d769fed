"""Models as MATLAB and Octave text."""
