"""Speed against peers, measured in one run: `python -m benchmarks [section …]`, `make bench`."""
