"""Aligns the sequences of calls of all ranks of each role."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from linkworth.scale.align.folding import Alignment, Grammar, Mismatch, Parse, align, fold, parse
from linkworth.scale.align.ladders import Ladders, Tokens, symbol_of
from linkworth.scale.align.merging import merge
from linkworth.scale.align.multigrid import Multigrid
from linkworth.scale.align.owners import Owners
from linkworth.scale.behaviour import Key
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.grids import PARTED, GridRule, kind_of_groups, positions, role_keys
from linkworth.scale.recording import Alphabet, Recording

MANY_RANKS = 12
_SMALLEST_GROUP = 3
"""Even and odd ranks are a kind of their own."""
MOST_MERGED = 3
"""Sequences of one role for each recording, if they may lack parts of each other."""


class RecordedRank(NamedTuple):
    """A rank of a recording."""

    recording: int
    rank: int


class ParsedRole(NamedTuple):
    """The ranks of a role, and their different sequences as one grammar reads them."""

    samples: list[RecordedRank]
    numbers: dict[bytes, int]
    """Numbers of the sequences by their texts."""
    alignment: Alignment | None
    """Known if other ranks have the same sequences. What follows is empty then."""
    parses: Sequence[Parse] = ()
    lengths: Sequence[int] = ()
    tokens: Sequence[Tokens] = ()
    """Distances and calls of ladders. Empty for other sequences."""


class Sequences:
    """The sequences of all ranks of some recordings under an assumption about them."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        alphabet: Alphabet,
        ladders: Ladders | None,
        multigrid: Multigrid | None,
        owners: Owners | None,
        *,
        merging: bool,
        folding: bool,
    ) -> None:
        """Prepare to align them.

        `merging`: a sequence may lack parts that another one has. `folding`: keep loops that always run equally often.
        """
        self.merging = merging
        self.folding = folding
        self.recordings = list(recordings)
        self.alphabet = alphabet
        self.ladders = ladders
        self.multigrid = multigrid
        self.owners = owners
        stepped = ladders or owners
        self._symbols = (
            stepped.codes
            if stepped
            else [
                [self.alphabet.of_recording[number][each.calls] for each in recording.sequences]
                for number, recording in enumerate(self.recordings)
            ]
        )
        # Ranks on ladders of different heights do not call alike.
        self.texts = [
            [each.tobytes() + (b"%d" % recording.ranks if stepped else b"") for each in of]
            for recording, of in zip(self.recordings, self._symbols, strict=True)
        ]
        self._grammars: dict[bytes, Grammar] = {}
        self._tokens: dict[bytes, Tokens] = {}
        self._alignments: dict[tuple[bytes, ...], Alignment | UnfitError] = {}
        self._unfits: dict[tuple[bytes, bytes], UnfitError | None] = {}

    def possible(self) -> bool:
        """Return whether there may be a program: not if no two of many ranks call alike, so that there are no roles."""
        if self.ladders is not None:
            return self.ladders.found()
        if self.multigrid is not None:
            return self.multigrid.found()
        if self.owners is not None:
            return self.owners.found()
        largest = self.texts[-1]
        return not self.merging or len(largest) < MANY_RANKS or len(set(largest)) < len(largest)

    def kinds_of_groups(self) -> Iterator[int]:
        """Yield kinds of roles of groups in which ranks call alike.

        They are those of a node, those that run one of two models, or those with equally many children.
        """
        most = min(len(self.texts[0]), len(self.texts[-1]) // 2)
        for size, rooted in product(range(_SMALLEST_GROUP, most + 1), (False, True)):
            # Without rank 0, the first of all groups but one are alike.
            if all(len(of) % size == 0 and of[size + rooted :] == of[rooted:-size] for of in self.texts):
                if len(set(self.texts[0][rooted:])) > 1:
                    yield kind_of_groups(size, rooted=rooted)
                break
        # They differ from rank 0 and the others.
        if len(set(self.texts[-1][1:])) > 1:
            yield from filter(self._call_alike, PARTED)

    def _call_alike(self, kind: int) -> bool:
        """Return whether the ranks of each of three roles or more call alike."""
        for of in self.texts:
            ranks = np.arange(len(of), dtype=np.int64)
            keys = role_keys(kind, positions(ranks, len(of), (len(of),)))
            if len(set(zip(keys, of, strict=True))) > len(set(keys)):
                return False
        return len(set(keys)) > 2

    def parse_roles(self, arrangement: GridRule, kind: int, wanted: set[Key]) -> dict[Key, ParsedRole]:
        """Parse the sequences of every role. Raises UnfitError for the first call that the grammar of its role lacks."""
        samples: defaultdict[Key, list[RecordedRank]] = defaultdict(list)
        for number, recording in enumerate(self.recordings):
            at = positions(
                np.arange(recording.ranks, dtype=np.int64), recording.ranks, arrangement.grid(recording.ranks)
            )
            for rank, key in enumerate(role_keys(kind, at)):
                samples[key].append(RecordedRank(number, rank))
        last = len(self.recordings) - 1
        for key in wanted:
            if not any(each.recording == last for each in samples.get(key, [])):
                raise UnfitError("ranks", "the new count has roles that the largest recording lacks")
        used = {each.recording for key in wanted for each in samples[key]}
        for number, recording in enumerate(self.recordings):
            if number not in used:
                raise UnfitError(
                    "ranks", f"the recording on {recording.ranks} has none of the roles at the new count"
                )
        if self.multigrid is not None:
            on_levels = self.multigrid.align(arrangement)
            self.texts = self.multigrid.texts
        texts = {key: self._different(samples[key]) for key in wanted}
        known: dict[tuple[bytes, ...], ParsedRole] = {}
        found = {}
        for key in sorted(wanted, key=lambda key: (-len(texts[key]), key)):
            if self.multigrid is not None:
                alignment, numbers = on_levels
                found[key] = ParsedRole(samples[key], numbers, alignment)
                continue
            same = tuple(texts[key])
            if same not in known:
                known[same] = self._parsed_role(samples[key], texts[key])
            found[key] = known[same]._replace(samples=samples[key])
        return found

    def align(self, role: ParsedRole) -> Alignment:
        """Align the sequences of a role. Raises UnfitError if ladders of distances are not of one kind."""
        texts = tuple(role.numbers)
        known = role.alignment or self._alignments.get(texts)
        if isinstance(known, UnfitError):
            raise known
        if known is not None:
            return known
        found = align(role.parses, role.lengths, unrolled=not self.folding)
        if self.ladders:
            found = self.ladders.expanded(found, role.tokens)
        self._alignments[texts] = found
        return found

    def _different(self, samples: Sequence[RecordedRank]) -> dict[bytes, RecordedRank]:
        """Return the different sequences of a role, each with a rank that has it."""
        texts: dict[bytes, RecordedRank] = {}
        for each in samples:
            texts.setdefault(self.texts[each.recording][each.rank], each)
        return texts

    def _parsed_role(self, samples: list[RecordedRank], texts: dict[bytes, RecordedRank]) -> ParsedRole:
        numbers = {text: number for number, text in enumerate(texts)}
        known = self._alignments.get(tuple(texts))
        if isinstance(known, UnfitError):
            raise known
        if known is None and self.owners is not None:
            known = self._align_owners(self.owners, texts)
        if known is not None:
            return ParsedRole(samples, numbers, known)
        tokens: list[Tokens] = []
        if self.ladders:
            tokens = [self._tokens_of(self.ladders, text, each) for text, each in texts.items()]
            sequences = [each.symbols for each in tokens]
        else:
            sequences = [self._symbols[each.recording][each.rank].tolist() for each in texts.values()]
        grammar, parses = Grammar(tuple(sequences[0]), []), dict[bytes, Parse]()
        if len(texts) > 1 or self.folding:
            try:
                grammar, parses = self._grammar(texts, sequences)
            except UnfitError as error:
                self._alignments[tuple(texts)] = error
                raise
        return ParsedRole(
            samples,
            numbers,
            None,
            [parses.get(text) or parse(grammar, each) for text, each in zip(texts, sequences, strict=True)],
            [len(each) for each in sequences],
            tokens,
        )

    def _align_owners(self, owners: Owners, texts: dict[bytes, RecordedRank]) -> Alignment:
        sequences = [self._symbols[each.recording][each.rank] for each in texts.values()]
        try:
            found = owners.align(sequences, [each.recording for each in texts.values()])
        except Mismatch:
            unfit = UnfitError("calls", "the steps that ranks own have other calls at each count")
        except UnfitError as error:
            unfit = error
        else:
            self._alignments[tuple(texts)] = found
            return found
        self._alignments[tuple(texts)] = unfit
        raise unfit

    def _tokens_of(self, ladders: Ladders, text: bytes, sample: RecordedRank) -> Tokens:
        if text not in self._tokens:
            codes = self._symbols[sample.recording][sample.rank].tolist()
            self._tokens[text] = ladders.tokens(codes, self.recordings[sample.recording].ranks)
        return self._tokens[text]

    def _grammar(
        self, texts: dict[bytes, RecordedRank], sequences: Sequence[list[int]]
    ) -> tuple[Grammar, dict[bytes, Parse]]:
        """Return a grammar of all sequences, and those that it has parsed with it.

        It is that of the longest, or one that has what the others have as well.
        """
        # The longest first: what they have in common with the next is the most.
        known = sorted(
            zip(texts.items(), sequences, strict=True), key=lambda each: len(each[1]), reverse=True
        )
        (longest, _), sequence = known[0]
        may_merge = self.merging and len(known) <= MOST_MERGED * len(self.recordings)
        if not may_merge:
            # A call that the longest never makes is found without folding.
            made = set(sequence)
            for (_, sample), other in known:
                if not made.issuperset(other):
                    position = next(place for place, symbol in enumerate(other) if symbol not in made)
                    raise self._misplaced(sample, other, position)
        grammar = self._folded(longest, sequence)
        parses: dict[bytes, Parse] = {}
        merged = False
        for (text, sample), sequence in known:
            if merged or (longest, text) not in self._unfits:
                parsed = self._parsed(grammar, sample, sequence, strict=may_merge)
                unfit = parsed if isinstance(parsed, UnfitError) else None
                if not merged:
                    self._unfits[longest, text] = unfit
                if not isinstance(parsed, UnfitError):
                    parses[text] = parsed
            else:
                unfit = self._unfits[longest, text]
            if unfit is None:
                continue
            both = None
            if may_merge:
                both = merge(grammar, self._folded(text, sequence))
            if both is None:
                lax = self._parsed(grammar, sample, sequence, strict=False) if may_merge else unfit
                if isinstance(lax, UnfitError):
                    raise lax
                continue
            grammar, merged = both, True
        for (text, sample), sequence in known if merged else ():
            parsed = self._parsed(grammar, sample, sequence, strict=False)
            if isinstance(parsed, UnfitError):
                raise parsed
            parses[text] = parsed
        return grammar, parses

    def _folded(self, text: bytes, sequence: list[int]) -> Grammar:
        found = self._grammars.get(text)
        if found is None:
            found = self._grammars[text] = fold(sequence)
        return found

    def _parsed(
        self, grammar: Grammar, sample: RecordedRank, sequence: list[int], *, strict: bool
    ) -> Parse | UnfitError:
        """Return a sequence as the grammar reads it, or the error if the grammar does not describe it."""
        try:
            return parse(grammar, sequence, strict=strict)
        except Mismatch as error:
            return self._misplaced(sample, sequence, error.position)

    def _misplaced(self, sample: RecordedRank, sequence: list[int], position: int) -> UnfitError:
        unfit = UnfitError(
            self.alphabet.names[symbol_of(sequence[position])],
            f"call {position + 1} of rank {sample.rank} of {self.recordings[sample.recording].ranks} is not where the "
            "largest recording has it",
        )
        unfit.fitted = 1
        return unfit
