"""Sentences to be spoken: a small grammar over a list of words, so that no text has to be taken from anywhere.

``corpus`` has them spoken by ``espeak``. The words cover every phone of American English, also at the beginnings and
ends of words. Sentences mean little; the speech networks learn phones, not language.
"""

from __future__ import annotations

import random
from typing import Final

_WORDS: Final[dict[str, str]] = {
    "determiner": "the a this that every another our your their his her my some one",
    "adjective": (
        "red yellow green blue quiet noisy little huge ancient modern rough smooth thick thin sour sweet clever "
        "foolish joyful weary frozen boiling shiny dusty hollow heavy narrow broad gentle fierce usual strange cheap "
        "royal northern southern early wooden iron vague urgent genuine awkward tough loyal"
    ),
    "noun": (
        "dog cat fox horse goose mouse whale zebra giraffe judge teacher farmer sailor painter doctor child woman "
        "uncle thief king queen pilot driver singer book chair table window garden bridge river ocean mountain valley "
        "street church school kitchen engine wheel machine letter number picture story song voice treasure measure "
        "garage village orange peach cherry potato bread butter cheese fish soup shoe shirt jacket button thumb tooth "
        "mouth nose ear eye shoulder finger cloud thunder rain snow fog sun moon star year hour month week thing boy "
        "toy oil coin house cow town owl bath path cloth earth bird nurse word game cave yard jar yacht hood "
        "wolf beige vision"
    ),
    "verb": (
        "sees hears finds loses carries pushes pulls watches follows touches catches throws breaks fixes buys sells "
        "likes hates wants needs knows forgets asks answers joins leaves enters paints washes cooks eats chews drinks "
        "judges changes measures enjoys avoids hides shows brings takes gives holds thanks teaches"
    ),
    "preposition": "in on under over behind beside between through toward across along near without above below",
    "adverb": (
        "slowly quickly quietly loudly today tomorrow yesterday often never always twice together again outside inside "
        "usually gently badly soon later early there here"
    ),
    "opening": "then and but so perhaps maybe now if when because although while surely",
    "pronoun": "he she it nobody everybody somebody",
}
"""Words by their part of speech; "opening" begins a clause."""
LISTS: Final = {kind: tuple(words.split()) for kind, words in _WORDS.items()}
"""Words of each kind."""
PATTERNS: Final = tuple(
    tuple(pattern.split())
    for pattern in (
        "determiner adjective noun verb determiner noun",
        "determiner noun verb determiner adjective noun adverb",
        "pronoun verb determiner noun preposition determiner noun",
        "opening pronoun verb determiner adjective noun",
        "adverb determiner noun verb determiner noun",
        "pronoun adverb verb determiner noun",
        "opening determiner noun verb determiner noun adverb",
        "determiner noun preposition determiner noun verb pronoun",
    )
)
"""Sentences as sequences of parts of speech."""


def sentences(count: int, seed: int) -> list[str]:
    """Return ``count`` different sentences of five to seven words, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - sentences are no secrets
    found: dict[str, None] = {}
    while len(found) < count:
        found[" ".join(rng.choice(LISTS[kind]) for kind in rng.choice(PATTERNS))] = None
    return list(found)
