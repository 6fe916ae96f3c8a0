"""Words, names and phrases in 15 scripts, in the ASCII form that Wikidata writes: all else is an escape.

A word is a row of syllables, and every script spells the same 70 syllables, so a name exists in all of them.
"""

import random
from functools import cache

N_WORDS = 6_000

_CONSONANTS_AND_VOWELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "latin": ("bdfgklmnprstvz", ("a", "e", "i", "o", "u")),
    "accented": ("bdfgklmnprstvž", ("a", "é", "i", "ö", "u")),
    "cyrillic": ("бдфгклмнпрствз", ("а", "е", "и", "о", "у")),
    "greek": ("βδφγκλμνπρστξζ", ("α", "ε", "ι", "ο", "υ")),
    "georgian": ("ბდფგკლმნპრსტვზ", ("ა", "ე", "ი", "ო", "უ")),
    "armenian": ("բդֆգկլմնպրստվզ", ("ա", "ե", "ի", "ո", "ու")),
    "arabic": ("بدفغكلمنهرستشز", ("ا", "", "ي", "و", "")),
    "hebrew": ("בדפגקלמנהרסתשז", ("א", "", "י", "ו", "")),
    "devanagari": ("बदफगकलमनपरसतवज", ("", "े", "ि", "ो", "ु")),
    "bengali": ("বদফগকলমনপরসতভজ", ("", "ে", "ি", "ো", "ু")),
    "tamil": ("கசடதபறயரலவழளணன", ("", "ே", "ி", "ோ", "ு")),
    "thai": ("บดฟกคลมนปรสตวซ", ("า", "ะ", "ิ", "ี", "ุ")),
}
_KANA = (
    "カキクケコガギグゲゴサシスセソザジズゼゾタチツテトダヂヅデドナニヌネノ"
    "ハヒフヘホバビブベボパピプペポマミムメモラリルレロアイウエオワヰヴヱヲ"
)
_HAN = (
    "山水人大学中国北京上海南城市省县村镇河江湖州东西路园王李张刘陈杨黄赵周"
    "吴文明德光华新天安平和高林石金木火土月日星风雨雪花鸟马龙虎门桥书画玄𠮷"
)

# By how often items carry them; English is apart, as it has a share of its own.
_BY_FREQUENCY = (
    "nl de fr es it ru sv pl ja pt zh ca ar uk da nb en-gb cs fi fa hu tr ko he pt-br en-ca zh-hans zh-hant ast nn "
    "ro id vi eu sk sl gl ga sq el bg sr cy et lt lv hr ms eo oc arz be hy ka af th hi bn ta tg mk kk nds lb sw "
    "war ceb br de-at de-ch zh-cn zh-tw zh-hk be-tarask tt az bs is ur mr scn pms io ia vo fy tl"
)
LANGUAGES = _BY_FREQUENCY.split()

_SCRIPT_OF = {
    language: script
    for script, languages in {
        "accented": "cs fi hu tr ro vi sk sl et lt lv hr az bs is pl",
        "cyrillic": "ru uk bg sr be tg mk kk be-tarask tt",
        "greek": "el",
        "georgian": "ka",
        "armenian": "hy",
        "arabic": "ar fa arz ur",
        "hebrew": "he",
        "devanagari": "hi mr",
        "bengali": "bn",
        "tamil": "ta",
        "thai": "th",
        "kana": "ja",
        "hangul": "ko",
        "han": "zh zh-hans zh-hant zh-cn zh-tw zh-hk",
    }.items()
    for language in languages.split()
}
SCRIPTS = (*_CONSONANTS_AND_VOWELS, "kana", "hangul", "han")


def script_of(language: str) -> str:
    """Return the name of the script that this language is written in."""
    return _SCRIPT_OF.get(language, "latin")


def escaped(text: str) -> str:
    """Return the text as it stands between the quotes of an N-Triples literal, in ASCII."""
    return "".join(_escaped_character(character) for character in text)


def _escaped_character(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@cache
def words(script: str) -> list[str]:
    """Return the lexicon in this script, escaped; word n is the same word in every script."""
    chance = random.Random(7)
    syllables = _syllables(script)
    rows = [[chance.randrange(70) for _ in range(chance.choice((2, 2, 3, 3, 4)))] for _ in range(N_WORDS)]
    spelled = ("".join(syllables[n] for n in row) for row in rows)
    return [escaped(word) for word in spelled]


def phrase(language: str, subject: str) -> str:
    """Return some words of this language, always the same ones for the same subject."""
    chance = random.Random(f"{language}/{subject}")
    lexicon = words(script_of(language))
    return " ".join(lexicon[int(N_WORDS * chance.random() ** 3)] for _ in range(chance.choice((2, 3, 3, 4, 5))))


def _syllables(script: str) -> list[str]:
    if script == "kana":
        return list(_KANA)
    if script == "han":
        return list(_HAN)
    if script == "hangul":
        return [chr(0xAC00 + (consonant * 21 + vowel) * 28) for consonant in range(14) for vowel in (0, 4, 8, 13, 20)]
    consonants, vowels = _CONSONANTS_AND_VOWELS[script]
    return [consonant + vowel for consonant in consonants for vowel in vowels]
