#!/bin/sh
# The commands of a pipeline for a stack:
#
#   pipeline.sh preview   on a pull request: shows what merging would do; wrong inputs fail here
#   pipeline.sh apply     after the merge: applies the program, and corrects drift
#   pipeline.sh drift     every hour: fails when the service differs from the program; changes nothing. Takes no lock:
#                         beside an apply, it reports what that has not done yet
#
# PULUMI_STACK names the stack. CLOUDSERVICES_API_KEY, or `cloudservices:apiKey` in the stack's configuration, is the key.
# SUMMARY_FILE (default: summary.md) is where `preview` and `drift` write what they found, as Markdown for a comment.
# REVIEWED_PLAN is the plan that `preview` has printed. With it, `apply` stops if the plan has changed since.
#
# Exit codes: 0 done, 2 wrong input or configuration, 4 an operation failed, 6 there is no such stack, 7 drift,
# 10 the plan is not the reviewed one, 1 or another: anything else. Up to 9 they are those of Pulumi 3.226.1 and newer;
# older engines exit with 255 in every case.
set -eu

usage() {
  echo "$1" >&2
  exit 2
}

# `npx --no` never downloads.
summary() { npx --no -- pulumi-cloudservices summary "$@"; }

require_stack() {
  message=$(pulumi stack --show-name --non-interactive --stack "$PULUMI_STACK" 2>&1 >/dev/null) && return
  echo "$message" >&2
  case $message in
    *"no stack named"*)
      echo "  if it is new: pulumi stack init $PULUMI_STACK" >&2
      exit 6
      ;;
  esac
  exit 1
}

# Refreshes from the service. Without --run-program, the engine uses the key of the last `up`, which may be rotated.
run() {
  command=$1
  shift
  pulumi "$command" --non-interactive --color never --stack "$PULUMI_STACK" --refresh --run-program "$@"
}

# Previews, and exits with the code of the summary. The summary has all that the engine would print, without the secrets.
preview() {
  file=${SUMMARY_FILE:-summary.md}
  rm -f "$file"
  json=$(mktemp)
  trap 'rm -f "$json"' EXIT
  code=0
  # Without --show-replacement-steps, the engine hides the deletion that an interrupted replacement has left.
  run preview --json --show-replacement-steps >"$json" || code=$?
  if [ ! -s "$json" ]; then
    case $code in 0 | 255) exit 1 ;; *) exit "$code" ;; esac
  fi
  result=0
  summary --stack "$PULUMI_STACK" --output "$file" --preview-exit "$code" "$@" <"$json" || result=$?
  # GitHub shows this file on the page of the run.
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$file" ]; then cat "$file" >>"$GITHUB_STEP_SUMMARY"; fi
  return "$result"
}

[ -n "${PULUMI_STACK:-}" ] || usage "PULUMI_STACK is not set. Set it to the name of the stack."
case "${1:-}" in
  preview | apply | drift) require_stack ;;
  *) usage "Usage: pipeline.sh preview | apply | drift" ;;
esac

case $1 in
  preview) preview ;;
  drift) preview --expect-no-changes ;;
  apply)
    if [ -n "${REVIEWED_PLAN:-}" ]; then preview --reviewed "$REVIEWED_PLAN"; fi
    code=0
    run up --yes --skip-preview --diff || code=$?
    if [ "$code" = 255 ]; then code=4; fi
    exit "$code"
    ;;
esac
