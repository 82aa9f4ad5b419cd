import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type NestModule,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import type { Clock } from '../../clock/index.js';
import { JobConfigurationApi, JobOperateApi, ShardingOperateApi } from '../../operations/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { IN_TASK } from '../in-task.js';
import { CLOCK, concealed, ELASTIC_JOB_OPTIONS, missingOptions, REGISTRY_CENTER } from '../module-definition.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import { ConsoleServer } from './console-server.js';
import { consoleControllerAt, mapOthers, mapPage } from './console-controller.js';
import { CONSOLE_TABLE, type ElasticJobConsoleOptions } from './console-options.js';
import { CONSOLE_PLACE, type ConsolePlace } from './console-path.js';
import { consoleOf } from './console-of.js';

const PLACE = 'ElasticJobConsoleModule';
type BesideFactory = Pick<ElasticJobConsoleOptions, 'decorators' | 'path'>;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<
  Omit<ElasticJobConsoleOptions, keyof BesideFactory>
>({ moduleName: 'ElasticJobConsole' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobConsoleOptions')
  .setExtras<BesideFactory>({}, (definition, given) => {
    const { decorators = [], path = '/elastic-job' } = CONSOLE_TABLE.checked<BesideFactory>(PLACE, {
      ...(given.path !== undefined && { path: given.path }),
      ...(given.decorators !== undefined && { decorators: given.decorators }),
    });
    const normal = `/${path.replaceAll(/^\/|\/$/g, '')}`;
    const controller = consoleControllerAt(normal, decorators);
    const place: ConsolePlace = { path: normal, controller };
    const providers = [...(definition.providers ?? []), { provide: CONSOLE_PLACE, useValue: place }];
    return { ...definition, providers, controllers: [controller] };
  })
  .build();

/**
 * Serves the API of operations and its page below `path`. Needs `ElasticJobModule` in the application, whose registry
 * and clock it uses; that may run no jobs. `forRootAsync` takes the options from a factory or class; `path` and
 * `decorators` stand beside that, since routes are known before providers are.
 *
 * Its routes answer by themselves: a pipe, an interceptor, a filter, CORS or a parser of the application turns nothing
 * off that the console refuses. A global guard of the application may refuse more.
 *
 * In the application of a task there is no console.
 *
 * ```ts
 * imports: [ElasticJobModule.forRoot({ registry }), ElasticJobConsoleModule.forRoot({ auth, audit })]
 * ```
 */
@Module({
  providers: [
    missingOptions(MODULE_OPTIONS_TOKEN, PLACE, `${PLACE}.forRoot()`),
    concealed({
      provide: ConsoleServer,
      inject: [
        MODULE_OPTIONS_TOKEN,
        CONSOLE_PLACE,
        ELASTIC_JOB_OPTIONS,
        REGISTRY_CENTER,
        CLOCK,
        JobOperateApi,
        ShardingOperateApi,
        JobConfigurationApi,
        ApplicationConfig,
        HttpAdapterHost,
        IN_TASK,
      ],
      useFactory: createServer,
    }),
  ],
})
export class ElasticJobConsoleModule extends ConfigurableModuleClass implements NestModule {
  constructor(
    @Inject(ConsoleServer) private readonly server: { beforeRoutes(): void },
    private readonly host: HttpAdapterHost,
    @Inject(CONSOLE_PLACE) private readonly place: { readonly controller: Type<object> },
  ) {
    super();
  }

  /** @throws {ConfigurationError} that names every wrong option; it shows nothing secret */
  static override forRoot(options: ElasticJobConsoleOptions = {}): DynamicModule {
    return super.forRoot(CONSOLE_TABLE.checked(PLACE, options));
  }

  /** Nest calls it before it makes the routes. */
  configure(): void {
    const framework = this.host.httpAdapter.getType();
    mapPage(this.place.controller, framework);
    mapOthers(this.place.controller, framework);
    this.server.beforeRoutes();
  }
}

function createServer(
  given: ElasticJobConsoleOptions,
  { path }: ConsolePlace,
  application: ResolvedModuleOptions,
  registry: RegistryCenter,
  clock: Clock,
  commands: JobOperateApi,
  items: ShardingOperateApi,
  configurations: JobConfigurationApi,
  config: ApplicationConfig,
  host: HttpAdapterHost,
  isInTask?: true,
): ConsoleServer {
  const options = CONSOLE_TABLE.checked(PLACE, given);
  const create = () => {
    const prefix = config.getGlobalPrefix().replaceAll(/^\/|\/$/g, '');
    const base = prefix === '' ? path : `/${prefix}${path}`;
    return consoleOf(options, { application, base, clock, commands, configurations, items, registry });
  };
  return new ConsoleServer({ path, clock, host, create: isInTask ? undefined : create });
}
