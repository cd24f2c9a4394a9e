#pragma once
// What it costs a body to load or store one vector, by how its elements lie in memory.

#include <span>
#include <vector>

#include "cost/body.h"

namespace nestor {

/** Of one vector, in the core: what comes from which cache is another matter. */
struct Access {
    double cycles = 0;
    double instructions = 0;
    bool scattered = false;  // element by element
    bool apart = false;      // taken from whole vectors, wherever these begin
};

class Accesses {
  public:
    /** Keeps references. */
    Accesses(ScheduleFacts& facts, const NestFacts& nest, const Body& body);

    /** Of one member of a family; steps in the vector included. */
    [[nodiscard]] Access load(const Family& family, ElementType type, double lanes) const;
    /** Of what the nest writes. */
    [[nodiscard]] Access own(ElementType type, double lanes, bool store) const;

  private:
    // What is accessed, at which functions of the nest's loops. The rest as in Family.
    struct Elements {
        Source source;
        int index;
        const std::vector<Coordinate>& coords;
        std::span<const double> box;
        double members;
    };

    [[nodiscard]] Access one(const Elements& elements, ElementType type, double lanes,
                             bool store) const;
    [[nodiscard]] double far_apart(const Elements& elements, ElementType type, double lanes,
                                   double rate) const;
    [[nodiscard]] Access with_steps(const Elements& elements, ElementType type, double lanes) const;
    [[nodiscard]] Access whole(ElementType type, double lanes, bool store) const;
    [[nodiscard]] Access spread(ElementType type) const;
    [[nodiscard]] double natural_vectors(ElementType type, double lanes) const;
    [[nodiscard]] double apart_with_steps(const Elements& elements) const;
    [[nodiscard]] double waits(const Elements& elements, bool known) const;
    [[nodiscard]] bool along_runs(const Elements& elements) const;
    [[nodiscard]] bool is_shuffled(const Elements& elements) const;
    [[nodiscard]] bool all_between(const Elements& elements, double rate) const;
    [[nodiscard]] bool knows(const Steps& steps) const;
    [[nodiscard]] double stride(const Elements& elements, std::size_t dim) const;

    ScheduleFacts& facts_;
    const Machine& machine_;
    const NestFacts& nest_;
    const Body& body_;
};

}  // namespace nestor
