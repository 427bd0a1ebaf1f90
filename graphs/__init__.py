"""The test models: the model type of all tests, its builder, its editor, and its conversion to the HAL and back.

- :mod:`~nnvet.graphs.model`: ``TestModel``, a model with its inputs and expected outputs. It is frozen;
  arrays may be shared between models and are not written into.
- :mod:`~nnvet.graphs.builder`: ``GraphBuilder`` puts a model together. Specs, random graphs and models by
  hand all come out of it; models that are needed in many places are there, too.
- :mod:`~nnvet.graphs.editor`: functions from a model to a changed copy, and to other forms of a test.
- :mod:`~nnvet.graphs.hal_model`: a test as the HAL's model and request, and the HAL's model read back.

A test model has the shape of the HAL's model: subgraphs of operands, operations and two lists of indexes, all of them
tuples. Therefore one editor serves both, and there is no third form in which models are changed. Mutations edit the
HAL's models, since a test model has no field for most of what they break (locations, lifetimes, numbers of consumers).
Everything that yields valid models edits test models, where values belong to their operands.
"""
