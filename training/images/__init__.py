"""The bundled image classifiers: a drawn data set, MobileNets trained on it, and their 8-bit forms.

``dataset`` draws the pictures (``scenes``, ``shapes``), ``train`` trains a plan of ``networks`` as a module of
``modules``, ``build`` quantises the result (``folded``) and writes its files (``export``), ``lists`` measures them and
writes their list. The speech networks are made next door in ``training.speech``.
"""
