#pragma once
// One walk over all quantities of a Machine, for all that reads, writes, prints or checks them.

#include <string>

#include "machine/machine.h"

namespace nestor {

/** Calls visit(name, quantity) for each quantity, in a fixed order. Names are paths:
 * "operation.add.float32.64.cycles". `SomeMachine` is Machine or const Machine. */
template <class SomeMachine, class Visit>
void for_each_quantity(SomeMachine& machine, Visit&& visit);

namespace walk_detail {

template <class Key, std::size_t size, class Do>
void for_each_key(const Do& act) {
    for (std::size_t i = 0; i < size; i++) {
        act(static_cast<Key>(i));
    }
}

template <class Do>
void for_each_type(const Do& act) {
    for_each_key<ElementType, kElementTypes>(act);
}

template <class Do>
void for_each_width(const Do& act) {
    for_each_key<Width, kWidths>(act);
}

template <class SomeMachine, class Visit>
void walk_operations(SomeMachine& machine, Visit& visit) {
    for_each_key<Arithmetic, kArithmetic>([&](Arithmetic operation) {
        for_each_type([&](ElementType type) {
            if (!applies(operation, type)) {
                return;
            }
            for_each_width([&](Width width) {
                auto& cost = machine.operations[operation][type][width];
                const std::string name = std::string("operation.") + name_of(operation) + "." +
                                         name_of(type) + "." + name_of(width) + ".";
                visit(name + "cycles", cost.cycles);
                if (has_latency(operation)) {
                    visit(name + "latency", cost.latency);
                }
            });
        });
    });
}

template <class SomeMachine, class Visit>
void walk_accesses(SomeMachine& machine, Visit& visit) {
    for_each_width([&](Width width) {
        visit(std::string("load.") + name_of(width), machine.load[width]);
        visit(std::string("store.") + name_of(width), machine.store[width]);
    });
    for_each_type([&](ElementType type) {
        const std::string of_type = name_of(type);
        visit("gather." + of_type, machine.gather[type]);
        visit("narrow_gather." + of_type, machine.narrow_gather[type]);
        for_each_key<Stride, kStrides>([&](Stride stride) {
            const std::string name = of_type + "." + name_of(stride);
            visit("strided_load." + name, machine.strided_load[type][stride]);
            visit("interleave." + name, machine.interleave[type][stride]);
        });
    });
}

template <class Level, class Visit>
void walk_cache(const std::string& name, Level& level, Visit& visit) {
    visit(name + ".bytes", level.bytes);
    visit(name + ".cores", level.cores);
    visit(name + ".read", level.read);
}

template <class SomeMachine, class Visit>
void walk_memory(SomeMachine& machine, Visit& visit) {
    visit("line_bytes", machine.line_bytes);
    visit("streams", machine.streams);
    walk_cache("l1", machine.l1, visit);
    walk_cache("l2", machine.l2, visit);
    walk_cache("l3", machine.l3, visit);
    for_each_key<Threads, kThreads>([&](Threads threads) {
        auto& bandwidth = machine.dram[threads];
        const std::string name = std::string("dram.") + name_of(threads);
        visit(name + ".read", bandwidth.read);
        visit(name + ".triad", bandwidth.triad);
    });
    visit("page_bytes", machine.page_bytes);
    visit("page_fault", machine.page_fault);
    visit("allocation", machine.allocation);
}

}  // namespace walk_detail

template <class SomeMachine, class Visit>
void for_each_quantity(SomeMachine& machine, Visit&& visit) {
    visit("clock", machine.clock);
    visit("cores", machine.cores);
    visit("registers", machine.registers);
    walk_detail::for_each_type([&](ElementType type) {
        visit(std::string("vector_bytes.") + name_of(type), machine.vector_bytes[type]);
    });
    walk_detail::walk_operations(machine, visit);
    walk_detail::walk_accesses(machine, visit);
    walk_detail::walk_memory(machine, visit);
    visit("launch", machine.launch);
    visit("task", machine.task);
}

}  // namespace nestor
