"""Random rules of patiences with small decks, and the seeds from which tests draw them."""

from dataclasses import replace
from random import Random

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.patience.coverage import counted_with_relaxed_game, counted_with_safe_cards
from dealmill.pipeline.games.patience.losses.waits import cards_wait, cards_wait_for_places
from dealmill.pipeline.games.patience.rules import RANKS, SUITS_BELOW, Rules
from dealmill.pipeline.games.patience.schema import canonical_rules, parse_rules
from tests.selection import SELECTION

BUILD = tuple(SUITS_BELOW)
BUILDS_OF_RUNS = BUILD[:-1]
PILES = ("whole-pile", "card-or-pile")
"""How columns move as a whole."""
WRAPS = 0.2
"""The share of rules by which the last rank may be put on the first one."""


def seeds(first: int, count: int, quick: int, slow: int | None = None) -> list[object]:
    """Return the seeds `[first, first + count)` as parameters of a test, ten at once. `make test` tries the first
    `quick` of them, and `make test-slow` the others; if `slow` is given, only the others of the first `slow` seeds, and
    those after these are tried by hand."""
    last = first + (count if slow is None else slow)
    tens = [range(seed, seed + 10) for seed in range(first, first + count, 10)]
    return SELECTION.parameters(tens, lambda ten: ten[0] < first + quick, lambda ten: ten[0] >= last)


def random_rules(random: Random) -> Rules:
    """Rules with two to four ranks, that a deal fits."""
    while True:
        ranks, count = random.randint(2, 4), random.randint(1, 6)
        hole = random.choice(["none", "none", "none", "dealt", "AS"])
        initial = "none" if hole != "none" else random.choice(["none", "none", "one", "all"])
        cells = random.choice([0, 0, 1, 2])
        reserve = random.choice([0, 0, 2, 3])
        stacked = random.random() < 0.6
        stock = random.choice([0, 0, 3, 5, 7])
        filled = random.randint(0, cells)
        left = 4 * ranks - {"none": 0, "one": 1, "all": 4}[initial] - (hole != "none") - filled - reserve - stock
        if left < 0:
            continue
        sizes = [0] * count
        for _ in range(left):
            sizes[random.randrange(count)] += 1
        spaces = ["any", "kings", "none"] + ["reserve"] * (reserve > 0 and stacked)
        face_down: list[str | tuple[int, ...]] = ["none", "all-but-top"]
        face_down.append(tuple(random.randrange(max(size, 1)) for size in sizes))
        rules = Rules(
            name="random",
            title="Random",
            family="",
            numbers="solvitaire",
            ranks=ranks,
            sizes=tuple(sizes),
            deal=random.choice(["rows", "diagonal"]),
            face_down=random.choice(face_down),
            build=random.choice([*BUILD, "red-black"]),
            move=random.choice(["card", "run", "run", "any"]),
            run="build",
            spaces=random.choice(spaces),
            foundations="dealt" if initial == "one" else random.choice(RANKS[:ranks] if hole == "none" else "A"),
            initial=initial,
            removable=hole == "none" and random.random() < 0.5,
            complete=False,
            cells=cells,
            filled=filled,
            reserve=reserve,
            stacked=stacked,
            stock=stock,
            to="hole" if hole != "none" and random.random() < 0.5 else "waste",
            full_columns=False,
            draw=random.choice([1, 2, 3]),
            passes=random.choice([0, 0, 1, 2]),
            hole=hole,
            wrap=random.random() < 0.5,
        )
        return _with_rare_keys(rules)


def _with_rare_keys(rules: Rules) -> Rules:
    """Return rules, one in sixteen with whole columns that move or ranks that wrap. Most forms of evidence refuse
    these, so more of them would weaken the tests of the forms. They are drawn apart from all else."""
    random = Random(canonical_rules(rules))
    chance = random.random()
    if chance < 1 / 32:
        return replace(rules, move=random.choice(PILES), run="build")
    wraps = rules.build != "none" and rules.ranks > 1 and (rules.copies == 1 or rules.move == "card")
    return replace(rules, build_wraps=True) if chance < 1 / 16 and wraps else rules


def random_castle_rules(random: Random) -> Rules:
    """Rules of castles and games like them: single cards go onto any suit, or onto those of the other colour, and a
    long search counts losses."""
    while True:
        rules = replace(random_rules(random), build=random.choice(("any-suit", "red-black")), move="card")
        if counted_with_relaxed_game(rules) or counted_with_safe_cards(rules):
            return rules


