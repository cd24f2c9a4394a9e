# Sourced by main_job, board, yardsticks, kernels, tuning_board and tuning_rival, from the root of the project.

build=${NESTOR_BUILD:-build/release}
picture=${picture:-/usr/share/backgrounds/picosdeeuropa_by_Aitzol_Berasategi.jpg}

need_picture() {
    if [ ! -f "$picture" ]; then
        {
            echo "$0: there is no picture $picture. Give one with --picture FILE, or run scripts/setup:"
            echo "the default comes with the Debian package lomiri-wallpapers-16.04."
        } >&2
        exit 1
    fi
}

# build_programs PIPELINE...: their generators, the tool and the plug-in.
build_programs() {
    local name targets=(nestor autoschedule_nestor)
    for name in "$@"; do
        if [ ! -f "corpus/$name/${name}_generator.cpp" ]; then
            echo "$0: there is no pipeline $name; there are: $(ls -d corpus/*/ | xargs -n 1 basename | xargs)" >&2
            exit 2
        fi
        targets+=("$name.generator")
    done
    if [ ! -f "$build/CMakeCache.txt" ]; then
        echo "$0: $build is not a build folder; run ./quickstart, or cmake --preset release" >&2
        exit 1
    fi
    .venv/bin/cmake --build "$build" --parallel "${NESTOR_JOBS:-$(nproc)}" --target "${targets[@]}" >&2
}

# make_inputs FOLDER PIPELINE...: FOLDER/inputs, what each reads, from the picture, at its own size. The experts that
# this builds stay in FOLDER/built.
make_inputs() {
    local folder=$1 generators=()
    shift
    local name
    for name in "$@"; do
        generators+=("$build/corpus/$name.generator")
    done
    mkdir -p "$folder/inputs"
    "$build/bin/nestor" bench "${generators[@]}" --versions expert --arguments "$folder/inputs" --quiet \
        --folder "$folder/built" --reuse
    .venv/bin/python scripts/make_inputs.py "$folder/inputs" --picture "$picture" --wishes corpus
}

# tune_program NAME TIME THREADS RECORDS: Nestor's tuning on what make_inputs made in out/board; what it says is kept in
# out/tuning/NAME.THREADS.jsonl, and a pipeline that has such a file is not tuned again.
tune_program() {
    local name=$1 time=$2 threads=$3 records=$4 told=out/tuning/$1.$3.jsonl inputs=() file
    if [ -f "$told" ]; then
        return
    fi
    echo "$name" >&2
    mkdir -p out/tuning
    for file in out/board/inputs/"$name"/*.npy; do
        [ ! -f "$file" ] || inputs+=(--input "$(basename "$file" .npy)=$file")
    done
    "$build/bin/nestor" tune "$build/corpus/$name.generator" --time "$time" --threads "$threads" \
        --records "$records" "${inputs[@]}" --json > "$told.part"
    mv "$told.part" "$told"
}

# with_yardsticks ARGUMENT...: Python with the libraries of corpus/yardsticks/, in an environment of their own.
with_yardsticks() {
    local environment=out/yardsticks/venv
    if [ ! -d "$environment" ]; then
        python3 -m venv "$environment"
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
            numpy opencv-python-headless onnx onnxruntime PyWavelets onednn-cpu-gomp
    fi
    # oneDNN's package puts its library beside the modules.
    LD_LIBRARY_PATH=$(dirname "$(find "$PWD/$environment" -name libdnnl.so.3 | head -n 1)") \
        "$environment/bin/python" "$@"
}
