#!/usr/bin/env bash
# The installation of action.yml: PACKAGE, or for "pinned" the checkout of this action with the dependencies that it was
# tested with, so that a workflow that pins the action runs the same code in a year.
set -euo pipefail

install=(python -m pip install --quiet --disable-pip-version-check)
if [[ $PACKAGE == pinned ]]; then
  "${install[@]}" --require-hashes --requirement "$ACTION_PATH/requirements/run.txt"
  "${install[@]}" --no-deps "$ACTION_PATH"
else
  "${install[@]}" "$PACKAGE"
fi
