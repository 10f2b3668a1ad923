#!/bin/sh
# What a pipeline does with a stack:
#
#   pipeline.sh preview   on a pull request: what merging it would do; wrong inputs fail here
#   pipeline.sh apply     after the merge; puts drift right as well
#   pipeline.sh drift     every hour: fails when the service is not what the program says, and changes nothing
#
# PULUMI_STACK names the stack. CLOUDSERVICES_API_KEY, or `cloudservices:apiKey` in the stack's configuration, is the key.
set -eu
: "${PULUMI_STACK:?is not set: it names the stack}"

# Asks the service what there is; without --run-program, with the key of the last `up`, which may have been rotated.
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
