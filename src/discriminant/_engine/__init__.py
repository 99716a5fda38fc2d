"""What every fit runs on; it knows no procedure.

- data: ``rows`` (dense or CSR), ``problem``, ``labels``, ``refusals``, ``moments``; work: ``driver``, ``threads``,
  ``linalg``, ``bfgs``, ``compiling``, ``parts``, ``machine_code``; what is seen of it: ``path``, ``callbacks``,
  ``progress``; ``files``, ``extras``.

Imports the vocabulary, ``solution`` and ``_guards``.  Tests: ``tests/_engine``.
"""
