// Camelot: a formula decides, and a play with the slots in an array is the evidence; see docs/decisions/0006-camelot.md.
// pipeline/games/camelot/engine.py must produce identical results; it decides by the play, on a board in one word.
#include "farm.hpp"

#include <algorithm>
#include <array>

namespace {

constexpr int CARDS = 52, SLOTS = 16, TEN = 10, FIVE = 5, JACK = 11, KING = 13, FREE = 3, EMPTY = 0;
constexpr std::int64_t LONGEST_EVIDENCE = 256;
constexpr char PLACES[4][5] = {"ehil", "bcno", "admp", "fgjk"};

constexpr std::array<std::int64_t, 128> PIPS = [] {
    std::array<std::int64_t, 128> pips{};
    constexpr char VALUES[] = "A234567890JQK";
    for (int pip = 1; pip <= KING; ++pip) pips[VALUES[pip - 1]] = pip;
    return pips;
}();

struct Writer {
    std::uint8_t* evidence;
    std::int64_t end;

    void sign(std::int64_t sign) { evidence[end++] = static_cast<std::uint8_t>(sign); }
    void number(std::int64_t number) {
        sign('0' + number / 10);
        sign('0' + number % 10);
    }
};

std::int64_t first_failing_prefix(const std::int64_t* deck) {
    std::int64_t seen[KING + 1] = {};
    std::int64_t left = 0;
    for (int dealt = 1; dealt < CARDS; ++dealt) {
        const auto pip = deck[dealt - 1];
        if (pip > TEN)
            ++left;
        else if (pip == FIVE)
            left += seen[FIVE] % 2 == 0 ? 1 : -1;
        else if (pip < TEN)
            left += seen[pip] >= seen[TEN - pip] ? 1 : -1;
        ++seen[pip];
        if (dealt >= SLOTS && left >= SLOTS) return dealt;
    }
    return 0;
}

int partner_of(const std::int64_t* slots, int slot) {
    const auto pip = slots[slot];
    if (pip == TEN) return slot;
    if (EMPTY < pip && pip < TEN)
        for (int other = slot + 1; other < SLOTS; ++other)
            if (slots[other] == TEN - pip) return other;
    return -1;
}

int remove(std::int64_t* slots, int removed, bool deck_is_empty, Writer& writer) {
    for (int slot = 0; slot < SLOTS; ++slot) {
        if (removed >= CARDS - SLOTS && !deck_is_empty) break;
        const int partner = partner_of(slots, slot);
        if (partner < 0) continue;
        slots[slot] = slots[partner] = EMPTY;
        writer.sign(' ');
        writer.sign('-');
        writer.sign(slot);
        ++removed;
        if (partner != slot) {
            writer.sign(partner);
            ++removed;
        }
    }
    return removed;
}

void name_slots(const std::int64_t* slots, std::uint8_t* play, std::int64_t length) {
    std::uint8_t names[SLOTS];
    std::int64_t used[FREE + 1] = {};
    for (int slot = 0; slot < SLOTS; ++slot) {
        const auto kind = slots[slot] ? slots[slot] - JACK : FREE;
        names[slot] = static_cast<std::uint8_t>(PLACES[kind][used[kind]++]);
    }
    for (std::int64_t k = 0; k < length; ++k) {
        if (play[k] >= SLOTS) continue;
        play[k] = names[play[k]];
        if (k > 1 && play[k - 2] == '-' && play[k - 1] > play[k]) std::swap(play[k - 1], play[k]);
    }
}

void write_play(const std::int64_t* deck, Writer& writer) {
    std::int64_t slots[SLOTS] = {};
    const auto start = writer.end;
    int dealt = 0, removed = 0;
    while (dealt < CARDS) {
        if (dealt) writer.sign(' ');
        for (int slot = 0; slot < SLOTS; ++slot) {
            if (slots[slot] != EMPTY || dealt == CARDS) continue;
            slots[slot] = deck[dealt++];
            writer.sign(slot);
        }
        removed = remove(slots, removed, dealt == CARDS, writer);
    }
    name_slots(slots, writer.evidence + start, writer.end - start);
}

std::int64_t solve_each(const std::uint8_t* text, const std::int64_t* starts, std::int64_t first, std::int64_t limit,
                        Results& results) {
    std::int64_t deck[CARDS];
    Writer writer{results.evidence.data(), 0};
    const auto count = static_cast<std::int64_t>(results.verdicts.size());
    for (auto i = first; i < count; ++i) {
        if (static_cast<std::int64_t>(results.evidence.size()) - writer.end < LONGEST_EVIDENCE) return i;
        results.nodes[i] = std::min<std::int64_t>(limit, 1);
        if (limit < 1) {
            results.verdicts[i] = UNDECIDED;
        } else {
            for (int card = 0; card < CARDS; ++card) deck[card] = PIPS[text[starts[i] + card]];
            if (const auto failing = first_failing_prefix(deck)) {
                results.verdicts[i] = UNWINNABLE;
                writer.number(failing);
            } else {
                results.verdicts[i] = WINNABLE;
                write_play(deck, writer);
            }
        }
        results.ends[i] = writer.end;
    }
    return count;
}

}  // namespace

int main(int words, char** word) { return run(words, word, LONGEST_EVIDENCE, solve_each); }
