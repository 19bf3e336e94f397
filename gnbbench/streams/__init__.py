"""Streams: data larger than memory, block by block, in the order of their rows.

`stream.open_stream` takes a path and returns a Stream: everything about the data but the
data. Its parts can be sent to other processes, each of which reads its rows by itself.
"""
