// Shared code of the programs. The formats of layouts, verdicts and evidence are those of pipeline/games/batch.py.
//
// Each program reads a file of canonical layouts, one per line. It solves them once to compute a hash of the results,
// and once more to measure the time. It prints the seconds, the hash, and the number of verdicts of each kind, from 1
// on.
#pragma once

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

enum Verdict : std::int8_t { WINNABLE = 1, UNWINNABLE = 2, SCORED = 3, UNDECIDED = 4 };

constexpr std::int64_t NO_LIMIT = std::int64_t{1} << 62;
constexpr std::int64_t ROOM = 1 << 20;

struct Layouts {
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> starts;

    std::int64_t size() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

struct Results {
    std::vector<std::int8_t> verdicts;
    std::vector<std::int64_t> values, nodes, ends;
    std::vector<std::uint8_t> evidence;

    Results(std::int64_t count, std::int64_t longest)
        : verdicts(count), values(count), nodes(count), ends(count), evidence(longest > ROOM ? longest : ROOM) {}
};

inline Layouts read_layouts(const char* path) {
    Layouts layouts;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        layouts.starts.push_back(static_cast<std::int64_t>(layouts.text.size()));
        layouts.text.insert(layouts.text.end(), line.begin(), line.end());
    }
    layouts.starts.push_back(static_cast<std::int64_t>(layouts.text.size()));
    return layouts;
}

class Fnv1a {
  public:
    void add(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    template <class T> void add(const std::vector<T>& numbers) { add(numbers.data(), numbers.size() * sizeof(T)); }
    std::uint64_t value() const { return hash; }

  private:
    std::uint64_t hash = 0xcbf29ce484222325;
};

// Call a kernel until all layouts are solved. After each call, `seen(from, to)` is called with the range it has solved.
template <class Kernel, class Seen>
void solve_all(const Layouts& layouts, Results& results, Kernel kernel, Seen seen) {
    for (std::int64_t first = 0; first < layouts.size();) {
        const std::int64_t reached = kernel(layouts.text.data(), layouts.starts.data(), first, NO_LIMIT, results);
        seen(first, reached);
        first = reached;
    }
}

template <class Work> double seconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline void tell(double elapsed, std::uint64_t hash, const std::vector<std::int8_t>& verdicts) {
    std::int64_t times[UNDECIDED + 1] = {};
    for (const auto verdict : verdicts) ++times[verdict];
    std::printf("%.9f %016" PRIx64, elapsed, hash);
    for (int verdict = WINNABLE; verdict <= UNDECIDED; ++verdict) std::printf(" %" PRId64, times[verdict]);
    std::printf("\n");
}

// The main function of a port. The hash covers all evidence, then the arrays of verdicts, values and nodes.
template <class Kernel> int run(int words, char** word, std::int64_t longest, Kernel kernel) {
    if (words != 2) {
        std::fprintf(stderr, "usage: %s FILE\n", word[0]);
        return 2;
    }
    const Layouts layouts = read_layouts(word[1]);
    Results results(layouts.size(), longest);
    Fnv1a hash;
    solve_all(layouts, results, kernel, [&](auto, auto reached) {
        hash.add(results.evidence.data(), static_cast<std::size_t>(results.ends[reached - 1]));
    });
    hash.add(results.verdicts);
    hash.add(results.values);
    hash.add(results.nodes);
    const double elapsed = seconds([&] { solve_all(layouts, results, kernel, [](auto, auto) {}); });
    tell(elapsed, hash.value(), results.verdicts);
    return 0;
}
