#include "measure/benchmark_sources.h"

#include <sstream>
#include <string_view>

namespace nestor {

namespace {

std::string type_text(halide_type_t type) {
    return "halide_type_t((halide_type_code_t)" + std::to_string(static_cast<int>(type.code)) +
           ", " + std::to_string(type.bits) + ", " + std::to_string(type.lanes) + ")";
}

/** As a literal of C++ and of the assembler. */
std::string literal(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        }
    }
    return result + "\"";
}

std::string layout_text(const BufferLayout& layout) {
    std::ostringstream text;
    text << "{" << literal(layout.name) << ", " << type_text(layout.type) << ", {";
    for (const halide_dimension_t& dimension : layout.dimensions) {
        text << "{" << dimension.min << ", " << dimension.extent << ", " << dimension.stride
             << "}, ";
    }
    text << "}}";
    return text.str();
}

std::string contents_name(std::size_t argument) {
    return "nestor_contents_" + std::to_string(argument);
}

/** Puts a file's bytes under a name. */
std::string contents_source(std::size_t argument, const std::string& file) {
    const std::string name = contents_name(argument);
    const std::string directives = ".section .rodata\n.balign 16\n.global " + name + "\n" + name +
                                   ":\n.incbin " + literal(file) + "\n.previous\n";
    return "asm(" + literal(directives) + ");\nextern \"C\" const std::uint8_t " + name + "[];\n";
}

}  // namespace

std::string harness_source() {
    std::string text;
    for (std::size_t i = 0; i < kBenchmarkSources; i++) {
        const std::string_view name = benchmark_sources[i].name;
        if (name.ends_with(".cpp")) {
            text += "#include \"measure/" + std::string(name) + "\"\n";
        }
    }
    return text;
}

std::string main_source(const CallShape& shape, std::uint64_t seed, std::uint64_t garbage,
                        std::uint64_t identity, const std::map<std::string, std::string>& files) {
    std::ostringstream head;
    std::ostringstream rows;
    head << "#include \"measure/benchmark.h\"\n";
    for (std::size_t i = 0; i < shape.size(); i++) {
        const CallArgument& argument = shape[i];
        if (!argument.is_buffer) {
            rows << "        {false, false, {}, 0, nullptr, " << argument.scalar.u.u64 << "ULL},\n";
            continue;
        }
        const BufferShape& buffer = argument.buffer;
        const auto file = files.find(buffer.name);
        const bool from_file = !buffer.is_output && file != files.end();
        if (from_file) {
            head << contents_source(i, file->second);
        }
        rows << "        {true, " << (buffer.is_output ? "true, " : "false, ")
             << layout_text(layout_of(buffer)) << ", "
             << stream_of(buffer.name, buffer.is_output ? garbage : seed) << "ULL, "
             << (from_file ? contents_name(i) : "nullptr") << ", 0},\n";
    }
    head << "extern \"C\" int " << kReferenceFunction << "_argv(void**);\n"
         << "// A binary that computes the right result only has no candidate.\n"
         << "extern \"C\" __attribute__((weak)) int " << kCandidateFunction << "_argv(void**);\n\n"
         << "int main(int argc, char** argv) {\n    nestor::BenchmarkProgram program;\n"
         << "    program.arguments = {\n"
         << rows.str() << "    };\n"
         << "    program.reference = " << kReferenceFunction << "_argv;\n"
         << "    program.candidate = " << kCandidateFunction << "_argv;\n"
         << "    program.identity = " << identity << "ULL;\n"
         << "    program.set_error_handler = halide_set_error_handler;\n"
         << "    program.set_num_threads = halide_set_num_threads;\n"
         << "    program.set_malloc = halide_set_custom_malloc;\n"
         << "    program.set_free = halide_set_custom_free;\n"
         << "    return nestor::run_benchmark(program, argc, argv);\n}\n";
    return head.str();
}

}  // namespace nestor
