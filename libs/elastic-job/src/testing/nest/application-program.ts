import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigurationError } from '../../domain/index.js';
import { CLOCK, REGISTRY_CENTER } from '../../nest/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import type { TestProcess, TestProgram } from '../test-program.js';
import { assertOverridden, override, type TestOverride } from './overrides.js';

/** A root module, in the forms that `NestFactory` accepts. */
export type RootModule = Type<unknown> | DynamicModule | Promise<DynamicModule>;

/** One root module for all instances, or a function that makes one for each, by its index. */
export type TestModule = RootModule | ((index: number) => RootModule);

/** A Nest application over the registry and the clock of a simulated process; everything else comes from the module. */
export class ApplicationProgram implements TestProgram {
  private stopping: Promise<void> | undefined;

  private constructor(
    readonly app: INestApplicationContext,
    readonly runtime: ElasticJobRuntime,
  ) {}

  /**
   * Instantiates the application's providers. No hook has been called yet.
   * @throws {ConfigurationError} if the module imports no `ElasticJobModule`, or has no provider for an override
   * @throws the error of a provider
   */
  static async create(
    module: TestModule,
    overrides: readonly TestOverride[],
    { index, clock, center }: TestProcess,
  ): Promise<ApplicationProgram> {
    const root = isFactory(module) ? module(index) : module;
    const app = await override(Test.createTestingModule({ imports: [root] }), overrides)
      .overrideProvider(CLOCK)
      .useValue(clock)
      .overrideProvider(REGISTRY_CENTER)
      .useValue(center)
      .compile();
    const runtime = runtimeOf(app);
    assertOverridden(app, overrides);
    return new ApplicationProgram(app, runtime);
  }

  async start(): Promise<void> {
    await this.app.init();
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.app.close());
  }
}

function runtimeOf(app: INestApplicationContext): ElasticJobRuntime {
  try {
    return app.get(ElasticJobRuntime, { strict: false });
  } catch (cause) {
    throw new ConfigurationError('createTestCluster', ['module: it does not import ElasticJobModule.forRoot'], {
      cause,
    });
  }
}

/** A module's class has `@Module`'s metadata, or is at least written as a class. */
function isFactory(module: TestModule): module is (index: number) => RootModule {
  return (
    typeof module === 'function' &&
    !Function.prototype.toString.call(module).startsWith('class') &&
    Reflect.getMetadataKeys(module).length === 0
  );
}
