"""Play pages: a piano, a virtual wall, a blind trial and the mechanisms of the gallery, live."""
