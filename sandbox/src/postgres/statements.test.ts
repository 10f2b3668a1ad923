import { expect, test } from "vitest";
import { Statements } from "./statements.js";

function cut(script: string, size = script.length): string[] {
  const statements = new Statements();
  const found: string[] = [];
  for (let at = 0; at < script.length; at += size)
    found.push(...statements.push(script.slice(at, at + size)));
  return [...found, ...statements.end()];
}

const script = [
  "-- a comment; with a semicolon and a ' quote\nSET a = 'it''s; one';",
  `CREATE TABLE "odd;name" (\n  id integer DEFAULT nextval('s'::regclass),\n  note text\n);`,
  "CREATE FUNCTION public.f(a integer) RETURNS integer\n    LANGUAGE plpgsql\n    AS $$ begin; return $1; end $$;",
  "CREATE FUNCTION g() RETURNS text LANGUAGE sql AS $_tag$ select ';$$;' $_tag$;",
  "CREATE FUNCTION h(a int) RETURNS int LANGUAGE sql\n    BEGIN ATOMIC\n SELECT CASE WHEN (a > 1) THEN 2 ELSE 3 END AS b;\n SELECT a;\nEND;",
  "CREATE RULE r AS ON INSERT TO t DO ( DELETE FROM u; DELETE FROM v; );",
  "CREATE VIEW v AS\n SELECT (1 - 2) / 3 AS begin_at, a$b /* ; */ FROM t;",
  "INSERT INTO t VALUES\n\t(1, 'line\nline; -- no comment'),\n\t(2, '$$ ü漢🎉 \\'),\n\t(3, NULL);",
  "-- the end",
];

test("a script is cut where its statements end, and nowhere else", () => {
  expect(cut(script.join("\n\n"))).toEqual(script);
});

test("however small the pieces in which it arrives", () => {
  for (const size of [1, 2, 3, 7, 64]) expect(cut(script.join("\n"), size)).toEqual(script);
});

test("what nothing ends is the last statement", () => {
  expect(cut("SELECT 1; SELECT 2 ")).toEqual(["SELECT 1;", "SELECT 2"]);
  expect(cut("")).toEqual([]);
});

test("a statement that is too long to be sent is refused, and not one after many others", () => {
  const statements = new Statements(100);
  for (let n = 0; n < 50; n++) expect(statements.push("SELECT 1;")).toEqual(["SELECT 1;"]);
  statements.push(`SELECT '${"x".repeat(60)}`);
  expect(() => statements.push("x".repeat(60))).toThrow("a statement has more than 100 characters");
});
