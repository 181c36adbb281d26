// Card pairing: a port of pipeline/games/card_pairing/classic/, function by function; see the comments there. The
// evidence is identical, byte for byte.
#include "farm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace {

using Set = std::uint64_t;

constexpr int SUITS = 4, ALL = 16, LEVELS = ALL + 1, MOST_CARDS = ALL * SUITS;
constexpr std::int64_t LONGEST_CERTIFICATE = 1 << 17;
constexpr int MORE_SEARCHES = 2;
constexpr char RANKS[] = "A23456789TJQKBCD";
constexpr char STACKS[] = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr int MATCHINGS[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
constexpr std::int64_t SIZES[8] = {0, 1, 1, 2, 1, 2, 2, 3};

enum class Outcome { won, lost, gave_up };

struct Search {
    std::uint8_t possible[1 << 16];
    Set before[LEVELS][MOST_CARDS];
    std::int64_t rank[LEVELS], untried[LEVELS], begin[LEVELS], child_begin[LEVELS], open[LEVELS];
    std::int64_t checked_rank[LEVELS], checked_untried[LEVELS];
    std::int64_t weights[ALL], chosen[ALL];
    std::uint8_t certificate[LONGEST_CERTIFICATE];
    std::int64_t nodes, entries;
};

Search search;
std::array<std::int64_t, 128> rank_of;
std::uint8_t signs[ALL];

void prepare() {
    for (int key = 0; key < 1 << 16; ++key) {
        const auto before = [key](int card) { return key >> (SUITS * card) & 15; };
        for (int number = 0; number < 3; ++number) {
            const auto [a, b, c, d] = MATCHINGS[number];
            const int first = before(a) | before(b), second = before(c) | before(d);
            const int pair = 1 << a | 1 << b, other = 1 << c | 1 << d;
            const bool blocked = (first & pair) || (second & other) || ((first & other) && (second & pair));
            search.possible[key] |= static_cast<std::uint8_t>(!blocked << number);
        }
    }
    for (int rank = 0; rank < ALL; ++rank) rank_of[RANKS[rank]] = rank;
}

std::int64_t possible_matchings(int level, std::int64_t rank) {
    Set key = 0;
    for (int card = 0; card < SUITS; ++card)
        key |= (search.before[level][SUITS * rank + card] >> (SUITS * rank) & 15) << (SUITS * card);
    return search.possible[key];
}

struct Branch {
    std::int64_t rank = -1, matchings = 0, reluctance = SUITS * LONGEST_CERTIFICATE;

    // Return whether the search must backtrack at this rank.
    bool offer(std::int64_t other, std::int64_t its_matchings) {
        const auto its_reluctance = SIZES[its_matchings] * LONGEST_CERTIFICATE - search.weights[other];
        if (its_matchings == 0 || its_reluctance < reluctance)
            rank = other, matchings = its_matchings, reluctance = its_reluctance;
        return its_matchings == 0;
    }
};

Branch most_constrained(int level, std::int64_t ranks) {
    Branch branch;
    for (; ranks; ranks &= ranks - 1) {
        const int rank = std::countr_zero(static_cast<Set>(ranks));
        if (branch.offer(rank, possible_matchings(level, rank))) break;
    }
    return branch;
}

template <bool CHOOSE> Branch assign(int level, std::int64_t rank, std::int64_t matching, std::int64_t others) {
    const auto* now = search.before[level];
    auto* next = search.before[level + 1];
    const auto card = [&](int place) { return SUITS * rank + MATCHINGS[matching][place]; };
    const Set pair = Set{1} << card(0) | Set{1} << card(1);
    const Set other = Set{1} << card(2) | Set{1} << card(3);
    Set with_pair = now[card(0)] | now[card(1)] | pair;
    Set with_other = now[card(2)] | now[card(3)] | other;
    if (with_pair & other)
        with_pair |= with_other;
    else if (with_other & pair)
        with_other |= with_pair;
    Branch branch;
    for (; others; others &= others - 1) {
        const int y = std::countr_zero(static_cast<Set>(others));
        for (int x = SUITS * y; x < SUITS * y + SUITS; ++x) {
            const Set sooner = now[x];
            next[x] = sooner | (sooner & pair ? with_pair : 0) | (sooner & other ? with_other : 0);
        }
        if (CHOOSE && branch.offer(y, possible_matchings(level + 1, y))) break;
    }
    return branch;
}

bool refutes(int bottom, std::int64_t begin, std::int64_t end) {
    std::int64_t open = 0;
    for (auto entry = begin; entry < end; ++entry) open |= 1 << search.certificate[entry];
    int level = bottom;
    std::int64_t wanted = 1;
    for (auto entry = begin; entry < end; ++entry) {
        std::int64_t rank = search.certificate[entry];
        if (!(open >> rank & 1)) return false;
        search.checked_rank[level] = rank;
        search.checked_untried[level] = possible_matchings(level, rank);
        wanted += SIZES[search.checked_untried[level]] - 1;
        if (wanted == 0) return entry == end - 1;
        if (wanted >= end - entry) return false;
        while (search.checked_untried[level] == 0) {
            --level;
            open |= 1 << search.checked_rank[level];
        }
        rank = search.checked_rank[level];
        open &= ~(std::int64_t{1} << rank);
        assign<false>(level, rank, std::countr_zero(static_cast<Set>(search.checked_untried[level])), open);
        search.checked_untried[level] &= search.checked_untried[level] - 1;
        ++level;
    }
    return false;
}

Outcome ended(Outcome outcome, std::int64_t nodes, std::int64_t entries) {
    search.nodes = nodes;
    search.entries = entries;
    return outcome;
}

Outcome solve(std::int64_t ranks, std::int64_t limit, bool shorten) {
    std::int64_t nodes = 0, entries = 0;
    int level = 0;
    search.open[0] = ranks;
    Branch branch = most_constrained(0, ranks);
    while (search.open[level]) {
        search.rank[level] = branch.rank;
        search.untried[level] = branch.matchings;
        search.begin[level] = entries;
        search.certificate[entries++] = static_cast<std::uint8_t>(search.rank[level]);
        while (search.untried[level] == 0) {
            if (level == 0) return ended(Outcome::lost, nodes, entries);
            --level;
            const auto begin = search.child_begin[level];
            if (shorten && entries - begin > 1 && refutes(level, begin, entries)) {
                auto* certificate = search.certificate;
                std::memmove(certificate + search.begin[level], certificate + begin, entries - begin);
                entries += search.begin[level] - begin;
                search.untried[level] = 0;
            }
        }
        if (nodes == limit || entries == LONGEST_CERTIFICATE) return ended(Outcome::gave_up, nodes, 0);
        ++nodes;
        const auto rank = search.rank[level];
        search.chosen[rank] = std::countr_zero(static_cast<Set>(search.untried[level]));
        search.untried[level] &= search.untried[level] - 1;
        search.child_begin[level] = entries;
        search.open[level + 1] = search.open[level] & ~(std::int64_t{1} << rank);
        branch = assign<true>(level, rank, search.chosen[rank], search.open[level + 1]);
        ++level;
    }
    return ended(Outcome::won, nodes, 0);
}

int read(const std::uint8_t* sign, const std::uint8_t* end, std::int64_t* cards) {
    std::int64_t seen[ALL] = {}, numbers[ALL], present = 0;
    for (auto at = sign; at < end; ++at)
        if (*at != ' ') seen[rank_of[*at]] = 1;
    for (int rank = 0; rank < ALL; ++rank) {
        if (!seen[rank]) continue;
        signs[present] = RANKS[rank];
        numbers[rank] = present++;
    }
    std::fill_n(seen, ALL, 0);
    int stacks = 1;
    for (; sign < end; ++sign) {
        if (*sign == ' ') {
            ++stacks;
        } else {
            const auto rank = numbers[rank_of[*sign]];
            *cards++ = SUITS * rank + seen[rank]++;
        }
    }
    return stacks;
}

std::int64_t set_above(const std::int64_t* cards, int stacks, int height) {
    std::int64_t ranks = 0;
    for (int stack = 0; stack < stacks; ++stack) {
        Set higher = 0;
        for (int place = height - 1; place >= 0; --place) {
            const auto card = cards[stack * height + place];
            search.before[0][card] = higher;
            higher |= Set{1} << card;
            ranks |= 1 << (card / SUITS);
        }
    }
    return ranks;
}

std::int64_t write_certificate(std::uint8_t* evidence) {
    for (std::int64_t entry = 0; entry < search.entries; ++entry) evidence[entry] = signs[search.certificate[entry]];
    return search.entries;
}

std::int64_t write_shortened(std::int64_t ranks, std::uint8_t* evidence) {
    auto length = write_certificate(evidence);
    const int more = length > 1 ? MORE_SEARCHES : 0;
    for (int again = 0; again < more; ++again) {
        std::fill_n(search.weights, ALL, 0);
        for (std::int64_t entry = 0; entry < search.entries; ++entry) ++search.weights[search.certificate[entry]];
        if (solve(ranks, NO_LIMIT, true) == Outcome::lost && search.entries < length) length = write_certificate(evidence);
    }
    std::fill_n(search.weights, ALL, 0);
    return length;
}

std::int64_t write_play(const std::int64_t* cards, int stacks, int height, std::uint8_t* evidence, std::int64_t end) {
    int place_of[MOST_CARDS], mates[MOST_CARDS];
    char names[MOST_CARDS];
    for (int place = 0; place < stacks * height; ++place) place_of[cards[place]] = place;
    Set tops = 0;
    for (int stack = 0; stack < stacks; ++stack) {
        for (int place = stack * height; place < (stack + 1) * height; ++place) {
            mates[place] = place_of[cards[place] ^ (search.chosen[cards[place] / SUITS] + 1)];
            names[place] = STACKS[stack];
        }
        tops |= Set{1} << ((stack + 1) * height - 1);
    }
    for (const Set within = ~tops; tops;) {
        for (int stack = 0; stack < stacks; ++stack) {
            const Set places = ((Set{1} << height) - 1) << (stack * height);
            while (tops & places) {
                const int top = std::countr_zero(tops & places), mate = mates[top];
                if (!(tops >> mate & 1)) break;
                const Set pair = Set{1} << top | Set{1} << mate;
                tops = (tops & ~pair) | (pair >> 1 & within);
                evidence[end++] = names[std::min(top, mate)];
                evidence[end++] = names[std::max(top, mate)];
                evidence[end++] = ' ';
            }
        }
    }
    return end - 1;
}

std::int64_t solve_each(const std::uint8_t* text, const std::int64_t* starts, std::int64_t first, std::int64_t limit,
                        Results& results) {
    std::int64_t cards[MOST_CARDS];
    std::int64_t end = 0;
    const auto count = static_cast<std::int64_t>(results.verdicts.size());
    for (auto i = first; i < count; ++i) {
        if (static_cast<std::int64_t>(results.evidence.size()) - end < LONGEST_CERTIFICATE) return i;
        const int stacks = read(text + starts[i], text + starts[i + 1], cards);
        const int height = static_cast<int>((starts[i + 1] - starts[i] + 1) / stacks - 1);
        const auto ranks = set_above(cards, stacks, height);
        const Outcome outcome = solve(ranks, limit, false);
        results.nodes[i] = search.nodes;
        if (outcome == Outcome::won) {
            results.verdicts[i] = WINNABLE;
            end = write_play(cards, stacks, height, results.evidence.data(), end);
        } else if (outcome == Outcome::lost) {
            results.verdicts[i] = UNWINNABLE;
            end += write_shortened(ranks, results.evidence.data() + end);
        } else {
            results.verdicts[i] = UNDECIDED;
        }
        results.ends[i] = end;
    }
    return count;
}

}  // namespace

int main(int words, char** word) {
    prepare();
    return run(words, word, LONGEST_CERTIFICATE, solve_each);
}
