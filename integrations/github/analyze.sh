#!/usr/bin/env bash
# The analysis or the audit of action.yml: reads its inputs from INPUT_* variables, writes annotations to the log, the report to the
# summary of the job and to files, and ends with the exit status of `pagegrade analyze` or `audit`.
set -euo pipefail

arguments=()

# Adds an option for every line of a variable that is not empty.
each_line() {
  local option=$1 line
  while IFS= read -r line || [[ -n $line ]]; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [[ -z $line ]] || arguments+=("$option" "$line")
  done <<<"$2"
}

folder="${INPUT_OUTPUT:-pagegrade}"
mkdir -p -- "$folder"
each_line --fail-on "${INPUT_FAIL_ON:-}"
each_line --allow-network "${INPUT_ALLOW_NETWORK:-}"
# A summary of more than 1 MiB is dropped whole.
summary_bytes=1048576

if [[ -n ${INPUT_AUDIT:-} ]]; then
  if [[ -n ${INPUT_URL:-}${INPUT_SOURCE:-}${INPUT_BASELINE:-}${INPUT_FAIL_ON_NEW:-} ]]; then
    echo "::error title=Pagegrade::url, source, baseline and fail-on-new are of pages, and audit is of a site."
    exit 2
  fi
  status=0
  pagegrade audit "${arguments[@]}" --output "$folder" -- "$INPUT_AUDIT" >"$folder/audit.txt" || status=$?
  cat -- "$folder/audit.txt"
  # Indented, so that no text of a page ends the block that shows it.
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] ||
    sed 's/^/    /' "$folder/audit.txt" | head -c "$summary_bytes" >>"$GITHUB_STEP_SUMMARY"
  # The folder of the newest crawl: an earlier run may have left others.
  number=$(find "$folder" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*' -printf '%f\n' | sort -n | tail -n 1)
  if [[ -n ${GITHUB_OUTPUT:-} ]]; then
    echo "exit-code=$status" >>"$GITHUB_OUTPUT"
    if [[ -n $number && -f $folder/$number/audit.json ]]; then
      echo "json=$folder/$number/audit.json" >>"$GITHUB_OUTPUT"
      echo "html=$folder/$number/audit.html" >>"$GITHUB_OUTPUT"
    fi
  fi
  exit "$status"
fi

each_line --source "${INPUT_SOURCE:-}"
if [[ -n ${INPUT_BASELINE:-} ]]; then
  if [[ -f $INPUT_BASELINE ]]; then
    arguments+=(--baseline "$INPUT_BASELINE")
    [[ -z ${INPUT_FAIL_ON_NEW:-} ]] || arguments+=(--fail-on-new "$INPUT_FAIL_ON_NEW")
  else
    echo "::notice title=Pagegrade::There is no baseline yet: nothing is compared."
  fi
elif [[ -n ${INPUT_FAIL_ON_NEW:-} ]]; then
  echo "::error title=Pagegrade::fail-on-new needs a baseline."
  exit 2
fi

# Addresses come on standard input, so that none can be read as an option.
status=0
pagegrade analyze "${arguments[@]}" \
  --format github --output - \
  --format json --output "$folder/report.json" \
  --format sarif --output "$folder/report.sarif" \
  --format markdown --output "$folder/report.md" \
  --format comment --output "$folder/comment.md" \
  - <<<"${INPUT_URL:?the input url is empty}" || status=$?

# The shorter text, whose end says what is missing, stands for one that would be dropped.
if [[ -n ${GITHUB_STEP_SUMMARY:-} && -f $folder/report.md ]]; then
  text="$folder/report.md"
  (($(wc -c <"$text") <= summary_bytes)) || text="$folder/comment.md"
  cat -- "$text" >>"$GITHUB_STEP_SUMMARY"
fi
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  {
    echo "exit-code=$status"
    echo "json=$folder/report.json"
    echo "sarif=$folder/report.sarif"
    echo "markdown=$folder/comment.md"
  } >>"$GITHUB_OUTPUT"
fi
exit "$status"
