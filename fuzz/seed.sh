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
# Timed models, their queries, and the single elements of an XML file.
mkdir -p corpus/uppaal_xml corpus/uppaal_text corpus/queries corpus/hoa corpus/saved_traces
for folder in ../models/timed ${BUGHOUND_TIMED_MODELS:-../../shared/models/uppaal ../../shared/models/priced}; do
    [ -d "$folder" ] || continue
    find "$folder" -type f \( -name '*.xml' -o -name '*.xta' -o -name '*.ta' -o -name '*.q' \) -size -16k | while read -r model; do
        name=$(echo "$model" | tr -c 'A-Za-z0-9.\n' _)
        case $model in
            *.xml) cp "$model" "corpus/uppaal_xml/seed-$name" ;;
            *.q) cp "$model" "corpus/queries/seed-$name" ;;
            *) cp "$model" "corpus/uppaal_text/seed-$name" ;;
        esac
    done
done
cat > corpus/uppaal_xml/small <<'XML'
<?xml version="1.0" encoding="utf-8"?><!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'flat.dtd'>
<nta><declaration>clock x; int[0,3] n; broadcast chan c; int f(int a) { return a &lt; 2 ? a : 1; }</declaration>
<template><name>P</name><parameter>const int i</parameter><declaration>clock y;</declaration>
<location id="a"><name>A</name><label kind="invariant">y &lt;= 3</label></location><location id="b"><urgent/></location>
<branchpoint id="d"/><init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="select">k : int[0,1]</label><label kind="guard">y &gt;= 1 &amp;&amp; n != k</label>
<label kind="synchronisation">c!</label><label kind="assignment">n = f(k), y = 0</label></transition>
<transition><source ref="b"/><target ref="d"/></transition><transition><source ref="d"/><target ref="a"/></transition>
</template><system>P0 = P(0); P1 = P(1); system P0 &lt; P1;</system>
<queries><query><formula>A[] not deadlock</formula><comment/><expect outcome="success" type="symbolic"/></query></queries></nta>
XML
# Costs and hints.
cat > corpus/uppaal_text/costs <<'XTA'
clock x, cost; int n; bool b; chan c; meta int remaining = 9, heur;
void work(int far) { int i; for (i = 0; i < far; i++) if (b) cost += i; else remaining = remaining - 1; }
before_update { heur = n } after_update { remaining = remaining <? n }
process P() { state A { x <= 3 && cost' == n + 1 }, B { reward' == 2 }; init A;
  trans A -> B { guard x >= 1; sync c!; assign work(2), cost = cost + n, heur -= n, reward += 1; }, B -> A { assign x = 0, cost++; }; }
