/** A change of one of the product's compiled modules, made when it is loaded. */
export type Change = Replacement | Addition;

/** A text that must stand in the module exactly once. */
interface Replacement {
  /** Below the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Code that runs at the end of the module, with `exports`, `require` and `wrap(target, name, make)`. */
interface Addition {
  readonly file: string;
  readonly add: string;
}

/** Cases in which a broken provider should be caught. */
export interface Hunt {
  readonly mode?: "conventional" | "documented";
  /** Of the scenario's name, such as `database/create`. */
  readonly scenario: RegExp;
  /** Of the fault's name, with its span: `500-after:once`. Absent: a run without any fault. */
  readonly fault?: RegExp;
  /** Of the request that is struck: `POST /databases`. */
  readonly request?: RegExp;
  /** The name of a fault that lasts for the whole run beside it. */
  readonly beside?: string;
}

/** A provider that is broken on purpose, to see whether the campaign notices. */
export interface Mutant {
  readonly name: string;
  /** What it does wrong. */
  readonly breaks: string;
  readonly changes: readonly Change[];
  /** The rules of the judge that should find it; another that does proves nothing. */
  readonly foundBy: readonly string[];
  readonly hunts: readonly Hunt[];
}

/** Throws where the module has no such function any more, so that a change of the product is noticed. */
const WRAP = `const wrap = (target, name, make) => {
  const original = target[name];
  if (typeof original !== "function") throw new Error("mutant: " + name + " is no function any more");
  target[name] = make(original);
};`;

/**
 * The text of a module as the mutant has it.
 *
 * @throws Error when a text to replace does not stand in it exactly once: the product has moved, and the mutant with it.
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

/** As the campaign's host of the provider takes it. */
export const patchOf = (mutant: Mutant) => ({
  name: mutant.name,
  apply: (path: string, source: string): string => mutated(mutant, path, source),
});
