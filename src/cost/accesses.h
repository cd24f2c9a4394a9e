#pragma once
// What it costs a body to load or store one vector, by how its elements lie in memory.

#include <vector>

#include "cost/body.h"

namespace nestor {

/** Of one vector, in the core: what comes from which cache is another matter. */
struct Access {
    double cycles = 0;
    double instructions = 0;
    bool scattered = false;  // element by element
};

class Accesses {
  public:
    /** Keeps references. */
    Accesses(ScheduleFacts& facts, const NestFacts& nest, const Body& body);

    /** Of elements at `coords`, functions of the nest's loops; steps in the vector included. */
    [[nodiscard]] Access load(Source source, int index, const std::vector<Coordinate>& coords,
                              ElementType type, double lanes) const;
    /** Of what the nest writes. */
    [[nodiscard]] Access own(ElementType type, double lanes, bool store) const;

  private:
    [[nodiscard]] Access one(Source source, int index, const std::vector<Coordinate>& coords,
                             ElementType type, double lanes, bool store) const;
    [[nodiscard]] Access with_steps(Source source, int index, const std::vector<Coordinate>& coords,
                                    ElementType type, double lanes) const;
    [[nodiscard]] Access whole(ElementType type, double lanes, bool store) const;
    [[nodiscard]] Access spread(ElementType type) const;
    [[nodiscard]] double natural_vectors(ElementType type, double lanes) const;
    [[nodiscard]] double apart_with_steps(Source source, int index,
                                          const std::vector<Coordinate>& coords) const;
    [[nodiscard]] double waits(Source source, int index, const std::vector<Coordinate>& coords,
                               bool known) const;
    [[nodiscard]] bool along_runs(Source source, int index,
                                  const std::vector<Coordinate>& coords) const;
    [[nodiscard]] bool all_between(Source source, int index, const std::vector<Coordinate>& coords,
                                   double rate) const;
    [[nodiscard]] bool knows(const Steps& steps) const;
    [[nodiscard]] double stride(Source source, int index, std::size_t dim) const;

    ScheduleFacts& facts_;
    const Machine& machine_;
    const NestFacts& nest_;
    const Body& body_;
};

}  // namespace nestor