def random_filled_rules(random: Random) -> Rules:
    """Rules as above, by which empty columns are filled from waste and stock."""
    while True:
        rules = random_rules(random)
        if rules.stock and rules.hole == "none":
            has_reserve = rules.reserve > 0 and rules.stacked
            return replace(rules, spaces="reserve-then-waste" if has_reserve and random.random() < 0.6 else "waste")


def random_spider_rules(random: Random) -> Rules:
    """Rules as above, but the stock may go to the columns, runs may be built otherwise, and whole suits leave."""
    rules = random_rules(random)
    if random.random() < 0.7:
        rules = replace(rules, to="tableau", full_columns=random.random() < 0.3)
    if rules.move == "run" and random.random() < 0.7:
        builds = [build for build in BUILDS_OF_RUNS if build != rules.build]
        rules = replace(rules, run=random.choice(builds))
    if rules.hole == "none" and rules.initial == "none" and random.random() < 0.6:
        rules = replace(rules, complete=True, removable=False)
    return rules


def random_rules_by_stages(random: Random) -> Rules:
    """Rules of games such as Spider, with two decks, fewer suits, or each card once."""
    while True:
        decks, suits = random.choice([(1, 1), (1, 2), (1, 4), (2, 4), (2, 2), (2, 1)])
        ranks, count = random.randint(1, 4 if decks == 1 else 3), random.randint(1, 6)
        stock = random.choice([3, 5, 7] if suits == 4 * decks else [0, 0, 3, 5, 7])
        left = 4 * decks * ranks - stock
        if left < 0:
            continue
        sizes = [0] * count
        for _ in range(left):
            sizes[random.randrange(count)] += 1
        rules = replace(
            random_rules(random),
            decks=decks,
            suits=suits,
            ranks=ranks,
            build_wraps=False,
            sizes=tuple(sizes),
            face_down=random.choice(["none", "all-but-top"]),
            move=random.choice(["card", "run", "run"]),
            spaces=random.choice(["any", "any", "kings", "none"]),
            run=random.choice(BUILDS_OF_RUNS),
            foundations=random.choice(RANKS[:ranks]),
            initial="none",
            removable=False,
            complete=True,
            cells=0,
            filled=0,
            reserve=0,
            stacked=False,
            stock=stock,
            to="tableau",
            full_columns=random.random() < 0.3,
            hole="none",
        )
        return _with_rare_keys(rules if rules.move == "run" else replace(rules, run="build"))


def random_rules_of_copies(random: Random) -> Rules:
    """Rules of games such as Forty Thieves, whose cards exist more than once and go to foundations one by one."""
    while True:
        decks, suits = random.choice([(2, 4), (2, 4), (2, 4), (2, 2), (2, 1), (1, 2), (1, 1)])
        initial = random.choice(["none", "none", "all", "one"])
        ranks, stock, reserve = random.randint(1, 3), random.choice([0, 2, 3, 5, 7]), random.choice([0, 0, 2, 3])
        left = 4 * decks * (ranks - (initial == "all")) - (initial == "one") - stock - reserve
        if left < 0:
            continue
        sizes = [0] * random.randint(1, 6)
        for _ in range(left):
            sizes[random.randrange(len(sizes))] += 1
        move = random.choice(["card", "card", "card", "run", "run", *PILES])
        to = random.choice(["waste", "waste", "tableau"] if stock and not reserve else ["waste"])
        spaces = ["any", "any", "kings", "none"] + ["waste"] * 2 * (to == "waste" and stock > 0)
        spaces += (["reserve"] * 2 + ["reserve-then-waste"] * 2 * (stock > 0)) * (reserve > 0)
        return replace(
            random_rules(random),
            decks=decks,
            suits=suits,
            ranks=ranks,
            build_wraps=ranks > 1 and move in ("card", "whole-pile") and random.random() < WRAPS,
            sizes=tuple(sizes),
            face_down=random.choice(["none", "all-but-top"]),
            move=move,
            run=random.choice(["build", *BUILDS_OF_RUNS]) if move == "run" else "build",
            spaces=random.choice(spaces),
            foundations="dealt" if initial == "one" else random.choice(RANKS[:ranks]),
            initial=initial,
            removable=random.random() < 0.5,
            complete=False,
            cells=0,
            filled=0,
            reserve=reserve,
            stacked=reserve > 0,
            stock=stock,
            to=to,
            full_columns=to == "tableau" and random.random() < 0.3,
            draw=random.choice([1, 1, 2, 3]),
            passes=random.choice([0, 1, 1, 2, 3]) if to == "waste" else 1,
            hole="none",
        )


