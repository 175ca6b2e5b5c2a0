"""The site: a page, with a stable address, for every algorithm, statement and erratum.

Pages are written as Markdown from the catalogue, the statements, a folder of results and the
vectors, and made into HTML by Sphinx. Nothing on them is typed twice.
"""
