"""Data: `loading.load` returns a Dataset, `stream.open_stream` batches of a large file.

`checks.check` refuses what names, paths and headers tell before NumPy is loaded. `tables`
is the one reader of separated values, `network` the one cache of what was fetched.
"""