def random_waiting_rules(random: Random) -> Rules:
    """Rules of games such as Scorpion, by which cards that wait for one another prove losses."""
    while True:
        rules = random_spider_rules(random)
        if rules.initial == "none":
            move = random.choice(["any", "any", rules.move])
            run = rules.run if move == rules.move and rules.run != "same-suit" else "build"
            spaces = random.choice(["kings", "kings", "none"])
            rules = replace(rules, build="same-suit", move=move, run=run, spaces=spaces, complete=True, removable=False)
            if cards_wait(rules):
                return rules


def random_places_rules(random: Random) -> Rules:
    """Rules of games such as Simple Simon and Spiderette, by which cards that wait for places prove losses."""
    while True:
        rules = random_rules_by_stages(random)
        if cards_wait_for_places(rules):
            return rules


def any_rules(random: Random) -> Rules:
    """Rules of every kind that a rules file may have, with few cards: the values of keys are drawn independently."""
    choose = random.choice
    while True:
        decks, suits = choose([(1, 4)] * 6 + [(1, 2), (1, 1), (2, 4), (2, 2), (2, 1)])
        ranks = choose([1, 2, 2, 3, 3, 4]) if decks == 1 else choose([1, 2])
        hole = choose(["none", "none", "none", "dealt", "AS"])
        initial = "none" if hole != "none" else choose(["none", "none", "one", "all", "others"])
        cells = choose([0, 0, 1, 2])
        filled, reserve, stock = random.randint(0, cells), choose([0, 0, 1, 2, 3]), choose([0, 0, 2, 3, 5, 8])
        left = 4 * decks * ranks - {"none": 0, "one": 1, "all": 4, "others": 3}[initial] - (hole != "none") - filled
        if (left := left - reserve - stock) < 0:
            continue
        sizes = [0] * random.randint(1, 6)
        for _ in range(left):
            sizes[random.randrange(len(sizes))] += 1
        face_down: list[str | tuple[int, ...]] = ["none", "all-but-top"]
        face_down.append(tuple(random.randrange(max(size, 1)) for size in sizes))
        base = "A" if hole != "none" else "dealt" if initial in ("one", "others") else choose(RANKS[:ranks])
        move, build = choose(["card", "run", "run", "any", *PILES]), choose(BUILD)
        rules = Rules(
            name="any",
            title="Any",
            family="Patience",
            numbers="solvitaire",
            decks=decks,
            suits=suits,
            ranks=ranks,
            sizes=tuple(sizes),
            deal=choose(["rows", "diagonal", "kings-below"]),
            face_down=choose(face_down),
            build=build,
            move=move,
            run=choose(["build", "build", *BUILDS_OF_RUNS]) if move == "run" else "build",
            spaces=choose(["any", "kings", "none", "reserve", "waste", "reserve-then-waste"]),
            foundations=base,
            initial=initial,
            removable=hole == "none" and random.random() < 0.5,
            complete=random.random() < 0.35,
            cells=cells,
            filled=filled,
            reserve=reserve,
            stacked=random.random() < 0.6,
            stock=stock,
            to=choose(["waste", "waste", "tableau", "tableau", "hole"]),
            full_columns=random.random() < 0.4,
            draw=choose([1, 1, 2, 3, 4]),
            passes=choose([0, 0, 1, 2, 3]),
            hole=hole,
            wrap=random.random() < 0.5,
            build_wraps=build != "none" and ranks > 1 and random.random() < WRAPS,
            direction="either" if random.random() < WRAPS else "down",
        )
        try:
            return parse_rules(rules.name, canonical_rules(rules))
        except UsageError:
            continue


def random_rules_in_both_directions(random: Random) -> Rules:
    """Rules of games such as Bisley: foundations are built in both directions. In most, single cards move, and all are
    in the columns."""
    while True:
        rules = any_rules(random)
        if random.random() < 0.6:
            build = random.choice(["same-suit", "same-suit", "red-black", "same-colour", rules.build])
            rules = replace(rules, build=build, move="card", run="build", cells=0, filled=0, reserve=0, stock=0)
            rules = replace(rules, to="waste", full_columns=False, build_wraps=rules.build_wraps and build != "none")
            left = len(rules.deck()) - rules.initial_count
            sizes = [0] * len(rules.sizes)
            for _ in range(left):
                sizes[random.randrange(len(sizes))] += 1
            spaces = random.choice(["none", "none", "any", "kings"])
            rules = replace(rules, sizes=tuple(sizes), face_down="none", spaces=spaces)
        rules = replace(rules, foundation_direction="both", removable=False, complete=False)
        is_up = rules.build in ("red-black", "same-suit", "same-colour") and rules.move in ("card", "any")
        if is_up and random.random() < 0.7:
            rules = replace(rules, direction="either")
        try:
            return parse_rules(rules.name, canonical_rules(rules))
        except UsageError:
            continue
