// Unusual types and values: narrow, wide, half and boolean types, wraparound, strict floats.
#include "support/pipelines.h"
#include "variables.h"

namespace nestor::testing {

namespace {

using namespace Halide;

BuiltPipeline cast_chain() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 66}, {0, 48}});
    Func a("a"), d("d"), e("e"), out("out");
    a(x, y) = cast<int16_t>(in(x, y)) - cast<int16_t>(in(x + 1, y));
    d(x, y) = cast<float>(a(x, y)) * 0.5f;
    e(x, y) = cast<double>(d(x, y)) + cast<double>(a(x + 1, y));
    out(x, y) = cast<uint8_t>(cast<int32_t>(e(x, y)) & 255);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline unsigned_wraparound() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 66}, {0, 48}});
    Func product("product"), out("out");
    product(x, y) = in(x, y) * in(x + 1, y) - cast<uint8_t>(200);
    out(x, y) = cast<uint16_t>(product(x, y)) * cast<uint16_t>(40000) - product(x + 1, y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline wide_integers() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(64), "in", {{0, 64}, {0, 48}});
    ImageParam mask = b.image(UInt(64), "mask", {{0, 64}});
    Func mixed("mixed"), out("out");
    mixed(x, y) = cast<uint64_t>(in(x, y)) * Expr(uint64_t{0x9e3779b97f4a7c15ULL});
    out(x, y) = (mixed(x, y) >> 17) ^ mask(x) ^ mixed(x + 1, y);
    b.output(out, {{0, 63}, {0, 48}});
    return b.finish();
}

BuiltPipeline doubles() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(64), "in", {{-1, 66}, {-1, 50}});
    Func blurred("blurred"), out("out");
    blurred(x, y) = (in(x - 1, y) + in(x, y) + in(x + 1, y)) / Expr(3.0);
    out(x, y) = sqrt(abs(blurred(x, y - 1) - blurred(x, y + 1)));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline half_floats() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(16), "in", {{0, 66}, {0, 48}});
    Func doubled("doubled"), out("out");
    doubled(x, y) = in(x, y) * cast(Float(16), 2) + cast(Float(16), 0.5f);
    out(x, y) = max(doubled(x, y), doubled(x + 1, y));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline brain_floats() {
    PipelineBuilder b;
    ImageParam in = b.image(BFloat(16), "in", {{0, 66}, {0, 48}});
    Func wide("wide"), out("out");
    wide(x, y) = cast<float>(in(x, y)) * 3.0f;
    out(x, y) = cast(BFloat(16), wide(x, y) + wide(x + 1, y));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline booleans() {
    PipelineBuilder b;
    ImageParam left = b.image(Bool(), "left", {{0, 66}, {0, 48}});
    ImageParam right = b.image(Int(8), "right", {{0, 66}, {0, 48}});
    Func both("both"), out("out");
    both(x, y) = left(x, y) && right(x, y) > 0;
    out(x, y) = (both(x, y) || both(x + 1, y)) && !left(x + 1, y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline boolean_parameter() {
    PipelineBuilder b;
    Param<bool> invert = b.scalar<bool>("invert", {true, false});
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func chosen("chosen"), out("out");
    chosen(x, y) = select(invert, cast<uint8_t>(255) - in(x, y), in(x, y) / 2);
    out(x, y) = chosen(x, y) / 2 + chosen(x + 1, y) / 2;
    b.output(out, {{0, 63}, {0, 48}});
    return b.finish();
}

BuiltPipeline parameters_of_all_types() {
    PipelineBuilder b;
    Param<int8_t> offset = b.scalar<int8_t>("offset", {-3, 127});
    Param<uint16_t> gain = b.scalar<uint16_t>("gain", {40000, 1});
    Param<int64_t> large = b.scalar<int64_t>("large", {int64_t{1} << 40, -7});
    Param<double> exact = b.scalar<double>("exact", {0.25, -1.5});
    Param<float> single = b.scalar<float>("single", {1.5f, 0.0f});
    ImageParam in = b.image(UInt(8), "in", {{0, 64}, {0, 48}});
    Func integers("integers"), out("out");
    integers(x, y) = cast<int64_t>(in(x, y)) * cast<int64_t>(gain) + large + cast<int64_t>(offset);
    out(x, y) = cast<double>(integers(x, y)) * exact + cast<double>(single);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// Saturating and fixed-point idioms, whose vector forms differ most from the scalar ones.
BuiltPipeline fixed_point() {
    PipelineBuilder b;
    ImageParam in = b.image(Int(16), "in", {{0, 66}, {0, 48}});
    Func high("high"), out("out");
    high(x, y) = cast<int16_t>((cast<int32_t>(in(x, y)) * 23170 + (1 << 14)) >> 15);
    out(x, y) =
        saturating_cast<int8_t>(rounding_shift_right(saturating_add(high(x, y), in(x + 1, y)), 4));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline averages_and_differences() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(8), "in", {{0, 66}, {0, 48}});
    Func average("average"), difference("difference"), out("out");
    average(x, y) = rounding_halving_add(in(x, y), in(x + 1, y));
    difference(x, y) = absd(in(x, y), average(x, y));
    out(x, y) = saturating_sub(average(x, y), difference(x, y)) | (in(x, y) & 1);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// A compensated sum: any reassociation shows, so results must repeat to the bit.
BuiltPipeline strict_compensated_sum() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 70}, {0, 40}});
    RDom r(0, 70, "r");
    Func kahan("kahan");
    kahan(y) = Tuple(0.0f, 0.0f);
    const Expr value = in(r, y) * 0.1f;
    const Expr corrected = strict_float(value - kahan(y)[1]);
    const Expr total = strict_float(kahan(y)[0] + corrected);
    kahan(y) = Tuple(total, strict_float(strict_float(total - kahan(y)[0]) - corrected));
    b.output(kahan, {{0, 40}});
    b.expect().exact_floats = true;
    return b.finish();
}

