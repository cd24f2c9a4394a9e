"""The cost model against the schedules that were measured (data/, scripts/collect.py): its ranks must not get worse. On the
shipped profiles of the machines that they were measured on, so that the answer is the same everywhere."""

import pathlib
import statistics
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import model_error

INTEL = "x86-64-linux-avx-avx2-avx512-avx512_cannonlake-avx512_sapphirerapids-avx512_skylake-avxvnni-f16c-fma-sse41"
TARGETS = {
    "emerald_rapids": INTEL,
    "granite_rapids": INTEL,
    "sapphire_rapids": INTEL,
    "zen_4": "x86-64-linux-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-sse41",
}

# Rank correlations of predicted and measured time within four times of the fastest, a little below what they are
# (docs/RESULTS.md). Raise them when the model gets better; a model that is better on the whole may lower one of them, and
# so may more data (of Zen 4, 675 schedules more with the same model: interpolate from 0.82 to 0.73, warp from 0.81 to 0.74,
# optical_flow from 0.39 to 0.59).
LEAST = {
    # Trials of tuning (scripts/collect_trials.py), which are near what the model takes for the best: below 0 it is wrong there.
    "emerald_rapids": {
        "bilateral_grid": -0.25,
        "compositing": 0.69,
        "conv_gradient": 0.18,
        "conv_layer": 0.60,
        "interpolate": 0.29,
        "layer_norm": 0.32,
        "max_filter": 0.45,
        "optical_flow": 0.65,
        "quantized_conv": -0.41,
        "stereo_matching": 0.55,
        "upsample_interleaved": 0.42,
        "warp": 0.35,
    },
    "granite_rapids": {
        "depthwise_conv": 0.75,
        "random_13": 0.74,
        "random_14": 0.78,
        "random_16": 0.78,
        "random_17": 0.80,
        "random_2": 0.88,
        "random_21": 0.60,
        "random_22": 0.70,
        "random_26": 0.80,
        "random_3": 0.30,
        "random_6": 0.25,
        "random_7": 0.72,
        "random_8": 0.75,
    },
    "sapphire_rapids": {
        "camera_pipe": 0.92,
        "depthwise_conv": 0.30,
        "fixed_filters": 0.55,
        "gaussian_blur": 0.40,
        "harris": 0.90,
        "interpolate": 0.85,
        "optical_flow": 0.85,
        "resample": 0.55,
        "unsharp": 0.70,
        "upsample_interleaved": 0.15,
        "warp": 0.60,
        "wavelet": 0.65,
    },
    "zen_4": {
        "camera_pipe": 0.82,
        "fixed_filters": 0.83,
        "gaussian_blur": 0.70,
        "harris": 0.82,
        "interpolate": 0.70,
        "optical_flow": 0.52,
        "random_13": 0.55,
        "random_14": 0.05,
        "random_16": 0.68,
        "random_17": 0.82,
        "random_2": 0.65,
        "random_21": 0.76,
        "random_22": 0.72,
        "random_26": 0.69,
        "random_3": 0.50,
        "random_6": 0.40,
        "random_7": 0.67,
        "random_8": 0.71,
        "resample": 0.56,
        "unsharp": 0.75,
        "upsample_interleaved": 0.74,
        "warp": 0.70,
        "wavelet": 0.68,
    },
}
LEAST_MEDIAN = {"emerald_rapids": 0.32, "granite_rapids": 0.75, "sapphire_rapids": 0.65, "zen_4": 0.70}
LEAST_LEGAL = 7  # schedules of a pipeline that newer rules still allow
CASES = [(machine, name) for machine, least in LEAST.items() for name in sorted(least)]


@pytest.fixture(scope="module")
def ranks():
    result = {}
    for machine, target in TARGETS.items():
        folder = ROOT / "data" / machine
        for name in model_error.names_of_data(folder):
            options = ["--target", target, "autoscheduler.machine=shipped"]
            costs, measured = model_error.predicted_and_measured(name, folder, options)
            assert len(measured) >= LEAST_LEGAL
            predicted = [cost["total"] for cost in costs]
            rank, near = model_error.rank_near_the_best(predicted, measured)
            # Too few for an order: of all.
            result[machine, name] = rank if near >= 3 else model_error.rank_correlation(predicted, measured)
    return result


def test_all_data_is_judged(ranks):
    assert sorted(ranks) == sorted(CASES)


@pytest.mark.parametrize(("machine", "name"), CASES)
def test_ranks_are_no_worse(ranks, machine, name):
    assert ranks[machine, name] >= LEAST[machine][name]


@pytest.mark.parametrize("machine", sorted(TARGETS))
def test_most_are_ranked_well(ranks, machine):
    assert statistics.median(ranks[each] for each in CASES if each[0] == machine) >= LEAST_MEDIAN[machine]


def test_ranks_are_seen_to_be_wrong():
    """The check can fail: what is ordered the other way round, or by nothing."""
    measured = [1.0, 1.2, 2.0, 3.0, 3.5, 90.0]
    assert model_error.rank_near_the_best(measured, measured) == (1.0, 5)
    assert model_error.rank_near_the_best(measured[::-1], measured)[0] < -0.9
