// Card pairing as in a programming contest: depth-first search over the heights of the stacks, with a hash set of lost
// states. It finds the verdict and a winning play, but no certificate of a loss.
#include "farm.hpp"

#include <unordered_set>

namespace {

constexpr char NAMES[] = "0123456789abcdefghijklmnopqrstuvwxyz";

struct Play {
    std::vector<std::string> stacks;
    std::vector<std::uint64_t> weights;  // weight of each stack's height in the number of a state
    std::vector<int> heights;
    std::unordered_set<std::uint64_t> lost;
    std::string trace;

    bool wins(std::uint64_t state) {
        if (state == 0) return true;
        if (lost.contains(state)) return false;
        const int count = static_cast<int>(stacks.size());
        for (int one = 0; one < count; ++one) {
            if (heights[one] == 0) continue;
            const char top = stacks[one][heights[one] - 1];
            for (int other = one + 1; other < count; ++other) {
                if (heights[other] == 0 || stacks[other][heights[other] - 1] != top) continue;
                --heights[one], --heights[other];
                trace += {NAMES[one], NAMES[other], ' '};
                if (wins(state - weights[one] - weights[other])) return true;
                trace.resize(trace.size() - 3);
                ++heights[one], ++heights[other];
            }
        }
        lost.insert(state);
        return false;
    }
};

bool winnable(Play& play, const std::uint8_t* begin, const std::uint8_t* end) {
    play.stacks.assign(1, "");
    for (; begin < end; ++begin) {
        if (*begin == ' ')
            play.stacks.emplace_back();
        else
            play.stacks.back() += static_cast<char>(*begin);
    }
    play.weights.clear();
    play.heights.clear();
    play.lost.clear();
    play.trace.clear();
    std::uint64_t weight = 1, state = 0;
    for (const auto& stack : play.stacks) {
        play.weights.push_back(weight);
        play.heights.push_back(static_cast<int>(stack.size()));
        state += weight * stack.size();
        weight *= stack.size() + 1;
    }
    return play.wins(state);
}

}  // namespace

// The hash covers the verdicts and the lengths of the winning plays, which are the same for every winning play.
int main(int words, char** word) {
    if (words != 2) return 2;
    const Layouts layouts = read_layouts(word[1]);
    std::vector<std::int8_t> verdicts(layouts.size());
    std::vector<std::int64_t> lengths(layouts.size());
    Play play;
    const double elapsed = seconds([&] {
        for (std::int64_t i = 0; i < layouts.size(); ++i) {
            const auto* text = layouts.text.data();
            const bool won = winnable(play, text + layouts.starts[i], text + layouts.starts[i + 1]);
            verdicts[i] = won ? WINNABLE : UNWINNABLE;
            lengths[i] = won ? static_cast<std::int64_t>(play.trace.size()) - 1 : 0;
        }
    });
    Fnv1a hash;
    hash.add(verdicts);
    hash.add(lengths);
    tell(elapsed, hash.value(), verdicts);
    return 0;
}