BuiltPipeline strict_stencil() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 66}, {0, 48}});
    Func scaled("scaled"), out("out");
    scaled(x, y) = strict_float(in(x, y) * 0.3f + 0.1f);
    out(x, y) = strict_float(strict_float(scaled(x, y) + scaled(x + 1, y)) - scaled(x + 2, y));
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().exact_floats = true;
    return b.finish();
}

BuiltPipeline transcendental() {
    PipelineBuilder b;
    ImageParam in = b.image(Float(32), "in", {{0, 66}, {0, 48}});
    Func curve("curve"), out("out");
    curve(x, y) = exp(in(x, y)) + log(abs(in(x, y)) + 1.0f) + sin(in(x, y)) * tanh(in(x, y));
    out(x, y) = pow(abs(curve(x, y)) + 0.5f, 1.5f) - fast_inverse(abs(curve(x + 1, y)) + 1.0f);
    b.output(out, {{0, 64}, {0, 48}});
    b.expect().relative_tolerance = 5e-3;
    return b.finish();
}

// Halide defines division and remainder by zero as zero.
BuiltPipeline division_by_zero() {
    PipelineBuilder b;
    const PipelineBuilder::InputOptions small{InputSize::Required, {}, {-2, 2}};
    ImageParam in = b.image(Int(32), "in", {{0, 66}, {0, 48}}, small);
    Func quotient("quotient"), out("out");
    quotient(x, y) = (x * 7 - 100) / in(x, y);
    out(x, y) = quotient(x, y) + (y * 5) % in(x + 1, y);
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

BuiltPipeline bit_tricks() {
    PipelineBuilder b;
    ImageParam in = b.image(UInt(32), "in", {{0, 64}, {0, 48}});
    Func mixed("mixed"), out("out");
    mixed(x, y) = (in(x, y) << 5) ^ (in(x, y) >> 3) ^ ~cast<uint32_t>(y);
    out(x, y) =
        cast<uint8_t>(popcount(mixed(x, y))) + cast<uint8_t>(count_leading_zeros(mixed(x, y) | 1u));
    b.output(out, {{0, 64}, {0, 48}});
    return b.finish();
}

// A run-time check inside an expression, and one of the whole pipeline.
BuiltPipeline requirements() {
    PipelineBuilder b;
    Param<int> divisor = b.scalar<int>("divisor", {5, 2});
    ImageParam in = b.image(Int(32), "in", {{0, 64}, {0, 48}});
    Func checked("checked"), out("out");
    checked(x, y) = in(x, y) / require(divisor > 0, divisor, "the divisor must be positive");
    out(x, y) = checked(x, y) + checked(x + 1, y);
    b.output(out, {{0, 63}, {0, 48}});
    BuiltPipeline built = b.finish();
    built.pipeline.add_requirement(divisor < 100, "the divisor must be small");
    return built;
}

}  // namespace

std::vector<TestPipeline> type_pipelines() {
    return {
        {"cast_chain", "types", cast_chain},
        {"unsigned_wraparound", "types", unsigned_wraparound},
        {"wide_integers", "types", wide_integers},
        {"doubles", "types", doubles},
        {"half_floats", "types", half_floats},
        {"brain_floats", "types", brain_floats},
        {"booleans", "types", booleans},
        {"boolean_parameter", "scalar parameter", boolean_parameter},
        {"parameters_of_all_types", "scalar parameter", parameters_of_all_types},
        {"fixed_point", "types", fixed_point},
        {"averages_and_differences", "types", averages_and_differences},
        {"strict_compensated_sum", "strict_float", strict_compensated_sum},
        {"strict_stencil", "strict_float", strict_stencil},
        {"transcendental", "types", transcendental},
        {"division_by_zero", "types", division_by_zero},
        {"bit_tricks", "types", bit_tricks},
        {"requirements", "run-time check", requirements},
    };
}

}  // namespace nestor::testing
