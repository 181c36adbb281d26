// Hi-Q by the method of pipeline/games/hi_q/engine.py, function by function; the comments there say why.
#include "farm.hpp"

#include <algorithm>
#include <cstring>

namespace {

using Board = std::uint64_t;

constexpr int HOLES = 33, SIDE = 7, JUMPS = 76;
constexpr std::int64_t LONGEST_EVIDENCE = 6 * HOLES;

Board concerned[JUMPS], pegs_before[JUMPS];
char names[JUMPS][8];
std::int64_t name_lengths[JUMPS];

struct Jump {
    int source, over, target;
};

// Source, jumped and target hole of the jumps, in the order in which the statement prefers them.
void prepare() {
    int hole_at[SIDE][SIDE], holes = 0;
    const auto on_board = [](int row, int column) {
        const bool inside = 0 <= row && row < SIDE && 0 <= column && column < SIDE;
        return inside && ((2 <= row && row < 5) || (2 <= column && column < 5));
    };
    for (int row = 0; row < SIDE; ++row)
        for (int column = 0; column < SIDE; ++column)
            if (on_board(row, column)) hole_at[row][column] = holes++;
    std::vector<Jump> jumps;
    for (int row = 0; row < SIDE; ++row)
        for (int column = 0; column < SIDE; ++column)
            for (const auto& [down, right] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}})
                if (on_board(row, column) && on_board(row + 2 * down, column + 2 * right))
                    jumps.push_back({hole_at[row][column], hole_at[row + down][column + right],
                                     hole_at[row + 2 * down][column + 2 * right]});
    std::sort(jumps.begin(), jumps.end(), [](const Jump& one, const Jump& other) {
        return std::pair{one.target, one.source} > std::pair{other.target, other.source};
    });
    for (int number = 0; number < JUMPS; ++number) {
        const auto [source, over, target] = jumps[number];
        pegs_before[number] = Board{1} << source | Board{1} << over;
        concerned[number] = pegs_before[number] | Board{1} << target;
        name_lengths[number] = std::snprintf(names[number], sizeof names[number], "%d-%d", source + 1, target + 1);
    }
}

Board read(const std::uint8_t* sign, const std::uint8_t* end) {
    Board board = 0, hole = 1;
    for (; sign < end; ++sign) {
        if (*sign == '/') continue;
        if (*sign == 'X') board |= hole;
        hole <<= 1;
    }
    return board;
}

int next_jump(Board board) {
    for (int jump = 0; jump < JUMPS; ++jump)
        if ((board & concerned[jump]) == pegs_before[jump]) return jump;
    return -1;
}

std::int64_t sum_of_holes(Board board) {
    std::int64_t total = 0;
    for (int hole = 0; hole < HOLES; ++hole)
        if (board >> hole & 1) total += hole + 1;
    return total;
}

std::int64_t play_each(const std::uint8_t* text, const std::int64_t* starts, std::int64_t first, std::int64_t limit,
                       Results& results) {
    auto* evidence = results.evidence.data();
    std::int64_t end = 0;
    const auto count = static_cast<std::int64_t>(results.verdicts.size());
    for (auto i = first; i < count; ++i) {
        if (static_cast<std::int64_t>(results.evidence.size()) - end < LONGEST_EVIDENCE) return i;
        Board board = read(text + starts[i], text + starts[i + 1]);
        const auto start = end;
        std::int64_t positions = 1;
        int jump = next_jump(board);
        while (jump >= 0 && positions < limit) {
            board ^= concerned[jump];
            ++positions;
            if (end > start) evidence[end++] = ' ';
            for (std::int64_t k = 0; k < name_lengths[jump]; ++k) evidence[end++] = static_cast<std::uint8_t>(names[jump][k]);
            jump = next_jump(board);
        }
        results.nodes[i] = std::min(positions, limit);
        results.values[i] = sum_of_holes(board);
        results.verdicts[i] = jump < 0 && positions <= limit ? SCORED : UNDECIDED;
        results.ends[i] = end;
    }
    return count;
}

}  // namespace

int main(int words, char** word) {
    prepare();
    return run(words, word, LONGEST_EVIDENCE, play_each);
}
