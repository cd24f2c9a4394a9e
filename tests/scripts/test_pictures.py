"""scripts/pictures.py: inputs of every layout from a photograph, pictures from outputs; make_inputs and
write_pictures around it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import pictures


def noise(height, width):
    return numpy.random.default_rng(1).integers(0, 255, (height, width, 3), numpy.uint8)


@pytest.mark.parametrize(
    "shape, kind", [((90, 70), "uint16"), ((3, 90, 70), "float32"), ((90, 70, 4), "uint8"), ((2, 5, 90, 70), "int16")]
)
def test_pictures_fill_inputs_of_every_layout(shape, kind):
    argument = {"name": "input", "extents": list(reversed(shape)), "type": kind}
    made = pictures.make_input(argument, noise(64, 64), {})
    assert made.shape == shape and made.dtype == kind
    assert made.std() > 0


def test_other_inputs_are_random_and_always_the_same():
    argument = {"name": "weights", "extents": [3, 3, 8], "type": "float32"}
    first = pictures.make_input(argument, None, {})
    assert (first == pictures.make_input(argument, None, {})).all()
    assert first.std() > 0.1


def test_wishes_are_granted_or_refused():
    argument = {"name": "kernel", "extents": [3], "type": "int16"}
    assert pictures.make_input(argument, None, {"values": [1, 2, 3]}).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="shape"):
        pictures.make_input(argument, None, {"values": [1, 2]})
    with pytest.raises(ValueError, match="role"):
        pictures.make_input(argument, None, {"role": "poem"})


def test_only_pictures_are_written_as_pictures(tmp_path):
    for name, array in {"grey": noise(20, 30)[:, :, 0], "planar": noise(20, 30).transpose(2, 0, 1)}.items():
        assert pictures.write_picture(array, tmp_path / f"{name}.png")
        assert Image.open(tmp_path / f"{name}.png").size == (30, 20)
    assert not pictures.write_picture(numpy.zeros(7), tmp_path / "row.png")


def test_from_arguments_to_pictures(tmp_path):
    photograph = tmp_path / "photograph.png"
    Image.fromarray(noise(120, 200)).save(photograph)
    folder = tmp_path / "inputs" / "blur"
    folder.mkdir(parents=True)
    rows = [
        {"name": "input", "kind": "input", "type": "uint8", "extents": [160, 96]},
        {"name": "gain", "kind": "scalar", "value": 2},
        {"name": "output", "kind": "output", "type": "uint8", "extents": [160, 96]},
    ]
    (folder / "arguments.json").write_text(json.dumps(rows))
    subprocess.run([sys.executable, SCRIPTS / "make_inputs.py", folder.parent, "--picture", photograph], check=True)
    made = numpy.load(folder / "input.npy")
    assert made.shape == (96, 160) and made.std() > 10

    answer = subprocess.run(
        [sys.executable, SCRIPTS / "write_pictures.py", folder.parent], check=True, capture_output=True, text=True
    )
    assert answer.stdout.strip() == str(folder / "input.png")
    assert (numpy.asarray(Image.open(folder / "input.png")) == made).all()
