import { Problem } from "../setup/problem.mjs";

/*
 * CHANGELOG.md, in the format of Keep a Changelog. People write its sections; a release only gives one its version.
 */

const UNRELEASED = "## [Unreleased]";

/**
 * Returns the changelog with its unreleased changes as those of a version.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date as `2026-01-31`
 */
export function withVersion(changelog, version, date) {
  if (sectionOf(changelog, "Unreleased") === "")
    throw new Problem(`CHANGELOG.md has nothing below ${UNRELEASED}. Say what ${version} changes.`);
  if (hasSection(changelog, version)) throw new Problem(`CHANGELOG.md has a section of ${version} already.`);
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

/**
 * Returns what a version changes.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const notes = sectionOf(changelog, version);
  if (notes === "") throw new Problem(`CHANGELOG.md has no section of ${version}.`);
  return notes;
}

/** @param {string} changelog @param {string} name */
const hasSection = (changelog, name) => changelog.includes(`\n## [${name}]`);

/** @param {string} changelog @param {string} name */
function sectionOf(changelog, name) {
  const sections = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${name}]`)) ?? "";
  return section.slice(section.indexOf("\n") + 1).trim();
}
