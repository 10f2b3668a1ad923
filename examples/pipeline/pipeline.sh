#!/bin/sh
# The commands of a pipeline for a stack:
#
#   pipeline.sh preview   on a pull request: shows what merging would do; wrong inputs fail here
#   pipeline.sh apply     after the merge: applies the program, and corrects drift
#   pipeline.sh drift     every hour: fails when the service differs from the program; changes nothing
#
# PULUMI_STACK names the stack. CLOUDSERVICES_API_KEY, or `cloudservices:apiKey` in the stack's configuration, is the key.
set -eu
: "${PULUMI_STACK:?is not set. Set it to the name of the stack}"

# Refreshes from the service. Without --run-program, the engine uses the key of the last `up`, which may be rotated.
run() {
  command=$1
  shift
  exec pulumi "$command" --non-interactive --stack "$PULUMI_STACK" --refresh --run-program --diff "$@"
}

case "${1:-}" in
  preview) run preview ;;
  apply) run up --yes --skip-preview ;;
  drift) run preview --expect-no-changes ;;
  *)
    echo "Usage: pipeline.sh preview | apply | drift" >&2
    exit 2
    ;;
esac