process R() { state A { cost' == (b ? 2 : 3) }; init A; trans A -> A { sync c?; assign b = !b, n = n >? 1; }; }
system P, R;
XTA
for number in $(seq 128 191); do
    head=$(printf '\\%03o' "$number")
    printf "$head\\000\\020\\$(printf %03o $((number - 100)))\\$(printf %03o "$number")" > "corpus/uppaal_text/changed-$number"
    printf "\\$(printf %03o $((number - 128)))\\000\\100\\001\\061" > "corpus/saved_traces/changed-$number"
done
i=0
for query in 'E<> P0.B and n > 1' 'A[] not deadlock' 'A<> n == 3' 'E[] x <= 2 or b' 'P0.A --> P1.B' 'sup: x, n' 'inf{P0.B}: P0.y' \
    'bounds: v[0]' 'A[] forall (i : int[0,1]) v[i] <= 3' 'E<> exists (i : int[0,1]) f(i) == N' 'A[] P0.y - x < 2 imply b' \
    'E<> (sum (i : int[0,1]) v[i]) > 2' 'A[] (n == 0 ? b : x < 3)' '/* c */ E<> true // d'; do
    i=$((i + 1))
    printf '%s\n' "$query" > "corpus/queries/own-$i"
done
printf 'HOA: v1\nname: "a"\nStates: 2\nStart: 0\nAP: 2 "p" "q"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: state-acc\n--BODY--\nState: 0\n[0&!1] 1\n[t] 0\nState: 1 {0}\n[0] 1\n--END--\n' > corpus/hoa/buchi
printf 'HOA: v1\nStates: 3\nStart: 0\nStart: 1\nAP: 1 "p"\nAlias: @a 0 | !0\nacc-name: generalized-Rabin 1 2\nAcceptance: 3 Fin(0) & Inf(1) & Inf(2)\n--BODY--\nState: [@a] 0 "s" {0 1}\n1 {2}\nState: 1\n[!0] 2 {1}\nState: 2\n[f] 0\n--END--\n' > corpus/hoa/rabin
printf 'HOA: v1\nStates: 1\nStart: 0\nAP: 1 "p"\nAcceptance: 2 (Fin(0) | Inf(!1)) & t\n--BODY--\nState: 0 0 0\n--ABORT--\nHOA: v1\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n--END--\n' > corpus/hoa/aborted
printf '\000{"format":"bughound-trace/1","seal":"","file":"f","language":"promela","fingerprint":"","merge":true,"property":"assertion","moves":[{"process":0,"edge":1}],"failure":["assertion",1,0]}' > corpus/saved_traces/file
# Models with probabilities, their properties, explicit models.
mkdir -p corpus/prism corpus/jani corpus/chances corpus/explicit_models
for folder in ../models/probabilistic ${BUGHOUND_PROBABILISTIC_MODELS:-../../shared/models/prism ../../shared/models/jani}; do
    [ -d "$folder" ] || continue
    find "$folder" -type f -size -16k | while read -r model; do
        name=$(echo "$model" | tr -c 'A-Za-z0-9.\n' _)
        case $model in
            *.prism | *.pm | *.nm | *.sm) cp "$model" "corpus/prism/seed-$name" ;;
            *.jani) cp "$model" "corpus/jani/seed-$name" ;;
            *.props | *.pctl | *.csl) { printf '\000'; cat "$model"; } > "corpus/chances/seed-$name" ;;
        esac
    done
done
for number in $(seq 128 191); do
    head=$(printf '\\%03o' "$number")
    for target in prism jani; do
        printf "$head\\000\\020\\$(printf %03o $((number - 100)))\\$(printf %03o "$number")" > "corpus/$target/changed-$number"
    done
done
i=0
for query in 'P=? [ F x=3 ]' 'Pmax=? [ !b U<=4 "l" ]' 'P>=0.5 [ G[1,3] x<3 ]' 'R{"r"}max=? [ F x=3 ]' 'Rmin<=2.5 [ C<=3 ]' 'R{2}=? [ I=2 ]' 'S=? [ b ]' \
    'filter(max, P=? [ X b ], x>0)' 'const int k; "n": P<p [ F<=k f=2 ]' 'label "m" = b; P=? [ "m" W P>0.1 [ F b ] ]' 'R{"r"}=? [ S ]' \
    'P=? [ b R{"r"}<=3 x=1 ]' '// RESULT: 1/2
P=? [ F b {x=1}{max} ]'; do
    i=$((i + 1))
    for kind in 0 1 2; do
        printf "\\00$kind%s\n" "$query" > "corpus/chances/own-$i-$kind"
    done
done
printf '\000@type: DTMC\n@parameters\n\n@reward_models\nr\n@nr_states\n2\n@nr_choices\n2\n@model\nstate 0 [1] init\n\taction 0 [0]\n\t\t0 : 0.5\n\t\t1 : 1/2\nstate 1 [0] done\n\taction 0 [0]\n\t\t1 : 1\n' > corpus/explicit_models/drn
printf '\2002 3\n0 0 0.5\n0 1 0.5\n1 1 1\n\0000="init" 1="deadlock" 2="done"\n0: 0\n1: 2\n' > corpus/explicit_models/prism
