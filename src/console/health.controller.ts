import { ElasticJobHealthIndicator } from '@app/elastic-job/terminus';
import { Controller, Get } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly elasticJob: ElasticJobHealthIndicator,
  ) {}

  /** Should this process be restarted? */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.elasticJob.liveness()]);
  }

  /** Does this process do its share? */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.elasticJob.readiness()]);
  }
}
