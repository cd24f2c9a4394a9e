// nestor dag

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "halide/read_pipeline.h"

namespace nestor {

namespace {

constexpr const char* kDagExamples = R"(
Examples:
  nestor dag build/harris.generator -g harris
      the computational graph, one line a definition, inputs with their sizes
  nestor dag saved/harris.hlpipe --json
      the same for a script
  nestor dag build/blur.generator -g blur autoscheduler.default_extent=1000
      assumes an extent where an estimate is missing

A generator runs once for this, and hands its pipeline over through the plug-in.)";

struct DagCommand {
    RequestOptions request;
    bool json = false;
};

Status run(const DagCommand& options) {
    const Result<OpenedPipeline> opened = open_pipeline(read_request(options.request));
    if (!opened.ok()) {
        return Error{opened.error()};
    }
    const Result<PipelineDag> dag =
        read_pipeline(opened.value().loaded.pipeline, opened.value().target,
                      {opened.value().params.default_extent});
    if (!dag.ok()) {
        return Error{options.request.path + ": " + dag.error()};
    }
    std::cout << (options.json ? print_json(dag.value()) : print(dag.value()));
    return Ok{};
}

}  // namespace

Action define_dag(CLI::App& app) {
    const auto options = std::make_shared<DagCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    app.add_flag("--json", options->json, "as JSON");
    app.footer(kDagExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
