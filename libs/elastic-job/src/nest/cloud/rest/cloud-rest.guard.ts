import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  type Type,
  UnauthorizedException,
} from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import {
  ConfigurationError,
  hasMethods,
  mustBeUnseen,
  type OptionRow,
  OptionTable,
  rule,
  show,
} from '../../../domain/index.js';
import type { CloudRestOptions, ElasticJobCloudModuleOptions } from '../cloud-module-options.js';

/** Options of the module on which the REST interface depends. */
type RestParts = Pick<ElasticJobCloudModuleOptions, 'rest' | 'tree'>;

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

/** The validated option `rest`. */
export class CloudRestAccess {
  /** Undefined if there is no REST interface. */
  readonly options: CloudRestOptions | undefined;

  /** @throws {ConfigurationError} */
  constructor(options: RestParts, isInTask = false) {
    // The environment of a task has no secrets, and a task answers no requests.
    const faults = isInTask ? [] : findRestFaults(options);
    if (faults.length > 0) throw new ConfigurationError('ElasticJobCloudModule', faults);
    this.options = isInTask ? undefined : options.rest;
  }

  /**
   * Removes the controllers before Nest maps their routes, if there is no REST interface, so that an application may
   * use these routes itself. The option may come from an asynchronous factory, after the module's metadata is fixed.
   */
  unmapUnlessGiven(modules: ModulesContainer, controllers: readonly object[]): this {
    if (this.options !== undefined) return this;
    for (const module of modules.values()) {
      for (const token of module.controllers.keys()) {
        if (controllers.some((controller) => controller === token)) module.controllers.delete(token);
      }
    }
    return this;
  }
}

/** Lets through only the requests that the option `rest` allows. */
@Injectable()
export class CloudRestGuard implements CanActivate, OnModuleInit {
  private guards: readonly CanActivate[] = [];

  constructor(
    private readonly access: CloudRestAccess,
    private readonly modules: ModuleRef,
  ) {}

  /** @throws Nest's error for a guard that it cannot instantiate */
  async onModuleInit(): Promise<void> {
    const { guards = [], token } = this.access.options ?? {};
    if (token !== undefined) this.guards = [new TokenGuard(token)];
    else this.guards = await Promise.all(guards.map((guard) => this.resolve(guard)));
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    for (const guard of this.guards) {
      const answer = guard.canActivate(context);
      const isAllowed = isObservable(answer) ? await lastValueFrom(answer) : await answer;
      if (!isAllowed) return false;
    }
    return this.guards.length > 0;
  }

  private async resolve(guard: CanActivate | Type<CanActivate>): Promise<CanActivate> {
    if (typeof guard !== 'function') return guard;
    return find(this.modules, guard) ?? this.modules.create(guard);
  }
}

function find(modules: ModuleRef, guard: Type<CanActivate>): CanActivate | undefined {
  try {
    return modules.get(guard, { strict: false });
  } catch {
    return undefined; // No provider: Nest instantiates it here, and reports its faults.
  }
}

/** Compares the header with the token in a time that does not depend on either. */
class TokenGuard implements CanActivate {
  private readonly digest: Buffer;

  constructor(token: string) {
    this.digest = digestOf(token);
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers }: { headers: Readonly<Record<string, unknown>> } = context.switchToHttp().getRequest();
    const { accesstoken: given } = headers;
    if (typeof given === 'string' && timingSafeEqual(digestOf(given), this.digest)) return true;
    throw new UnauthorizedException('The header accessToken is missing, or is not the token of the option rest.');
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
