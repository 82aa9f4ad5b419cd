import type { CanActivate, Type } from '@nestjs/common';
import {
  ConfigurationError,
  hasMethods,
  mustBeUnseen,
  type OptionRow,
  OptionTable,
  rule,
  show,
} from '../../../domain/index.js';

/** Access to ElasticJob-Cloud's REST interface; give exactly one of the two. */
export interface CloudRestOptions {
  /**
   * The secret that requests carry as header `accessToken`: at least 128 random bits, which are 32 hexadecimal digits
   * or 22 characters of base64url, as `openssl rand -hex 16` prints them. There is no default.
   */
  readonly token?: string;
  /**
   * The application's own guards instead, all of which must let a request through: instances, or classes that are
   * providers of a module or that Nest can instantiate.
   */
  readonly guards?: readonly (CanActivate | Type<CanActivate>)[];
}

/** Options of the module on which the REST interface depends. */
export interface RestParts {
  readonly rest?: CloudRestOptions;
  readonly tree?: object;
}

const LEAST_BITS = 128;
/**
 * A text with fewer different characters is a pattern: of 22 random characters of 16 kinds, one in a million has fewer.
 */
const LEAST_KINDS = 7;

/** Faults of the options `rest` and `tree` together, one text each. Messages must not show a token. */
function findRestFaults({ rest, tree }: RestParts): readonly string[] {
  if (rest === undefined) return [];
  if (typeof rest !== 'object' || rest === null) return [`rest must be { token } or { guards }, but is ${show(rest)}`];
  return [
    ...(tree === undefined
      ? ['rest needs tree, where applications and jobs are registered; give tree: {} as well']
      : []),
    ...findAccessFaults(rest),
  ];
}

function findAccessFaults(rest: CloudRestOptions): readonly string[] {
  const { guards, token } = rest;
  const unknown = TABLE.findUnknown(rest);
  if ((guards === undefined) === (token === undefined)) return [...unknown, 'rest must have either token or guards'];
  return [...unknown, ...TABLE.findBroken(rest)];
}

const GUARDS = 'a list of at least one guard of Nest';
const TOKEN = `a random text of at least ${LEAST_BITS} bits, without spaces, such as "openssl rand -hex 16" prints it`;
const TABLE = new OptionTable(
  {
    guards: { rule: rule(GUARDS, areGuards, mustBeUnseen(GUARDS)) },
    token: { rule: rule(TOKEN, isStrong, mustBeUnseen(TOKEN)) },
  } satisfies Readonly<Record<keyof CloudRestOptions, OptionRow>>,
  'the REST interface',
  'rest.',
);

/** @throws {ConfigurationError} */
export function assertRestUsable(options: RestParts): void {
  const faults = findRestFaults(options);
  if (faults.length > 0) throw new ConfigurationError('ElasticJobCloudModule', faults);
}

function areGuards(guards: unknown): boolean {
  const isGuard = (guard: unknown) => typeof guard === 'function' || hasMethods(guard, 'canActivate');
  return Array.isArray(guards) && guards.length > 0 && guards.every(isGuard);
}

/** Estimates the bits of a random text with these kinds of characters. */
function isStrong(token: unknown): boolean {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || new Set(token).size < LEAST_KINDS) return false;
  return token.length * bitsOf(token) >= LEAST_BITS;
}

function bitsOf(token: string): number {
  if (/^\d+$/.test(token)) return Math.log2(10);
  if (/^(?:[\da-f]+|[\dA-F]+)$/.test(token)) return 4;
  return /^(?:[\da-z]+|[\dA-Z]+)$/.test(token) ? Math.log2(36) : 6;
}
