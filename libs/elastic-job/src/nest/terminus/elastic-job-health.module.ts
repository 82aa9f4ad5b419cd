import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { flag, OptionTable } from '../../domain/index.js';
import { ElasticJobHealthIndicator } from './elastic-job.health-indicator.js';
import { HEALTH_OPTIONS, type HealthOptions } from './health-options.js';

const TABLE = new OptionTable({ details: { rule: flag() } }, 'the health module');

/** Provides `ElasticJobHealthIndicator`, and Terminus with it. Needs `ElasticJobModule` in the application. */
@Module({
  imports: [TerminusModule],
  providers: [ElasticJobHealthIndicator, { provide: HEALTH_OPTIONS, useValue: {} }],
  exports: [ElasticJobHealthIndicator, TerminusModule],
})
export class ElasticJobHealthModule {
  /**
   * Same as the module itself, which has the defaults.
   * @throws {ConfigurationError} for options that are no object, and for wrong and unknown ones
   */
  static forRoot(options: HealthOptions = {}): DynamicModule {
    const useValue = TABLE.checked('ElasticJobHealthModule', options);
    return { module: ElasticJobHealthModule, providers: [{ provide: HEALTH_OPTIONS, useValue }] };
  }
}
