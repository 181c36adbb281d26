// Hi-Q: a port of pipeline/games/hi_q/engine.py, function by function; see the comments there.
#include "farm.hpp"

#include <algorithm>
#include <bit>

namespace {

using Board = std::uint64_t;

constexpr int HOLES = 33, ROW = 8, SIDE = 7, BITS = 64, NAME_ROOM = 8;
constexpr std::int64_t LONGEST_EVIDENCE = NAME_ROOM * HOLES;

Board whole, signs[HOLES + SIDE - 1], concerned[4 * BITS];
std::int64_t hole_of[BITS], name_lengths[4 * BITS];
char names[4 * BITS][NAME_ROOM];

bool on_board(int row, int column) {
    const bool inside = 0 <= row && row < SIDE && 0 <= column && column < SIDE;
    return inside && ((2 <= row && row < 5) || (2 <= column && column < 5));
}

int bit_of(int row, int column) { return ROW * (SIDE - 1 - row) + SIDE - 1 - column; }

void prepare_jump(int direction, int row, int column, int down, int right) {
    if (!on_board(row, column) || !on_board(row + 2 * down, column + 2 * right)) return;
    const int target = bit_of(row, column), source = bit_of(row + 2 * down, column + 2 * right);
    const int jump = BITS * direction + target;
    concerned[jump] = Board{1} << target | Board{1} << bit_of(row + down, column + right) | Board{1} << source;
    name_lengths[jump] = std::snprintf(names[jump], sizeof names[jump], "%d-%d ", static_cast<int>(hole_of[source]),
                                       static_cast<int>(hole_of[target]));
}

void prepare() {
    int hole = 0, sign = 0;
    for (int row = 0; row < SIDE; ++row, ++sign) {
        for (int column = 0; column < SIDE; ++column) {
            if (!on_board(row, column)) continue;
            const int bit = bit_of(row, column);
            whole |= signs[sign++] = Board{1} << bit;
            hole_of[bit] = ++hole;
        }
    }
    constexpr int DIRECTIONS[4][2] = {{1, 0}, {0, 1}, {0, -1}, {-1, 0}};
    for (int direction = 0; direction < 4; ++direction)
        for (int row = 0; row < SIDE; ++row)
            for (int column = 0; column < SIDE; ++column)
                prepare_jump(direction, row, column, DIRECTIONS[direction][0], DIRECTIONS[direction][1]);
}

Board read(const std::uint8_t* layout) {
    Board board = 0;
    for (const Board sign : signs)
        if (*layout++ == 'X') board |= sign;
    return board;
}

int next_jump(Board board) {
    const Board empty = whole & ~board;
    const Board from_below = empty & board << ROW & board << 2 * ROW;
    const Board from_right = empty & board << 1 & board << 2;
    const Board from_left = empty & board >> 1 & board >> 2;
    const Board from_above = empty & board >> ROW & board >> 2 * ROW;
    const Board targets = from_below | from_right | from_left | from_above;
    if (!targets) return -1;
    const Board target = targets & -targets;
    const int not_below = !(from_below & target);
    const int not_right = not_below & !(from_right & target);
    const int not_left = not_right & !(from_left & target);
    return BITS * (not_below + not_right + not_left) + std::countr_zero(target);
}

std::int64_t sum_of_holes(Board board) {
    std::int64_t total = 0;
    for (; board; board &= board - 1) total += hole_of[std::countr_zero(board)];
    return total;
}

std::int64_t play_each(const std::uint8_t* text, const std::int64_t* starts, std::int64_t first, std::int64_t limit,
                       Results& results) {
    auto* evidence = results.evidence.data();
    std::int64_t end = 0;
    const auto count = static_cast<std::int64_t>(results.verdicts.size());
    for (auto i = first; i < count; ++i) {
        if (static_cast<std::int64_t>(results.evidence.size()) - end < LONGEST_EVIDENCE) return i;
        Board board = read(text + starts[i]);
        const auto start = end;
        std::int64_t positions = 1;
        int jump = next_jump(board);
        while (jump >= 0 && positions < limit) {
            board ^= concerned[jump];
            ++positions;
            for (int k = 0; k < NAME_ROOM; ++k) evidence[end + k] = static_cast<std::uint8_t>(names[jump][k]);
            end += name_lengths[jump];
            jump = next_jump(board);
        }
        end = std::max(start, end - 1);  // without the space after the last jump
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
