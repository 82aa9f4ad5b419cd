import {
  either,
  findJobNameFault,
  having,
  isOptionsObject,
  mustBeUnseen,
  oneOf,
  type OptionRow,
  OptionTable,
  type Rule,
  rule,
} from '../../domain/index.js';
import { CONSOLE_ROLES, type ConsoleRole } from '../contract/index.js';
import { parsePasswordText } from './passwords.js';
import type { SessionStore } from './session-store.js';

/** Rights of somebody. */
export interface ConsoleRights {
  /** For the audit, and for limits. At most 128 characters, none of them invisible. */
  readonly name: string;
  /** A role may what those below it may: `viewer`, `operator`, `admin`. */
  readonly role: ConsoleRole;
  /** For this person there are no jobs but those whose name begins so. @default all jobs */
  readonly jobPrefix?: string | undefined;
}

/** A person who logs in with a password. */
export interface ConsoleUser extends ConsoleRights {
  /** The text that `hashPassword` makes. */
  readonly password: string;
}

/** A program, or a person with curl. */
export interface ConsoleToken extends ConsoleRights {
  /** SHA-256 of the token, in hexadecimal: `newToken` and `hashToken` make it. */
  readonly sha256: string;
  /** ISO 8601 with a zone: `2027-01-31T00:00:00Z`. From then on the token lets nobody in. @default never */
  readonly expires?: string;
}

/** Accounts that the console knows itself. Names are unique, of users and tokens together. */
export interface ConsoleAuthOptions {
  /** People who log in with a password. @default none */
  readonly users?: readonly ConsoleUser[];
  /** Programs, and people with curl, who send a token. @default none */
  readonly tokens?: readonly ConsoleToken[];
  /** Where sessions of users are kept. @default in memory, for one process */
  readonly sessions?: SessionStore;
}

/**
 * The application's own way to know people. It gets the request as its framework has it, and returns undefined for
 * somebody whom it does not know. If it throws, or does not answer in 10 seconds, nobody is let in.
 */
export type ConsoleAuthFunction = (request: unknown) => ConsoleRights | undefined | Promise<ConsoleRights | undefined>;

/** The option `auth`. */
export type ConsoleAuth = ConsoleAuthOptions | ConsoleAuthFunction;

export const MOST_NAME = 128;
const MOST_PREFIX = 256;
/** Characters that are not seen, or change how others are seen, so that one name could look like another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MOST_NAME) return false;
  return value.trim() === value && !INVISIBLE.test(value);
}

/** False for an empty text as well, which would be no limit where one was meant. */
function isJobPrefix(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MOST_PREFIX && findJobNameFault(value) === undefined;
}

function isRole(value: unknown): value is ConsoleRole {
  return CONSOLE_ROLES.some((role) => role === value);
}

/** A rule whose message does not show the value, which may be a secret that stands in the wrong place. */
const unseen = (what: string, accepts: (value: unknown) => boolean): Rule => rule(what, accepts, mustBeUnseen(what));

const RIGHTS = {
  name: { required: true, rule: unseen(`a text of 1 to ${MOST_NAME} visible characters`, isName) },
  role: {
    required: true,
    rule: unseen(either(CONSOLE_ROLES.map((role) => `"${role}"`)), oneOf(CONSOLE_ROLES).accepts!),
  },
  jobPrefix: { rule: unseen('the beginning of names of jobs, or left out for all jobs', isJobPrefix) },
} as const satisfies Readonly<Record<keyof ConsoleRights, OptionRow>>;

const PASSWORD = 'a text that hashPassword has made: scrypt with N 2^15, r 8, p 3 or stronger';
const SHA256 = 'the SHA-256 of a token, 64 hexadecimal digits, as newToken and hashToken make it';
const EXPIRES = 'a time of ISO 8601 with its zone, such as "2027-01-31T00:00:00Z"';

