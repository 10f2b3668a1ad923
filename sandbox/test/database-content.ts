import { sql } from "./postgres.js";

/** Statements that create everything that is hard to dump and to restore. */
export const content = [
  "CREATE TABLE parent (id serial PRIMARY KEY, name text UNIQUE NOT NULL, note text)",
  `INSERT INTO parent (name, note) VALUES ('plain', E'two\\nlines\\tand \\\\ ''quotes'' "both"; -- none'), ('ü 漢字 🎉', NULL)`,
  "CREATE TABLE child (id bigint GENERATED ALWAYS AS IDENTITY, parent_id int NOT NULL REFERENCES parent (id) ON DELETE CASCADE, data bytea, f float8, j jsonb, at timestamptz)",
  "INSERT INTO child (parent_id, data, f, j, at) VALUES (1, '\\x00ff0a27', 1.0 / 3, '{\"a\": [1, null]}', '2030-01-01T00:00:00.123456Z'), (2, NULL, 'NaN', NULL, NULL)",
  "CREATE INDEX child_parent ON child (parent_id) WHERE data IS NOT NULL",
  "CREATE VIEW named AS SELECT c.id, p.name FROM child c JOIN parent p ON p.id = c.parent_id",
  "CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT a; SELECT CASE WHEN a > 0 THEN 2 * a END; END",
  "CREATE FUNCTION tangled() RETURNS text LANGUAGE plpgsql AS $x$ BEGIN RETURN 'a;b $$'; END $x$",
  'CREATE TABLE "odd;name" AS SELECT i, repeat(md5(i::text), 20) AS t FROM generate_series(1, 12345) i',
  // Longer than what libpq reads at once, many times over.
  "CREATE TABLE wide AS SELECT i, repeat(md5(i::text), 20000) AS t FROM generate_series(1, 40) i",
  "SELECT lo_from_bytea(4242, decode(repeat('00ff', 5000), 'hex'))",
  "SELECT setval('parent_id_seq', 41)",
  "CREATE TYPE mood AS ENUM ('glad', 'it''s; fine')",
  "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
  'CREATE SCHEMA "Other"',
  'CREATE TABLE "Other".event (at date NOT NULL, mood mood, n positive, twice int GENERATED ALWAYS AS (n * 2) STORED) PARTITION BY RANGE (at)',
  "CREATE TABLE \"Other\".event_2030 PARTITION OF \"Other\".event FOR VALUES FROM ('2030-01-01') TO ('2031-01-01')",
  "INSERT INTO \"Other\".event (at, mood, n) VALUES ('2030-05-01', 'it''s; fine', 7)",
  'CREATE MATERIALIZED VIEW totals AS SELECT count(*) AS n FROM "Other".event',
  "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := coalesce(NEW.note, 'noted;'); RETURN NEW; END $$",
  "CREATE TRIGGER noted BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION note()",
  "ALTER TABLE child ENABLE ROW LEVEL SECURITY",
  "ALTER TABLE child FORCE ROW LEVEL SECURITY",
  "CREATE POLICY everybody ON child USING (true)",
  "CREATE RULE quiet AS ON DELETE TO named DO INSTEAD ( SELECT 1; SELECT 2; )",
  "CREATE EXTENSION hstore",
  "CREATE TABLE pairs AS SELECT hstore('a', NULL) || hstore('b', 'x=>y') AS pairs",
  "COMMENT ON TABLE parent IS E'first line;\\n-- second line'",
  "GRANT SELECT ON parent TO PUBLIC",
];

/** What a client sees of all that; `nextval` last, since it changes something. */
const questions = [
  "SELECT * FROM parent ORDER BY id",
  "SELECT id, parent_id, data, f, j::text, at::text FROM child ORDER BY id",
  "SELECT * FROM named ORDER BY id",
  "SELECT count(*), md5(string_agg(t, ',' ORDER BY i)) FROM \"odd;name\"",
  "SELECT count(*), sum(length(t)), md5(string_agg(t, ',' ORDER BY i)) FROM wide",
  "SELECT twice(21), tangled(), md5(lo_get(4242))",
  "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
  "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY conname",
  "SELECT nextval('parent_id_seq')",
];

/** Returns what a client sees of the content. */
export async function readContent(uri: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) answers.push(await sql(uri, question));
  return answers;
}
