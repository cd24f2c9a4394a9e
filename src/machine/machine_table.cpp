#include "machine/machine_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace nestor {

namespace {

using Row = std::vector<std::string>;

std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    return text;
}

/** "12 e"; "-" if unknown. `unit` divides the value. */
std::string cell(const Quantity& quantity, double unit = 1) {
    switch (quantity.evidence) {
        case Evidence::None:
            return "-";
        case Evidence::Measured:
            return rounded(quantity.value / unit);
        case Evidence::Documented:
            return rounded(quantity.value / unit) + " d";
        default:
            return rounded(quantity.value / unit) + " e";
    }
}

class Writer {
  public:
    explicit Writer(MachineTable style) : style_(style) {}

    void title(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text + "\n\n"; }

    /** The first row is the head; the first `names` columns are texts, the others numbers. */
    void table(const std::vector<Row>& rows, std::size_t names = 1) {
        std::vector<std::size_t> widths(rows.front().size(), 0);
        for (const Row& row : rows) {
            for (std::size_t i = 0; i < row.size(); i++) {
                widths[i] = std::max(widths[i], row[i].size());
            }
        }
        for (const Row& row : rows) {
            line(row, widths, names);
            if (&row == &rows.front() && style_ == MachineTable::Markdown) {
                text_ += "|";
                for (std::size_t i = 0; i < row.size(); i++) {
                    text_ += i < names ? "---|" : "---:|";
                }
                text_ += "\n";
            }
        }
    }

    [[nodiscard]] std::string text() const { return text_; }

  private:
    void line(const Row& row, const std::vector<std::size_t>& widths, std::size_t names) {
        std::string text = style_ == MachineTable::Markdown ? "|" : "";
        for (std::size_t i = 0; i < row.size(); i++) {
            const std::string pad(widths[i] - row[i].size(), ' ');
            if (style_ == MachineTable::Markdown) {
                text += " " + row[i] + " |";
            } else {
                text += (i == 0 ? "" : "  ") + (i < names ? row[i] + pad : pad + row[i]);
            }
        }
        while (text.ends_with(' ')) {
            text.pop_back();
        }
        text_ += text + "\n";
    }

    MachineTable style_;
    std::string text_;
};

std::vector<Width> known_widths(const Machine& machine) {
    std::vector<Width> widths;
    for (std::size_t i = 0; i < kWidths; i++) {
        const auto width = static_cast<Width>(i);
        if (machine.load[width].known()) {
            widths.push_back(width);
        }
    }
    return widths;
}

std::string width_title(Width width) {
    return width == Width::Scalar ? name_of(width) : name_of(width) + std::string(" bytes");
}

void arithmetic(const Machine& machine, Writer& writer) {
    writer.title("Arithmetic: cycles of one instruction when many are independent / its latency");
    const std::vector<Width> widths = known_widths(machine);
    std::vector<Row> rows = {{"operation", "type"}};
    for (const Width width : widths) {
        rows.front().push_back(width_title(width));
    }
    for (std::size_t i = 0; i < kArithmetic; i++) {
        for (std::size_t j = 0; j < kElementTypes; j++) {
            const auto operation = static_cast<Arithmetic>(i);
            const auto type = static_cast<ElementType>(j);
            if (!applies(operation, type)) {
                continue;
            }
            Row row = {name_of(operation), name_of(type)};
            for (const Width width : widths) {
                const ArithmeticCost& cost = machine.operations[operation][type][width];
                row.push_back(cell(cost.cycles) +
                              (has_latency(operation) ? " / " + cell(cost.latency) : ""));
            }
            rows.push_back(row);
        }
    }
    writer.table(rows, 2);
}

void accesses(const Machine& machine, Writer& writer) {
    writer.title("Loads and stores out of L1: cycles of one");
    std::vector<Row> rows = {{""}, {"load"}, {"store"}};
    for (const Width width : known_widths(machine)) {
        rows[0].push_back(width_title(width));
        rows[1].push_back(cell(machine.load[width]));
        rows[2].push_back(cell(machine.store[width]));
    }
    writer.table(rows);
    writer.title(
        "Of a gathered element, and in half vectors; of a vector of every n-th element; of a "
        "vector stored among n - 1 others");
    rows = {{"type", "gather", "in half", "every 2nd", "3rd", "4th", "among 2", "3", "4"}};
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        Row row = {name_of(type), cell(machine.gather[type]), cell(machine.narrow_gather[type])};
        for (const auto* table : {&machine.strided_load, &machine.interleave}) {
            for (const Quantity& quantity : (*table)[type].values) {
                row.push_back(cell(quantity));
            }
        }
        rows.push_back(row);
    }
    writer.table(rows);
}

void memory(const Machine& machine, Writer& writer) {
    writer.title("Caches");
    std::vector<Row> rows = {{"level", "KiB", "cores that share it", "bytes a cycle, one core"}};
    const CacheLevel* levels[] = {&machine.l1, &machine.l2, &machine.l3};
    for (int i = 0; i < 3; i++) {
        rows.push_back({"L" + std::to_string(i + 1), cell(levels[i]->bytes, 1024),
                        cell(levels[i]->cores), cell(levels[i]->read)});
    }
    writer.table(rows);
    writer.title("Memory: GB/s of all threads together");
    rows = {{"threads", "read", "triad"}};
    for (std::size_t i = 0; i < kThreads; i++) {
        const auto threads = static_cast<Threads>(i);
        const Bandwidth& bandwidth = machine.dram[threads];
        if (bandwidth.read.known()) {
            rows.push_back(
                {name_of(threads), cell(bandwidth.read, 1e9), cell(bandwidth.triad, 1e9)});
        }
    }
    writer.table(rows);
}

void costs(const Machine& machine, Writer& writer) {
    writer.title("Processor and costs");
    writer.table({
        {"what", "value"},
        {"clock, GHz", cell(machine.clock, 1e9)},
        {"cores", cell(machine.cores)},
        {"vector registers", cell(machine.registers)},
        {"natural vector, bytes", cell(machine.vector_bytes[ElementType::Float32])},
        {"first touch of a page, ns", cell(machine.page_fault, 1e-9)},
        {"allocation and release, ns", cell(machine.allocation, 1e-9)},
        {"parallel loop, us", cell(machine.launch, 1e-6)},
        {"one more task in it, ns", cell(machine.task, 1e-9)},
    });
}

}  // namespace

std::string machine_table(const Machine& machine, MachineTable style) {
    Writer writer(style);
    writer.title(machine.cpu + ", " + machine.target +
                 (machine.date.empty() ? "" : ", " + machine.date) +
                 ". Measured, unless a letter follows: d documented, e estimated.");
    costs(machine, writer);
    arithmetic(machine, writer);
    accesses(machine, writer);
    memory(machine, writer);
    return writer.text();
}

}  // namespace nestor
