"""Multi-layer perceptrons: *Machine Learning: Theory and Practice*, §8.6.

- ``classifier``, ``regressor`` and what they share (``base``); ``training``: the rule; ``backpropagation``: the
  compiled pass (§8.6.1); ``matrices``: the same for small tables, without the compiler.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/mlp``.
"""

from .classifier import MultilayerPerceptron as MultilayerPerceptron
from .regressor import MultilayerPerceptronRegressor as MultilayerPerceptronRegressor
