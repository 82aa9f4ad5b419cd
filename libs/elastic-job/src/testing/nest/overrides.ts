import type { INestApplicationContext, InjectionToken, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { ConfigurationError, show } from '../../domain/index.js';
import { CLOCK, REGISTRY_CENTER } from '../../nest/index.js';

/** A provider in the place of the application's own with the same token, written as in `providers` of a module. */
export type TestOverride = { readonly provide: InjectionToken } & (
  | { readonly useValue: unknown }
  | { readonly useClass: Type<unknown> }
  | { readonly useFactory: (...injected: never[]) => unknown; readonly inject?: readonly InjectionToken[] }
);

const OF_THE_CLUSTER = new Map<unknown, string>([
  [CLOCK, 'CLOCK'],
  [REGISTRY_CENTER, 'REGISTRY_CENTER'],
]);

/** Puts the overrides into an application to be. @throws {ConfigurationError} for a token of the cluster */
export function override(builder: TestingModuleBuilder, overrides: readonly TestOverride[]): TestingModuleBuilder {
  refuse(overrides, (token) => OF_THE_CLUSTER.has(token), ownOfCluster);
  for (const one of overrides) {
    const place = builder.overrideProvider(one.provide);
    if ('useValue' in one) place.useValue(one.useValue);
    else if ('useClass' in one) place.useClass(one.useClass);
    else place.useFactory({ factory: one.useFactory, inject: [...(one.inject ?? [])] });
  }
  return builder;
}

/** Nest passes an override of an unknown token by. @throws {ConfigurationError} if there is one */
export function assertOverridden(app: INestApplicationContext, overrides: readonly TestOverride[]): void {
  const modules = [...app.get(ModulesContainer, { strict: false }).values()];
  refuse(
    overrides,
    (token) => !modules.some((module) => module.hasProvider(token)),
    (token) => `no provider of the module has the token ${token}; import the module that provides it`,
  );
}

function ownOfCluster(token: string): string {
  return `${token} is of the cluster, which gives each application its own; leave it out`;
}

function refuse(
  overrides: readonly TestOverride[],
  isFault: (token: InjectionToken) => boolean,
  describe: (token: string) => string,
): void {
  const faults = overrides.flatMap(({ provide }, index) =>
    isFault(provide) ? [`overrides[${index}]: ${describe(OF_THE_CLUSTER.get(provide) ?? nameOf(provide))}`] : [],
  );
  if (faults.length > 0) throw new ConfigurationError('createTestCluster', faults);
}

function nameOf(token: InjectionToken): string {
  return typeof token === 'function' ? token.name : show(token);
}

export type { INestApplicationContext } from '@nestjs/common';
