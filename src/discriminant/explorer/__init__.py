"""The explorer: a local page on which procedures learn on points that are placed by hand, step by step.

- ``server``: the page, the socket, the guards; ``session``: one page and its requests; ``messages``: what it may ask;
  ``pool``: processes that do the work, ``worker``: what runs in one; ``catalog``: procedures, controls and data sets,
  ``generators``: points drawn at random, ``tables``: uploaded files, ``links``: shared ones, ``lessons``: the guided
  scenes. The page itself is in ``static``: plain modules, no build step.

The server imports no procedure: only its workers do. Starlette, uvicorn and websockets are the extra ``explorer``.
Imports ``plot``, ``io``, ``comparison`` and the rooms below.  Tests: ``tests/explorer``.
"""
