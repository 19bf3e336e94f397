"""Data: `loading.load` returns a Dataset, `stream.open_stream` a Stream of batches.

`checks.check` reports mistakes in names, paths and headers before NumPy is loaded. `tables`
is the only reader of separated values, `network` the only cache of downloads.
"""
