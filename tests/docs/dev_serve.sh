#!/usr/bin/env bash
# The README's first command, as a newcomer runs it: builds, serves, answers, and ends in order. Its
# store is not the one that may be in the checkout.
set -euo pipefail
dev=$1
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

cd "$folder"
"$dev" serve --listen 127.0.0.1:0 --store "$folder/holdfast.db" --json >served 2>said & server=$!
for _ in {1..600}; do
  url=$(grep -o 'http://[^"]*' served || true)
  [[ -n $url ]] && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
[[ -n $url ]] || { cat served said; echo "it does not listen"; exit 1; }

place() { curl -fsS "$url/v1/holds" -H 'Idempotency-Key: first-try' -d '{"resource":"room_307","requester":"guest_g91","duration":"P1D"}'; }
first=$(place)
[[ $first == *'"state":"held"'* && $(place) == "$first" ]] || { echo "answered: $first"; exit 1; }
[[ $(curl -fsS "$url/") == *'<title>Holdfast</title>'* ]] || { echo "there is no console"; exit 1; }
kill "$server"
wait "$server" || { echo "it ended with $?"; exit 1; }
