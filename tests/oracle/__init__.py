"""Check what a report says against numbers computed without the package.

`said` reads every text of a document, `truth` redoes its runs, `wording` and `evidence`
hold the rules: each is a function of what was said, with a sentence that it must refute
and one that it must pass.
"""
