#pragma once
// Pipelines as hand-made PipelineDag values, and short ways to write schedules for them.

#include <string>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor::samples {

/** blur_x(x, y) = sum of input(x .. x + 2, y); blur_y(x, y) = sum of blur_x(x, y .. y + 2), 1920 x
 * 1080. 0 input_im, 1 blur_x, 2 blur_y. */
PipelineDag blur();

/** rows(x, y) = sum of input(x .. x + 2, y); out(x, y) = sum of weights(i) * rows(x, y + i), i in
 * 0 .. 2. 0 input_im, 1 weights, 2 rows, 3 out. */
PipelineDag weighted_blur();

/** hist(i) = 0; hist(input(r.x, r.y)) += 1, r over 1024 x 512; out(x, y) = hist(input(x, y)).
 *  0 input_im, 1 hist, 2 out. */
PipelineDag histogram();

/** prod(x, y) = 0; prod(x, y) += a(k, y) * b(x, k), k over 256; out(x, y) = max(prod(x, y), 0), 512
 * x 384. 0 a_im, 1 b_im, 2 prod, 3 out. */
PipelineDag matmul();

/** total(y) = 0; total(y) += input(r, y), r over 1000 (at the estimates); out(y) = total(y), y over
 * 64. 0 input_im, 1 total, 2 out. */
PipelineDag sums();

/** down(x, y) = average of input(2x .. 2x + 1, y); up(x, y) = down(x / 2, y); out = input - up,
 * 1000 x 64. 0 input_im, 1 down, 2 up, 3 out. */
PipelineDag pyramid();

/** Two functions called "sum", a scan that depends on its order, a pinned and an extern function.
 *  0 input_im, 1 sum, 2 sum#1 (a scan over r), 3 user (pinned), 4 foreign (extern, reads 1), 5 out
 * (a tuple). */
PipelineDag zoo();

/** pair(x, y) = {input(x, y), sum(x, y)}; out(x, y) = pair(x, y)[0]: nobody reads what sum, a
 * function with an update, is for. 0 input_im, 1 sum, 2 cheap(x, y) = sum(x, y), 3 pair, 4 out. */
PipelineDag dead_element();

/** up(x, y) = inside(x, y); out(x, y) = up(x, y), and the user computes inside at a loop of out.
 * 0 input_im, 1 inside (pinned), 2 up, 3 out (pinned). */
PipelineDag user_inside();

/** blur() with a second output, 3, that does the same. Not in all(). */
PipelineDag siblings();

std::vector<PipelineDag> all();

/** Index of a function by its text. */
int find(const PipelineDag& dag, const std::string& function);

/** The nest of a stage. */
LoopNest& nest(Schedule& schedule, int function, int stage = 0);

/** Splits dimension `dim` once more; returns the new innermost loop. */
LoopRef split(LoopNest& nest, int dim, std::int64_t factor, Tail tail = Tail::Auto);

/** Vectors of 16 along the first dimension with four steps each of the third, as of matmul's sums.
 */
void sum_in_vectors(LoopNest& nest);

/** Appends a derived function; returns its index. */
int derive(const PipelineDag& dag, Schedule& schedule, Derivation derivation);

}  // namespace nestor::samples
