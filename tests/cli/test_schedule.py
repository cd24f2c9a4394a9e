"""nestor schedule and nestor apply: printing, and files."""

import json

import pytest
from programs import PLUGIN, TINY, fail, names, nestor, run, succeed

TARGET = "x86-64-linux-avx2-no_runtime"


@pytest.fixture(params=["generator", "pipeline"])
def source(request):
    """Words that name the pipeline: by its generator, or by a file."""
    if request.param == "generator":
        return [TINY, "-g", "blur", "-t", TARGET]
    return [request.getfixturevalue("pipeline"), "-t", TARGET]


# 1. Printing.


def body(text):
    return text[text.index("using ::Halide::Var;") :].split("#endif")[0]


def test_prints_cpp(source):
    text = succeed("schedule", *source)
    assert "inline void apply_schedule_" in text
    assert "generator's own words" not in text, "stdout is for the schedule"


def test_generator_and_pipeline_give_the_same(pipeline):
    for form in ("python", "json"):
        one = succeed("schedule", TINY, "-g", "blur", "-t", TARGET, "--format", form)
        assert one == succeed("schedule", pipeline, "-t", TARGET, "--format", form)
    one = succeed("schedule", TINY, "-g", "blur", "-t", TARGET)
    assert body(one) == body(succeed("schedule", pipeline, "-t", TARGET))


def test_prints_python(source):
    compile(succeed("schedule", *source, "--format", "python"), "schedule", "exec")


def test_prints_json(source, schedule):
    assert succeed("schedule", *source, "--format", "json") == schedule.read_text()


def test_parameters_count(source):
    one = succeed("schedule", *source, "--format", "json", "autoscheduler.parallelism=1")
    assert one == succeed("schedule", *source, "--format", "json", "-p", "autoscheduler.parallelism=1")
    assert json.loads(one) != json.loads(succeed("schedule", *source, "--format", "json"))


def test_parameters_of_a_pipeline_need_no_prefix(pipeline):
    words = ["schedule", pipeline, "--format", "json"]
    assert succeed(*words, "--params", "parallelism=1") == succeed(*words, "autoscheduler.parallelism=1")


def test_parameters_of_the_generator(pipeline):
    words = ["schedule", TINY, "-g", "blur", "--format", "json"]
    assert json.loads(succeed(*words, "radius=3")) != json.loads(succeed(*words))


def test_save_is_kept(saved):
    assert names(saved) == ["output.args.json", "output.hlpipe", "output.schedule.json", "output.schedule.py"]


# 2. Generators with several names.


def test_list():
    assert succeed("schedule", TINY, "--list") == "blur\ntotal\n"
    assert json.loads(succeed("schedule", TINY, "--list", "--json")) == ["blur", "total"]


def test_a_choice_is_needed():
    assert "choose one with -g: blur, total" in fail("schedule", TINY)


def test_a_wrong_choice():
    assert "Generator not found: blurr" in fail("schedule", TINY, "-g", "blurr")


# 3. Files.


def test_default_files(source, tmp_path):
    succeed("schedule", *source, "-o", tmp_path / "new", "-f", "f")
    assert names(tmp_path / "new") == ["f.a", "f.h", "f.registration.cpp"]


def test_files(source, tmp_path):
    outputs = "object,c_header,assembly,stmt,stmt_html,llvm_assembly,bitcode,schedule,featurization,hlpipe"
    printed = succeed("schedule", *source, "-o", tmp_path, "-n", "name", "-f", "function", "-e", outputs)
    expected = ["bc", "featurization", "h", "hlpipe", "ll", "o", "s", "schedule.h", "stmt", "stmt.html"]
    written = [name for name in names(tmp_path) if not name.endswith(".args.json")]
    assert written == [f"name.{extension}" for extension in expected]
    assert set(printed.splitlines()) == {str(path) for path in tmp_path.iterdir()}
    header = (tmp_path / "name.h").read_text()
    arguments = header[header.index("int function(") :].split(")")[0]
    assert arguments.index("_input_buffer") < arguments.index("_offset") < arguments.index("_output")
    assert "parallel" in (tmp_path / "name.stmt").read_text()
    assert (tmp_path / "name.featurization").read_text().startswith("nestor-featurization 2 ")


def test_emitted_pipeline_is_unscheduled(source, tmp_path):
    succeed("schedule", *source, "-o", tmp_path, "-n", "again", "-e", "hlpipe")
    assert "pinned" not in succeed("dag", tmp_path / "again.hlpipe", "autoscheduler.default_extent=100")


