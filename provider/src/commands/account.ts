import { type CloudServices, NotFoundError } from "cloudservices-sdk";
import type { Kind } from "../kernel/definition/kind.js";
import { fieldsOf, idIn, valueIn } from "../kernel/definition/kind-values.js";
import { isPresent } from "../kernel/definition/properties.js";
import { factOf } from "../kernel/diagnostics/errors.js";
import { ofEachKind } from "../resources/index.js";
import { hasCredentials } from "./names.js";

/** A resource of the account as a program would describe it. */
export interface AccountResource {
  readonly kind: string;
  readonly id: string;
  /** What people call it. */
  readonly label: string;
  /** The inputs that the service returns, without those that have their default. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The inputs that the program must get from elsewhere: required ones that the service does not return, and secrets. */
  readonly unread: readonly { readonly field: string; readonly isSecret: boolean }[];
  /** The kind of the resource that has the same id and must exist first. */
  readonly owner?: string;
}

/** What the account has, and which kinds could not be listed completely. */
export interface Account {
  readonly resources: readonly AccountResource[];
  readonly unlisted: readonly { readonly kind: string; readonly reason: string }[];
}

const PAGE = { limit: 100 };

/** Lists everything that the account has. Sends GET requests only. */
export async function accountOf(api: CloudServices, isDocumentedOnly: boolean): Promise<Account> {
  const resources: AccountResource[] = [];
  const unlisted: { kind: string; reason: string }[] = [];
  const kinds = Object.values(ofEachKind((kind) => listerOf(kind)));
  // Owners first: a kind without a list is read once for each owner.
  for (const { name, owner, list } of [...kinds].sort((a, b) => Number(!!a.owner) - Number(!!b.owner))) {
    if (list === undefined) continue;
    const owners = resources.filter(({ kind }) => kind === owner).map(({ id }) => id);
    try {
      const listed = await list(api, isDocumentedOnly, owners);
      const described = listed.flatMap((one) => one ?? []);
      resources.push(...described);
      const nameless = listed.length - described.length;
      if (nameless > 0)
        unlisted.push({ kind: name, reason: `the service returned ${nameless} without an id` });
      if (unlisted.some(({ kind }) => kind === owner))
        unlisted.push({ kind: name, reason: `it is found through each ${owner}, and not all are listed` });
    } catch (error) {
      unlisted.push({ kind: name, reason: factOf(error) });
    }
  }
  return { resources, unlisted };
}

interface Lister {
  readonly name: string;
  readonly owner: string | undefined;
  /** Absent where the service keeps no record. A resource without an id is undefined. */
  readonly list?: (
    api: CloudServices,
    isDocumentedOnly: boolean,
    owners: readonly string[],
  ) => Promise<(AccountResource | undefined)[]>;
}

function listerOf<I extends object, R extends object>(kind: Kind<I, R>): Lister {
  const { name, owner } = kind;
  if (kind.action) return { name, owner };
  return {
    name,
    owner,
    async list(api, isDocumentedOnly, owners) {
      if (isDocumentedOnly && !kind.documented?.list)
        throw new Error("the specification shows no list of it (cloudservices:api is documented)");
      const remotes = kind.list ? await kind.list(api, PAGE).toArray() : await readEach(kind, api, owners);
      return remotes.map((remote) => describe(kind, remote));
    },
  };
}

/** Reads what each owner has of a kind that has no list. */
async function readEach<I extends object, R extends object>(
  kind: Kind<I, R>,
  api: CloudServices,
  owners: readonly string[],
): Promise<R[]> {
  const read = async (id: string) => {
    try {
      return [await kind.read(api, id)];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      throw error;
    }
  };
  return (await Promise.all(owners.map(read))).flat();
}

/** Returns a resource as a program would describe it, without its secrets, or undefined if it has no id. */
export function describe<I extends object, R extends object>(
  kind: Kind<I, R>,
  remote: R,
): AccountResource | undefined {
  const id = idIn(kind, remote);
  if (id === undefined) return undefined;
  const given = fieldsOf(kind).flatMap(([field, input]): [string, unknown][] => {
    const value = valueIn(input, remote);
    const isDefault = input.default !== undefined && JSON.stringify(value) === JSON.stringify(input.default);
    return isPresent(value) && !isDefault && input.schema.safeParse(value).success ? [[field, value]] : [];
  });
  const values = Object.fromEntries(given);
  // A secret does not belong into a program, even if the service returns it.
  const secrets = new Set(fieldsOf(kind).flatMap(([field, { secret }]) => (secret ? [field] : [])));
  const urls = new Set(given.flatMap(([field, value]) => (hasCredentials(value) ? [field] : [])));
  const inputs = Object.fromEntries(given.filter(([field]) => !secrets.has(field) && !urls.has(field)));
  const unread = fieldsOf(kind)
    .filter(([field, { optional }]) => urls.has(field) || (!optional && !isPresent(inputs[field])))
    .map(([field]) => ({ field, isSecret: secrets.has(field) || urls.has(field) }));
  const address = kind.outputs["emailAddress"];
  const names = [
    kind.naming && values[kind.naming.field],
    address && valueIn(address, remote),
    kind.identity && values[kind.identity.by[0] ?? ""],
  ];
  const label = names.find((name) => typeof name === "string" && name !== "");
  return {
    kind: kind.name,
    id,
    label: String(label ?? id),
    inputs,
    unread,
    ...(kind.owner && { owner: kind.owner }),
  };
}
