/** A way to write a program. */
export type Form = "CommonJS" | "ES modules" | "TypeScript 5" | "TypeScript 6";

export type Manager = "npm" | "pnpm" | "yarn" | "yarn, Plug'n'Play" | "bun";

export interface Combination {
  /** The major version of Node.js. */
  readonly node: number;
  readonly form: Form;
  readonly manager: Manager;
}

export const LINES: readonly number[] = [20, 22, 24, 26];

const forms: readonly Form[] = ["CommonJS", "ES modules", "TypeScript 5", "TypeScript 6"];
const managers: readonly Manager[] = ["npm", "pnpm", "yarn"];

/** Each line of Node.js with each form and each package manager, and each form with each package manager. */
export const supported: readonly Combination[] = LINES.flatMap((node, line) =>
  forms.map((form, at) => ({ node, form, manager: managers[(line + at) % managers.length] ?? "npm" })),
);

/** What is only tried: the documentation says what happens. */
export const tried: readonly Combination[] = [
  { node: 24, form: "ES modules", manager: "bun" },
  { node: 24, form: "TypeScript 5", manager: "bun" },
  { node: 24, form: "CommonJS", manager: "yarn, Plug'n'Play" },
];
