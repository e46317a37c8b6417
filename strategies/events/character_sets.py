"""Character sets of columns and variables besides UTF-8: text in other encodings.

The samples are written with Python's codecs of the same encodings and avoid characters in which codecs and servers
differ. No value ends with a space, which a CHAR would lose.
"""

from typing import Final, NamedTuple

from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.notation import Value, shown_bytes, shown_text


class CharacterSet(NamedTuple):
    """One character set.

    Attributes:
        name: Its name in the servers.
        collation: The number of its default collation.
        codec: Python's name of the encoding.
        width: Bytes of its widest character.
        samples: Texts in it, the simplest first.
    """

    name: str
    collation: int
    codec: str
    width: int
    samples: tuple[str, ...]

    def value(self, choose: Chooser, limit: int, *, declared: bool) -> Value:
        """Return a text of whole characters in at most `limit` bytes; `declared` means that the log names the set."""
        sample = choose.one_of(self.samples)
        times = choose.one_of((1, 0, 2, 30))
        data = b""
        for each in (sample * times)[:limit]:
            encoded = each.encode(self.codec)
            if len(data) + len(encoded) > limit:
                break
            data += encoded
        return self._shown(data, declared=declared)

    def large(self, size: int, *, declared: bool) -> Value:
        """Return a text of at most `size` bytes and not much less; see `value` for `declared`."""
        word = _WORD.encode(self.codec)
        return self._shown(word * (size // len(word)), declared=declared)

    def _shown(self, data: bytes, *, declared: bool) -> Value:
        return Value(data, shown_text(data, data.decode(self.codec)) if declared else shown_bytes(data))


#: What large texts are made of.
_WORD: Final = "large "


#: The bytes of SJIS, GBK and Big5 characters may hold a backslash, those of UCS-2 and UTF-16 zeros.
CHARACTER_SETS: Final = (
    # Unlike ISO 8859-1 it has characters from 0x80 to 0x9f.
    CharacterSet("latin1", 8, "cp1252", 1, ("é", "à la carte", "ÿÀ", "€ 5", "„Žé“")),
    CharacterSet("ucs2", 35, "utf-16-be", 2, ("ab", "é日本", "Ā")),
    CharacterSet("cp1251", 51, "cp1251", 1, ("мир", "Привет", "ab")),
    CharacterSet("gbk", 28, "gbk", 2, ("中文", "a中", "誠")),
    CharacterSet("sjis", 13, "shift_jis", 2, ("表", "ソ日本語", "aソ")),
    CharacterSet("big5", 1, "big5", 2, ("功", "許功蓋", "a功")),
)
#: Character sets that came with MySQL 5.5 and MariaDB 5.5, and the servers that have them.
NEWER_CHARACTER_SETS: Final = (
    CharacterSet("utf16", 54, "utf-16-be", 4, ("ab", "日𠀀", "𠀀")),
    CharacterSet("utf32", 60, "utf-32-be", 4, ("ab", "日𠀀", "𠀀")),
)
#: UTF-8, of which texts are that are in no other set.
UTF8: Final = CharacterSet("utf8", 33, "utf-8", 3, ("é", "日本", "a"))
_WITH_NEWER: Final = Profiles("worklog", "mysql >= 5.5", "mariadb")
#: The same by the numbers of their collations.
BY_COLLATION: Final = {each.collation: each for each in (*CHARACTER_SETS, *NEWER_CHARACTER_SETS)}


def character_sets(profile: str) -> tuple[CharacterSet, ...]:
    """Return the character sets besides UTF-8 that the server of a profile has."""
    return CHARACTER_SETS + NEWER_CHARACTER_SETS if profile in _WITH_NEWER else CHARACTER_SETS
