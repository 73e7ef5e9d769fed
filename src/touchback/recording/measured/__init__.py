"""Files that other programs measured: tables of text, MDF, MCAP, Parquet."""
