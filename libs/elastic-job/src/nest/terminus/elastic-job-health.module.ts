import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ElasticJobHealthIndicator } from './elastic-job.health-indicator.js';

/** Provides `ElasticJobHealthIndicator`, and Terminus with it. Needs `ElasticJobModule` in the application. */
@Module({
  imports: [TerminusModule],
  providers: [ElasticJobHealthIndicator],
  exports: [ElasticJobHealthIndicator, TerminusModule],
})
export class ElasticJobHealthModule {}
