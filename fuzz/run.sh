#!/bin/sh
# Runs every target (or those in $TARGETS) for a number of seconds each (60 unless told), or until each has made $RUNS
# executions, and says what came of it. Needs cargo-fuzz; works with stable Rust. Findings lie in artifacts/<target>.
set -u
seconds=${1:-60}
cd "$(dirname "$0")"
export RUSTC_BOOTSTRAP=1 # for the flags of the instrumentation only
./seed.sh
cargo fuzz build --sanitizer none || exit 1
status=0
for target in ${TARGETS:-preprocessor parser semantics uppaal_xml uppaal_text queries hoa saved_traces prism jani chances explicit_models}; do
    log=$(mktemp)
    mkdir -p "artifacts/$target"
    before=$(ls "artifacts/$target" | wc -l)
    case $target in
        semantics) options="-max_len=8192 -timeout=20 -dict=dictionaries/promela.dict" ;;
        uppaal_xml | uppaal_text | queries) options="-max_len=4096 -timeout=10 -dict=dictionaries/uppaal.dict" ;;
        hoa) options="-max_len=2048 -timeout=10 -dict=dictionaries/hoa.dict" ;;
        saved_traces) options="-max_len=2048 -timeout=10 -dict=dictionaries/trace.dict" ;;
        prism | jani | chances | explicit_models) options="-max_len=4096 -timeout=10 -dict=dictionaries/prism.dict" ;;
        *) options="-max_len=4096 -timeout=10 -dict=dictionaries/promela.dict" ;;
    esac
    limit="-max_total_time=$seconds"
    [ -z "${RUNS:-}" ] || limit="-runs=$RUNS"
    # shellcheck disable=SC2086
    nice -n 10 cargo fuzz run --sanitizer none "$target" -- $limit -rss_limit_mb=4096 -print_final_stats=1 $options \
        > "$log" 2>&1 || status=1
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    after=$(ls "artifacts/$target" | wc -l)
    echo "$target: ${count:-?} executions, $((after - before)) new findings"
    if [ "$after" -gt "$before" ]; then
        grep -E -A12 "panicked at|ERROR: libFuzzer" "$log" | head -40
    fi
    rm -f "$log"
done
exit $status
