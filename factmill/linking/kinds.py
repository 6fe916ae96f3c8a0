"""Kinds of things that facts give away where neither a type nor a description is staged.

What has a director is a film or a show; who has a birthplace is a person. The words stand for the entity as those of
its description do. Wikidata's properties only: the entities of other sources come with types.
"""

_PERSON = "person people man woman who"
_FILM = "film movie show series"
_MUSIC = "song album music single record recording"
_PLACE = "place where area"
_TOWN = "place where city town country area"
_GROUP = "company organization organisation label team club"

WORDS_OF_SUBJECTS: dict[int, str] = {
    **dict.fromkeys((19, 20, 21, 22, 25, 26, 27, 40, 69, 103, 106, 119, 140, 172, 413, 509, 569, 570), _PERSON),
    **dict.fromkeys((57, 58, 161, 162, 272, 344, 1040, 915, 2061), _FILM),
    **dict.fromkeys((175, 264, 658), _MUSIC),
    **dict.fromkeys((30, 36, 47, 131, 150, 206, 421, 610, 1082, 1376), _PLACE),
    **dict.fromkeys((6, 35, 37, 38, 41), _TOWN),
    **dict.fromkeys((112, 169, 452, 159, 118, 115), _GROUP),
    **dict.fromkeys((178, 400, 404, 479), "game video software"),
    **dict.fromkeys((50, 123, 629, 655), "book novel work written"),
    449: "show series program television tv",
    136: "genre",
}
"""Words for the subject of a fact with this property."""

WORDS_OF_OBJECTS: dict[int, str] = {
    **dict.fromkeys((19, 20, 131, 276, 551, 915, 937, 119, 840), _PLACE),
    **dict.fromkeys((17, 27, 495), "country nation place where"),
    **dict.fromkeys((50, 57, 58, 86, 161, 162, 22, 25, 26, 40, 110, 170, 344, 175, 61), _PERSON),
    106: "profession occupation job",
    136: "genre type style kind music film game",
    413: "position player",
    641: "sport",
    140: "religion",
    264: "label record company",
    509: "cause death",
    54: "team club player",
    364: "language",
    407: "language",
    103: "language",
    172: "ethnicity ethnic",
    175: "artist singer band musician group",
    272: "studio company",
    449: "network channel",
    105: "rank",
    178: "developer company",
    400: "platform console",
    404: "mode player",
}
"""Words for the object of one."""
