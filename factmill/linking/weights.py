"""What each feature counts. Fitted on the even half of SimpleQuestions and PopQA, by benchmarks/fit_linker.py.

A weight is what the feature adds to the logarithm of the odds. docs/linking.md says what the features are.
"""

WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.300,
    "share of the name": 0.545,
    "words": 1.534,
    "covered": 2.396,
    "rarest word": 0.118,
    "commonest word": 0.060,
    "is common noun": -1.151,
    "is alias": -2.330,
    "is shortened": -1.368,
    "is cut": -0.140,
    "lies inside": -3.478,
    "capital": 0.441,
    "no capital": -0.504,
    "quoted": 1.000,
    "role": 4.277,
    "inverse role": 1.773,
    "clue beside it": 1.000,
    "starts the question": 0.372,
    "ends the question": 0.197,
    "after a weak word": -0.259,
    "rare word before": -0.161,
    "rare word after": -0.124,
    "is of a wording": -1.283,
    "is an asking word": -2.000,
}
"""Of a candidate."""

NIL_WEIGHTS = {
    "always": 2.042,
    "names found": 1.074,
    "rarity left": 0.601,
    "best role": 2.372,
}
"""Of none of them being right."""

ANSWER_WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.894,
    "share of the name": 1.559,
    "is common noun": -1.705,
    "is alias": -2.332,
    "is shortened": -0.441,
    "connected to the subject": 4.126,
    "connected to another": 1.728,
    "described in the question": 0.942,
}
"""Of an entity whose name is the answer."""

ANSWER_NIL = 2.730
"""Of none of these being right."""
