import { Controller, Get, StreamableFile, type Type, VERSION_NEUTRAL } from '@nestjs/common';
import { JobMetrics } from './job-metrics.js';

/** Makes a new class for each path: two applications of one process may serve different ones. */
export function metricsControllerAt(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  class MetricsController {
    constructor(private readonly metrics: JobMetrics) {}

    @Get()
    async scrape(): Promise<StreamableFile> {
      const { registry } = this.metrics;
      // Express and Fastify both read the content type from it.
      return new StreamableFile(Buffer.from(await registry.metrics()), { type: registry.contentType });
    }
  }
  return MetricsController;
}
