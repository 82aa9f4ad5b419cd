import { type ConfigurableModuleAsyncOptions, type DynamicModule, Global, Module } from '@nestjs/common';
import { ElasticJobLifecycleModule } from './lifecycle.module.js';
import { FROM_FACTORY, ConfigurableModuleClass, missingOptions, MODULE_OPTIONS_TOKEN } from './module-definition.js';
import type { ElasticJobModuleOptions } from './module-options.js';
import { SERVICE_PROVIDERS } from './service.providers.js';

const MISSING = missingOptions(MODULE_OPTIONS_TOKEN, 'ElasticJobModule', 'ElasticJobModule.forRoot({ registry })');

/**
 * Runs the application's `@ElasticJob` methods: found in `onModuleInit`, started when everything else has bootstrapped,
 * and drained on `app.close()` (or a signal, after `enableShutdownHooks`) before any other provider is destroyed.
 * Import it once, in the root module: `ElasticJobModule.forRoot({ registry })` or `forRootAsync`. It is global, so
 * every service can be injected everywhere.
 *
 * Startup rejects with a `ConfigurationError` for wrong options, and with the registry's error if it cannot be reached.
 */
@Global()
@Module({
  imports: [ElasticJobLifecycleModule],
  providers: [MISSING, ...SERVICE_PROVIDERS],
  exports: SERVICE_PROVIDERS.map(({ provide }) => provide),
})
export class ElasticJobModule extends ConfigurableModuleClass {
  /** Takes the options from a factory, a class or a provider. One that gives no options at all ends the start. */
  static override forRootAsync(
    options: ConfigurableModuleAsyncOptions<ElasticJobModuleOptions, 'createElasticJobOptions'>,
  ): DynamicModule {
    const module = super.forRootAsync(options);
    return { ...module, providers: [...(module.providers ?? []), { provide: FROM_FACTORY, useValue: true }] };
  }
}
