import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { ElasticJobHealthIndicator } from '@app/elastic-job/terminus';

/** Probes of an orchestrator: restart this process (live), send it traffic (ready)? */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly jobs: ElasticJobHealthIndicator,
  ) {}

  @Get('live')
  @HealthCheck()
  live() {
    return this.health.check([() => this.jobs.liveness()]);
  }

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.jobs.readiness()]);
  }
}
