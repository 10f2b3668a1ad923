/**
 * @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult
 * @typedef {{ testResults: FileResult[] }} Report vitest's JSON report
 */

/**
 * Counts the results of a vitest run. A file that could not be loaded counts as one failure, as does a run that failed
 * without a failed test (an error outside of any test).
 *
 * @param {Report} report
 * @param {number} exitCode vitest's
 */
export function countOf(report, exitCode) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    for (const { status } of file.assertionResults) {
      count[status === "passed" || status === "failed" ? status : "skipped"] += 1;
    }
    const hasFailedTest = file.assertionResults.some(({ status }) => status === "failed");
    if (file.status === "failed" && !hasFailedTest) count.failed += 1;
  }
  if (exitCode !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

/**
 * Formats the last line of a test run.
 *
 * @param {{ passed: number, failed: number, skipped: number }} count
 */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
