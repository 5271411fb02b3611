#!/bin/sh
# Writes the seed corpora to corpus/<target>.
# Models come from ../models/promela and, if it exists, $BUGHOUND_MODELS.
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/preprocessor corpus/parser corpus/semantics
for folder in ../models/promela ${BUGHOUND_MODELS:-../../shared/models/promela}; do
    [ -d "$folder" ] || continue
    find "$folder" -type f \( -name '*.pml' -o -name '*.prm' -o -name '*.prom' \) -size -16k | while read -r model; do
        name=$(echo "$model" | tr -c 'A-Za-z0-9.\n' _)
        for target in preprocessor parser semantics; do
            cp "$model" "corpus/$target/seed-$name"
        done
    done
done
# Programs of the generator: length of the walk, seed (8 bytes), features (3 bytes).
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    for bit in 0 1 2 3 4 5 6 7; do
        features=$(printf '\\%03o' $((1 << bit)))
        for place in "$features\\000\\000" "\\000$features\\000" "\\000\\000$features"; do
            printf "\\200\\$(printf %03o "$seed")\\000\\000\\000\\000\\000\\000\\000$place" \
                > "corpus/semantics/generated-$seed-$(printf '%s' "$place" | tr -d '\\\\')"
        done
    done
done
# Lists of tokens: one for each token, so that the fuzzer can put them together.
for byte in $(seq 1 255); do
    octal=$(printf '\\%03o' "$byte")
    printf "\\001$octal" > "corpus/parser/token-$byte"
    printf "\\003$octal$octal" > "corpus/parser/statement-$byte"
done
printf '#include "a"\n#define F(x, ...) #x x##x __VA_ARGS__\nF(1,2)\n#if defined(A) && (1 << 3) > 0x4 || !B\n#elif 1\n#else\n#endif\n\000#include "b"\n#define A 1\n#ifndef A\n#endif\n\000#undef A\nA B /* c */ // d\n\000B=A + 1' > corpus/preprocessor/files
printf '#define a0 x x x\n#define a1 a0 a0 a0\n#define a2 a1 a1 a1\n#define f(x) x x f(x)\na2 f(f(a1))\n#line 3 "x"\n#error no\n# 7 "y"\n#pragma x\n' > corpus/preprocessor/macros
# Tokens that grow: the fuzzer only has to nest the calls deeper.
printf '#define f(x) x##x\n#define g(x) f(x)\n#define s(x) #x\n#define t(x) s(x x)\ng(g(g(a))) t(t(t("\\")))\n' > corpus/preprocessor/growing
# A rendezvous inside atomic sequences beside a process whose guard has no value meanwhile.
printf 'byte x = 1; chan q = [0] of { byte };\nactive proctype S() { atomic { x = 0; q!1 } }\nactive proctype R() { atomic { q?_; x = 1 } }\nactive proctype G() { (1/x == 1) }\n' > corpus/semantics/rendezvous
