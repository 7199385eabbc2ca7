/** The verifier of an exported task: a shell script that requests the reward from a KernelBot server. */
import { MAX_SOURCE_BYTES } from "@kernelbot/core";

/**
 * `tests/test.sh`. Exits with 0 and a reward, or without one: 3 if the server refused the request or could not be
 * reached, 4 if it returned no reward.
 * @param file Name of the submission below /app.
 */
export const verifierScript = (file: string): string =>
  String.raw`#!/bin/bash
# Verifies /app/${file}: has a KernelBot server judge it, and writes the reward that the server returns.
# If the server returns no reward, it writes none and fails, rather than writing 0.
#   exit 0: reward written    exit 3: server not reached, or it refused the request    exit 4: server returned no reward
set -u
rewards=/logs/verifier
file=/app/${file}
mkdir -p "$rewards" && rm -rf "$rewards"/reward.*
work=$(mktemp -d) && cd "$work" || exit 3

# A link could lead to a secret of this container, which the server would then receive.
if [ ! -f "$file" ] || [ -L "$file" ] || ! grep -q '[^[:space:]]' "$file" || [ "$(wc -c < "$file")" -gt ${MAX_SOURCE_BYTES} ]; then
  echo '{"reward": 0, "correct": 0, "passed": 0, "total": 0}' > "$rewards/reward.json"
  echo "no submission: expected a file of 1 to ${MAX_SOURCE_BYTES} bytes at /app/${file}"
  exit 0
fi

request() {
  curl --silent --show-error --fail-with-body --max-time 60 --retry 8 --retry-connrefused \
    --header "Authorization: Bearer $KERNELBOT_TOKEN" --output evaluation.json "$@" && return
  [ -f evaluation.json ] && cat evaluation.json
  exit 3
}

jq -n --rawfile code "$file" --arg problem "$KERNELBOT_PROBLEM" --arg target "$KERNELBOT_TARGET" \
  --arg language "$KERNELBOT_LANGUAGE" --arg rule "$KERNELBOT_RULE" \
  '{problem: $problem, target: $target, code: $code, language: $language, level: "reward", rule: $rule}' > request.json || exit 3
# Retries of this request are one evaluation; another run of this script is another.
key=$(cat /proc/sys/kernel/random/uuid)
evaluations=$KERNELBOT_SERVER/api/v1/evaluations
request --header "Idempotency-Key: $key" --header "Content-Type: application/json" --data-binary @request.json "$evaluations?wait=25"
while jq -e '.state == "queued" or .state == "running"' evaluation.json > state.txt; do
  request "$evaluations/$(jq .id evaluation.json)?wait=25"
done

jq -r '"evaluation \(.id): \(.state) \(.outcome // "")\n\(.feedback // "")"' evaluation.json
jq -e '.reward != null' evaluation.json > state.txt || exit 4
jq '{reward, correct: (if .outcome == "passed" then 1 else 0 end), passed, total}
  + (if .speedup then {speedup_low: .speedup.low, speedup: .speedup.mid} else {} end)' evaluation.json > reward.json || exit 4
mv reward.json "$rewards/reward.json"
`;

export const VERIFIER_IMAGE = `FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl jq && rm -rf /var/lib/apt/lists/*
RUN mkdir -p /app
COPY . /tests/
`;
