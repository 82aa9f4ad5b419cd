import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  type Type,
  UnauthorizedException,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import { CloudRestAccess } from './cloud-rest-access.js';

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
