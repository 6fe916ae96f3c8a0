"""What each feature counts. Fitted on the even half of SimpleQuestions and PopQA, by benchmarks/fit_linker.py.

A weight is what the feature adds to the logarithm of the odds. docs/linking.md says what the features are.
"""

WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.300,
    "share of the name": 0.536,
    "words": 1.524,
    "covered": 2.294,
    "rarest word": 0.116,
    "commonest word": 0.058,
    "is common noun": -1.127,
    "is alias": -2.325,
    "is shortened": -1.364,
    "is cut": -0.107,
    "lies inside": -3.490,
    "capital": 0.468,
    "no capital": -0.542,
    "quoted": 1.000,
    "role": 4.264,
    "inverse role": 1.769,
    "clue beside it": 1.000,
    "starts the question": 0.335,
    "ends the question": 0.207,
    "after a weak word": -0.270,
    "rare word before": -0.164,
    "rare word after": -0.128,
    "is of a wording": -1.292,
    "is an asking word": -2.000,
}
"""Of a candidate."""

NIL_WEIGHTS = {
    "always": 2.117,
    "names found": 0.985,
    "rarity left": 0.568,
    "best role": 2.386,
}
"""Of none of them being right."""

ANSWER_WEIGHTS = {
    "popularity": 0.150,
    "best known of the name": 0.893,
    "share of the name": 1.557,
    "is common noun": -1.703,
    "is alias": -2.331,
    "is shortened": -0.440,
    "connected to the subject": 4.127,
    "connected to another": 1.741,
    "described in the question": 0.939,
}
"""Of an entity whose name is the answer."""

ANSWER_NIL = 2.729
"""Of none of these being right."""
