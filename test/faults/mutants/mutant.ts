/** A change of a compiled module of the product, applied when it is loaded. */
export type Change = Replacement | Addition;

/** A text that occurs exactly once in the module. */
interface Replacement {
  /** The path below the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Code that runs at the end of the module, with `exports`, `require` and `wrap(target, name, make)`. */
interface Addition {
  readonly file: string;
  readonly add: string;
}

/** Cases that should expose a mutant. */
export interface Hunt {
  readonly mode?: "conventional" | "documented";
  /** Matches the scenario's name, such as `database/create`. */
  readonly scenario: RegExp;
  /** Matches the fault's name and span, such as `500-after:once`. Absent: a run without faults. */
  readonly fault?: RegExp;
  /** Matches the struck request, such as `POST /databases`. */
  readonly request?: RegExp;
  /** The name of an additional fault that lasts for the whole run. */
  readonly beside?: string;
}

/** A provider broken on purpose, to test that the campaign notices. */
export interface Mutant {
  readonly name: string;
  /** What it does wrong. */
  readonly breaks: string;
  readonly changes: readonly Change[];
  /** The rules that should find it. Other findings do not count. */
  readonly foundBy: readonly string[];
  readonly hunts: readonly Hunt[];
}

/** Throws if the module has no such function, so that a change of the product is noticed. */
const WRAP = `const wrap = (target, name, make) => {
  const original = target[name];
  if (typeof original !== "function") throw new Error("mutant: " + name + " is no function any more");
  target[name] = make(original);
};`;

/**
 * Returns the mutant's text of a module.
 *
 * @throws Error if a text to replace does not occur exactly once, because the product has changed.
 */
export function mutated({ name, changes }: Mutant, path: string, source: string): string {
  return changes
    .filter(({ file }) => path.endsWith(`/${file}`))
    .reduce((text, change) => {
      if ("add" in change) return `${text}\n;(() => { ${WRAP}\n${change.add}\n})();\n`;
      const parts = text.split(change.find);
      if (parts.length === 2) return parts.join(change.replace);
      throw new Error(
        `mutant ${name}: ${change.file} has this text ${parts.length - 1} times: ${change.find}`,
      );
    }, source);
}

/** Returns the patch for the provider's host. */
export const patchOf = (mutant: Mutant) => ({
  name: mutant.name,
  apply: (path: string, source: string): string => mutated(mutant, path, source),
});
