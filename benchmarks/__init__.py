"""Side by side with the peers: same data, same work, one process, the median of interleaved runs.

`make bench` runs everything. To add a case, decorate a function in a module whose name has no leading underscore:

    @case("P1", "single-sample perceptron")
    def dense(quick: bool) -> Iterator[Outcome]:
        X, y = overlapping(2_000 if quick else 200_000, 100)
        yield Contest("f64", lambda: Ours().fit(X, y), [Peer("theirs", lambda: Theirs().fit(X, y), faster(2), weights)])

`quick` asks for a size that takes no time; the numbers then mean nothing, but the audits still hold.
"""
