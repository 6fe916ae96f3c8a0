"""What each feature counts. Fitted on the even half of SimpleQuestions and PopQA, by benchmarks/fit_linker.py.

A weight is what the feature adds to the logarithm of the odds. docs/linking.md says what the features are.
"""

WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.300,
    "share of the name": 0.524,
    "words": 1.500,
    "covered": 2.353,
    "rarest word": 0.125,
    "commonest word": 0.055,
    "is common noun": -1.237,
    "is alias": -2.401,
    "is shortened": -1.407,
    "is cut": -0.161,
    "lies inside": -3.427,
    "capital": 0.379,
    "no capital": -0.553,
    "quoted": 1.000,
    "role": 4.265,
    "inverse role": 1.680,
    "clue beside it": 0.200,
    "starts the question": 0.326,
    "ends the question": 0.192,
    "after a weak word": -0.326,
    "rare word before": -0.173,
    "rare word after": -0.124,
    "is of a wording": -1.282,
    "is an asking word": -2.000,
}
"""Of a candidate."""

NIL_WEIGHTS = {
    "always": 1.955,
    "names found": 1.042,
    "rarity left": 0.517,
    "best role": 2.287,
}
"""Of none of them being right."""

ANSWER_WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.886,
    "share of the name": 1.565,
    "is common noun": -1.669,
    "is alias": -2.334,
    "is shortened": -0.442,
    "connected to the subject": 4.108,
    "connected to another": 1.891,
    "described in the question": 0.946,
}
"""Of an entity whose name is the answer."""

ANSWER_NIL = 2.726
"""Of none of these being right."""
