/** The version in package.json; `npm run build` writes this file. */
export const VERSION = "0.1.0";