const USER = new OptionTable(
  {
    ...RIGHTS,
    password: { required: true, rule: unseen(PASSWORD, (value) => parsePasswordText(value) !== undefined) },
  } satisfies Readonly<Record<keyof ConsoleUser, OptionRow>>,
  'a user',
);

const TOKEN = new OptionTable(
  {
    ...RIGHTS,
    sha256: { required: true, rule: unseen(SHA256, isDigest) },
    expires: { rule: unseen(EXPIRES, isInstantText) },
  } satisfies Readonly<Record<keyof ConsoleToken, OptionRow>>,
  'a token',
);

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-f]{64}$/i.test(value);
}

function isInstantText(value: unknown): boolean {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

const AUTH = new OptionTable(
  {
    users: { rule: listOf(USER) },
    tokens: { rule: listOf(TOKEN) },
    sessions: { rule: having('a SessionStore', 'add', 'find', 'touch', 'remove', 'prune') },
  } satisfies Readonly<Record<keyof ConsoleAuthOptions, OptionRow>>,
  'auth',
  'auth.',
);

function listOf(table: OptionTable): Rule {
  const faultsIn = (list: readonly unknown[], name: string): string[] =>
    list.flatMap((entry, index) => faultsOfEntry(table, entry).map((fault) => `${name}[${index}].${fault}`));
  return rule(
    'a list',
    (value) => Array.isArray(value) && faultsIn(value, '').length === 0,
    (given) =>
      Array.isArray(given.value)
        ? faultsIn(given.value, given.property).join('; auth.')
        : mustBeUnseen('a list')(given),
  );
}

function faultsOfEntry(table: OptionTable, entry: unknown): string[] {
  if (!isOptionsObject(entry)) return ['it must be an object'];
  // A limit that has no value, such as that of a variable which is not set, is a limit that somebody has meant.
  const empty = ['jobPrefix', 'expires'].filter((name) => name in entry && (Reflect.get(entry, name) ?? null) === null);
  const faults = empty.map((name) => `${name} has no value; leave it out, or give it one`);
  return [...table.findUnknown(entry), ...table.findBroken(entry), ...faults];
}

/** Rule of the option `auth`. */
export const authRule: Rule = rule(
  'accounts or a function',
  (value) => faultsOf(value).length === 0,
  ({ value }) => faultsOf(value).join('; '),
);

function faultsOf(auth: unknown): readonly string[] {
  if (typeof auth === 'function') return [];
  if (!isOptionsObject(auth)) return ['auth must be { users, tokens }, or a function that knows who asks'];
  const faults = [...AUTH.findUnknown(auth), ...AUTH.findBroken(auth)];
  return faults.length > 0 ? faults : faultsTogether(auth);
}

function faultsTogether({ users, tokens, sessions }: ConsoleAuthOptions): readonly string[] {
  const everybody = [...(users ?? []), ...(tokens ?? [])];
  if (everybody.length === 0) return ['auth must have users or tokens, or nobody could get in'];
  const names = everybody.map(({ name }) => name);
  const digests = (tokens ?? []).map(({ sha256 }) => sha256.toLowerCase());
  return [
    ...twiceIn(names).map((name) => `auth has the name ${JSON.stringify(name)} twice; each needs one of its own`),
    ...twiceIn(digests).map(() => 'auth.tokens has a sha256 twice; each token needs one of its own'),
    ...(sessions && !users?.length ? ['auth.sessions needs auth.users, who alone have sessions'] : []),
  ];
}

function twiceIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
}

/** The rights that a function of the host has returned, or undefined if that is none. Each field is read once. */
export function rightsOf(result: unknown): ConsoleRights | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const [name, role, jobPrefix]: unknown[] = ['name', 'role', 'jobPrefix'].map((field) => Reflect.get(result, field));
  if (!isName(name) || !isRole(role) || !(jobPrefix === undefined || isJobPrefix(jobPrefix))) return undefined;
  return { name, role, jobPrefix };
}