def test_the_object_works(pipeline, tmp_path):
    """Compiled in process, linked, and run."""
    succeed("schedule", pipeline, "-t", "host", "-o", tmp_path, "-f", "blur", "-e", "static_library,c_header")
    (tmp_path / "main.cpp").write_text(
        """
        #include "blur.h"
        #include "HalideBuffer.h"
        int main() {
            Halide::Runtime::Buffer<uint8_t> input(101, 51), output(100, 50);
            input.for_each_element([&](int x, int y) { input(x, y) = x + 2 * y; });
            if (blur(input, 3, output) != 0) return 1;
            int wrong = 0;
            output.for_each_element([&](int x, int y) {
                int sum = input(x, y) + input(x + 1, y) + input(x, y + 1) + input(x + 1, y + 1) + 3;
                wrong += output(x, y) != (uint8_t)(sum / 4);
            });
            return wrong == 0 ? 0 : 2;
        }"""
    )
    import halide

    include = list(halide.__path__)[0] + "/include"
    flags = ["-std=c++17", "-I", include, "-I", tmp_path, tmp_path / "main.cpp", tmp_path / "blur.a"]
    built = run("c++", *flags, "-ldl", "-lpthread", "-o", tmp_path / "main")
    assert built.returncode == 0, built.stderr
    assert run(tmp_path / "main").returncode == 0


def test_existing_files_are_replaced(source, tmp_path):
    (tmp_path / "f.h").write_text("old")
    succeed("schedule", *source, "-o", tmp_path, "-f", "f", "-e", "c_header")
    assert "halide_buffer_t" in (tmp_path / "f.h").read_text()


@pytest.mark.parametrize("output", ["cpp_stub", "nonsense"])
def test_a_pipeline_cannot_be_compiled_to_everything(pipeline, output, tmp_path):
    assert "what can be emitted: assembly, " in fail("schedule", pipeline, "-e", output, "-o", tmp_path)
    assert names(tmp_path) == []


# 4. Replaying.


def test_apply_prints(source, schedule):
    text = succeed("apply", schedule, "--to", *source)
    assert body(text) == body(succeed("schedule", *source))
    assert succeed("apply", schedule, "--to", *source, "--format", "json") == schedule.read_text()


def test_apply_compiles(source, schedule, tmp_path):
    succeed("apply", schedule, "--to", *source, "-o", tmp_path, "-f", "f", "-e", "stmt")
    succeed("schedule", *source, "-o", tmp_path, "-f", "g", "-e", "stmt")
    loops = [
        [line.split("(")[0] for line in (tmp_path / name).read_text().splitlines() if " for " in line]
        for name in ("f.stmt", "g.stmt")
    ]
    assert loops[0] == loops[1]


def test_apply_changes_the_choice(pipeline, tmp_path):
    words = [pipeline, "--format", "json"]
    kept = tmp_path / "kept.json"
    kept.write_text(succeed("schedule", *words, "parallelism=1"))
    assert succeed("apply", kept, "--to", *words) == kept.read_text()


def test_apply_refuses_another_algorithm(schedule, pipeline, tmp_path):
    message = fail("apply", schedule, "--to", TINY, "-g", "total", "-o", tmp_path)
    assert "another" in message or "other" in message
    assert names(tmp_path) == []


# 5. The plug-in.


def test_plugin_is_found_where_it_is_named(tmp_path):
    words = ["schedule", TINY, "-g", "blur"]
    for given in (PLUGIN, PLUGIN.parent):
        succeed(*words, "--plugin", given)
        succeed(*words, env={"NESTOR_PLUGIN": str(given)})
    assert "which --plugin names" in fail(*words, "--plugin", tmp_path)
    assert "NESTOR_PLUGIN names" in fail(*words, env={"NESTOR_PLUGIN": "/nowhere"})


def test_target_from_the_environment(pipeline):
    words = ["explain", pipeline, "--json"]
    target = json.loads(succeed(*words, env={"HL_TARGET": "x86-64-linux-sse41"}))["target"]
    assert target == "x86-64-linux-sse41"


# 6. Wrong usage.


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["schedule"],
        ["schedule", TINY, "--nonsense"],
        ["schedule", TINY, "-g"],
        ["schedule", TINY, "-g", "blur", "--format", "fortran"],
        ["schedule", TINY, "-g", "blur", "--format", "json", "-e", "object"],
        ["schedule", TINY, "-g", "blur", "--json"],
        ["schedule", TINY, "-g", "blur", "parallelism"],
        ["schedule", TINY, "-g", "blur", "=8"],
        ["schedule", TINY, "-g", "blur", "autoscheduler=Adams2019"],
        ["schedule", TINY, "-g", "blur", "-t", "host", "target=x86-64-linux"],
        ["schedule", "x.hlpipe", "-g", "blur"],
        ["schedule", "x.hlpipe", "--list"],
        ["apply", "x.json"],
        ["dag", "x.hlpipe", "extra"],
    ],
    ids=lambda words: " ".join(str(word) for word in words[-3:]) or "nothing",
)
def test_usage(arguments):
    assert "--help" in fail(*arguments, code=2)


@pytest.mark.parametrize("command", [[], *[[c] for c in "schedule apply dag explain generate doctor".split()]])
def test_help(command):
    text = succeed(*command, "--help")
    assert "nestor " + (command[0] if command else "schedule") in text.split("Examples:")[-1]


def test_version():
    assert succeed("--version").startswith("nestor 0.")


def test_output_that_cannot_be_written(pipeline):
    with open("/dev/full", "w") as full:
        answer = nestor("dag", pipeline, capture_output=False, stdout=full, stderr=-1)
    assert answer.returncode == 1 and "cannot write to standard output" in answer.stderr
