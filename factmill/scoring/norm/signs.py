"""What tells persons and organisations from other staged entities, for each source.

A type says so, or a fact does where no type is staged: who has a birthplace is a person, what a song was released by is
a label. States count as organisations, as the thesis' examples have it. Of Wikidata's classes the commonest below
Q43229 are named, because a part of a dump seldom has the P279 facts that lead there.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Signs:
    """Types, and predicates as they are stored."""

    types: tuple[str, ...] = ()
    of_subjects: tuple[int | str, ...] = ()
    """Predicates whose subjects are persons or organisations."""
    of_objects: tuple[int | str, ...] = ()
    """Predicates whose objects are."""
    full_name: int | str | None = None
    """The predicate for the name that somebody was given at birth."""


def _items(numbers: str) -> tuple[str, ...]:
    return tuple(f"Q{number}" for number in numbers.split())


def _dbo(names: str) -> tuple[str, ...]:
    return tuple(f"dbo:{name}" for name in names.split())


_WIKIDATA = Signs(
    types=(
        # Humans, fictional ones and characters too.
        *_items("5 15632617 15773347 3658341 15711870"),
        # Organisations and companies.
        *_items("43229 4830453 783794 6881511 891723 1589009 166280 163740 484652 327333 7278"),
        *_items("22687 46970 786820 1058914 210167 1137109 1762059 10689397 368290 2085381 1320047 18127"),
        *_items("1616075 15265344 1254874 561068 5009242 2608849 658255 219577 4387609 245065 11422536"),
        *_items("910252 11204 162633 781132 37726"),
        # Bands and teams.
        *_items("215380 5741069 9212979 2088357 215048 10648343 641066 216337"),
        *_items("476028 15944511 6979593 13027888 13393265 17156793 4498974 17271186 20639856"),
        # Schools.
        *_items("2385804 3914 38723 3918 875538 902104 4671277 15936437 62078547 23002039 23002054 189004"),
        *_items("1321960 383092 494230"),
        # States.
        *_items("7275 6256 3624078 3024240 7270 43702 5255892 48349 112099 123480 179164"),
    ),
    of_subjects=(
        # Birth, death, sex, family, names, citizenship, languages, schools, jobs, instruments, health.
        *(19, 20, 21, 22, 25, 26, 27, 39, 40, 54, 69, 101, 102, 103, 106, 108, 119, 184, 185, 241, 410, 412, 413, 451),
        *(509, 512, 551, 569, 570, 734, 735, 737, 800, 802, 1038, 1050, 1066, 1196, 1303, 1340, 1412, 2031, 2032, 3373),
        # Headquarters, chief executive, place of formation, industry, legal form, stock exchange, subsidiary.
        *(159, 169, 355, 414, 452, 740, 1454),
    ),
    of_objects=(
        # Family, makers of works, performers, holders of offices, owners, employers, teams, studios, labels.
        *(6, 22, 25, 26, 35, 40, 50, 54, 57, 58, 61, 69, 86, 98, 102, 108, 110, 112, 123, 127, 161, 162, 169, 170),
        *(175, 178, 264, 272, 344, 355, 371, 449, 451, 463, 488, 655, 674, 676, 725, 737, 749, 750, 802, 1038, 1040),
        *(1066, 1327, 1431, 1877, 2438, 2515, 2554, 3373),
    ),
    full_name=1477,
)
_DBPEDIA = Signs(
    types=_dbo(
        "Agent Person Organisation Group Family FictionalCharacter "
        # Persons, since a dump has only the most exact type.
        "Actor AdultActor VoiceActor Comedian Artist MusicalArtist ClassicalMusicArtist Painter Photographer Sculptor "
        "ComicsCreator Dancer FashionDesigner Architect Astronaut Athlete AmericanFootballPlayer "
        "AustralianRulesFootballPlayer BadmintonPlayer BaseballPlayer BasketballPlayer Boxer Cricketer Cyclist "
        "FigureSkater FormulaOneRacer GolfPlayer Gymnast IceHockeyPlayer MartialArtist NascarDriver RacingDriver "
        "RugbyPlayer Skier SoccerPlayer SoccerManager Swimmer TennisPlayer VolleyballPlayer Wrestler "
        "AmericanFootballCoach CollegeCoach Coach BusinessPerson Celebrity Chef Cleric Cardinal Pope Saint "
        "ChristianBishop ComicsCharacter "
        "Criminal Economist Engineer Judge Journalist Lawyer MilitaryPerson Model Monarch BritishRoyalty Royalty Noble "
        "Philosopher Politician President PrimeMinister Governor Mayor MemberOfParliament Congressman Senator "
        "OfficeHolder Ambassador Presenter Host Producer Religious Scientist Psychologist Writer Poet ScreenWriter "
        "PlayWright Historian MovieDirector TheatreDirector "
        # Organisations.
        "Band Company Airline Bank Brewery Publisher RecordLabel RecordOffice LawFirm Broadcaster BroadcastNetwork "
        "TelevisionStation RadioStation EducationalInstitution University College School Library GovernmentAgency "
        "MilitaryUnit Non-ProfitOrganisation PoliticalParty Legislature TradeUnion ReligiousOrganisation SportsTeam "
        "SoccerClub AmericanFootballTeam BaseballTeam BasketballTeam CricketTeam HockeyTeam RugbyClub SportsClub "
        "NationalSoccerClub SportsLeague Country HistoricalCountry"
    ),
    of_subjects=_dbo(
        "almaMater birthDate birthName birthPlace child deathCause deathDate deathPlace doctoralAdvisor occupation "
        "parentCompany restingPlace spouse"
    ),
    of_objects=_dbo(
        "almaMater architect artist author child cinematography creator developer director discoverer distributor "
        "doctoralAdvisor editing foundedBy illustrator leaderName manufacturer musicComposer network parentCompany "
        "party producer publisher recordLabel spouse starring team writer"
    ),
    full_name="dbo:birthName",
)
_IMDB = Signs(of_objects=("director", "plays_character_in", "writer"))

SIGNS = {"dbpedia": _DBPEDIA, "imdb": _IMDB, "wikidata": _WIKIDATA}
"""By source."""
