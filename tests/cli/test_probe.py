"""nestor probe, without measuring, and which machine a schedule is made for."""

import json

import pytest
from programs import TINY, fail, nestor, succeed


def shown(target, **options):
    answer = nestor("probe", "--show", "--json", "--target", target, **options)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def value(machine, name):
    return {row[0]: row[1] for row in machine["quantities"]}[name]


@pytest.mark.parametrize(
    "target, vector_bytes",
    [
        ("x86-64-linux-sse41", 16),
        ("x86-64-linux-avx-avx2-f16c-fma-sse41", 32),
        ("x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41", 64),
        ("arm-64-linux", 16),
        ("riscv-64-linux-rvv-vector_bits_256", 32),
        ("wasm-32-wasmrt-wasm_simd128", 16),
        ("hexagon-32-qurt-hvx-hvx_128", 128),
    ],
)
def test_the_target_chooses_the_profile(target, vector_bytes):
    machine = shown(target)
    assert machine["format"] == "nestor machine 1"
    assert value(machine, "vector_bytes.int8") == vector_bytes
    assert {row[2] for row in machine["quantities"]} <= {"measured", "documented", "estimated"}


def test_tables():
    text = succeed("probe", "--show", "--target", "arm-64-linux")
    assert "Neoverse N1" in text and "square_root" in text
    assert "|---|" in succeed("probe", "--show", "--markdown", "--target", "arm-64-linux")


def test_other_machines_cannot_be_probed():
    assert "only the host" in fail("probe", "--target", "hexagon-32-qurt-hvx-hvx_128", "-o", "/dev/null")
    assert "target" in fail("probe", "--target", "pdp-11")


def test_the_cache_is_used_and_can_be_left_aside(tmp_path):
    target = "x86-64-linux-avx-avx2-f16c-fma-sse41"
    machine = shown(target)
    machine["quantities"].append(["l2.bytes", 123456789, "measured"])
    kept = tmp_path / "nestor" / "machines" / "x86_avx2.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps(machine))
    here = {"XDG_CACHE_HOME": str(tmp_path)}
    assert value(shown(target, env=here), "l2.bytes") == 123456789
    assert value(shown("arm-64-linux", env=here), "l2.bytes") != 123456789

    blur = ("schedule", TINY, "-g", "blur", "-t", target)
    kept.write_text("{}")
    assert "x86_avx2.json is not a machine file" in fail(*blur, env=here)
    succeed(*blur, "autoscheduler.machine=shipped", env=here)


def test_machine_files(tmp_path):
    file = tmp_path / "arm.json"
    file.write_text(succeed("probe", "--show", "--json", "--target", "arm-64-linux"))
    blur = ("schedule", TINY, "-g", "blur")
    succeed(*blur, "-t", "arm-64-linux", f"autoscheduler.machine={file}")
    refusal = fail(*blur, "-t", "x86-64-linux-sse41", f"autoscheduler.machine={file}")
    assert "arm-64-linux" in refusal and "x86_sse41 is wanted" in refusal
    assert "none.json" in fail(*blur, "-t", "arm-64-linux", f"autoscheduler.machine={tmp_path}/none.json")
