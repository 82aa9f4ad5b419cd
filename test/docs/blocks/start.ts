import { AsyncLocalStorage } from 'node:async_hooks';
import { CLOCK, type Clock, ElasticJobModule, REGISTRY_CENTER } from '@app/elastic-job';
import { MemoryRegistry } from '@app/elastic-job/registry';
import {
  type DynamicModule,
  type INestApplication,
  type INestApplicationContext,
  Module,
  type Type,
} from '@nestjs/common';
import { type IEntryNestModule, NestFactory } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { vi } from 'vitest';
import type { WrittenFile } from './samples.js';

type AnyModule = Type<unknown> | DynamicModule;
const PARTS = ['imports', 'providers', 'controllers', 'exports'];

/** Runs a sample as far as it runs by itself, and otherwise starts an application of its modules or providers. */
export async function runSample(files: readonly Pick<WrittenFile, 'path' | 'isSetUp'>[]): Promise<void> {
  const host = new Host();
  if ((running += 1) === 1) standIn();
  try {
    await hosts.run(host, () => runIn(host, files));
  } finally {
    await host.close();
    if ((running -= 1) === 0) vi.restoreAllMocks();
  }
}

async function runIn(host: Host, files: readonly Pick<WrittenFile, 'path' | 'isSetUp'>[]): Promise<void> {
  const found: unknown[] = [];
  const given: AnyModule[] = [];
  for (const { path, isSetUp = false } of files) {
    const { default: main, ...rest }: Record<string, unknown> = await import(path);
    if (isSetUp && isModule(main)) given.push(main);
    found.push(...Object.values(rest), ...(isSetUp ? [] : [main]));
  }
  if (host.apps.length > 0) return;
  const { roots, providers, controllers } = findParts(found, given);
  for (const root of roots) await host.start(root);
  if (providers.length + controllers.length === 0) return;
  const imports = given.length > 0 ? given : [ElasticJobModule.forRoot({})];
  await host.start({ module: SampleModule, imports, providers, controllers });
}

/** Samples run at once, each with a host that its own calls find. */
const hosts = new AsyncLocalStorage<Host>();
let running = 0;

/** Stands in for `NestFactory`, and keeps the console quiet, until the last sample has run. */
function standIn(): void {
  const host = () => hosts.getStore()!;
  vi.spyOn(NestFactory, 'create').mockImplementation((module, adapter, options) =>
    host().create(module, adapter, options),
  );
  vi.spyOn(NestFactory, 'createMicroservice').mockImplementation(async (module, options) =>
    host().keep((await host().compile(module)).createNestMicroservice(options ?? {})),
  );
  vi.spyOn(NestFactory, 'createApplicationContext').mockImplementation(async (module) =>
    host().keep(await (await host().compile(module)).init()),
  );
  for (const method of ['log', 'info', 'table'] as const) vi.spyOn(console, method).mockReturnValue();
}

/** Applications of one sample, over one registry in memory, and on free ports. */
class Host {
  readonly apps: INestApplicationContext[] = [];
  private registry: MemoryRegistry | undefined;

  async create(...[module, adapter, options]: Parameters<typeof NestFactory.create>): Promise<INestApplication> {
    const app = (await this.compile(module)).createNestApplication(adapter, options);
    const listen = app.listen.bind(app);
    vi.spyOn(app, 'listen').mockImplementation(() => listen(0, '127.0.0.1'));
    return this.keep(app);
  }

  async start(module: AnyModule): Promise<void> {
    await this.keep((await this.compile(module)).createNestApplication()).init();
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
  }

  compile(module: IEntryNestModule): Promise<TestingModule> {
    const factory = (clock: Clock) => {
      this.registry ??= new MemoryRegistry(clock);
      return this.registry.center({ namespace: 'docs', clock, sessionTimeoutMs: 15_000, requestTimeoutMs: 10_000 });
    };
    return Test.createTestingModule({ imports: [rootOf(module)] })
      .overrideProvider(REGISTRY_CENTER)
      .useFactory({ factory, inject: [CLOCK] })
      .compile();
  }

  keep<T extends INestApplicationContext>(app: T): T {
    this.apps.push(app);
    return app;
  }
}

/** Holds the providers that no module of the sample has. */
@Module({})
class SampleModule {}

interface Parts {
  /** Modules that no other module imports. */
  readonly roots: readonly AnyModule[];
  /** Classes that no module provides. */
  readonly providers: Type<unknown>[];
  readonly controllers: Type<unknown>[];
}

function findParts(values: readonly unknown[], given: readonly AnyModule[]): Parts {
  const modules = [...given, ...values.filter(isModule)];
  const partsOf = (key: string) => new Set(modules.flatMap((module) => listed(module, key)));
  const [imported, provided, controlled] = [partsOf('imports'), partsOf('providers'), partsOf('controllers')];
  const classes = values.filter((value): value is Type<unknown> => typeof value === 'function');
  return {
    roots: modules.filter((module) => !imported.has(module) && !given.includes(module)),
    providers: classes.filter((one) => Reflect.hasMetadata('__injectable__', one) && !provided.has(one)),
    controllers: classes.filter((one) => Reflect.hasMetadata('__controller__', one) && !controlled.has(one)),
  };
}

/** The classes and dynamic modules that a module lists, including those behind `useClass` and `forwardRef`. */
function listed(module: AnyModule, key: string): readonly unknown[] {
  const list: unknown = typeof module === 'function' ? Reflect.getMetadata(key, module) : Reflect.get(module, key);
  return (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [one];
    const {
      useClass,
      forwardRef,
      module: of,
    } = one as { useClass?: unknown; forwardRef?: () => unknown; module?: unknown };
    return [one, useClass, forwardRef?.(), of];
  });
}

function rootOf(module: IEntryNestModule): AnyModule {
  if (typeof module === 'function' || isModule(module)) return module;
  throw new TypeError('A sample can start from a class or from a dynamic module alone.');
}

function isModule(value: unknown): value is AnyModule {
  if (typeof value === 'function') return PARTS.some((part) => Reflect.hasMetadata(part, value));
  return typeof value === 'object' && value !== null && 'module' in value && typeof value.module === 'function';
}
