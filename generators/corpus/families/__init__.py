"""One module for each family of operations; its function ``files()`` returns the spec files of the family.

``corpus/writing.py`` calls these functions and writes the files; ``corpus/emitter.py`` turns examples into the text of
a spec. Random models are made by ``generators/random_graphs`` instead.
"""
