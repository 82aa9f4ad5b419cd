import { Inject, Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import type { Clock } from '../../clock/index.js';
import { type Health, judgeLiveness, judgeReadiness } from '../../health/index.js';
import { ElasticJobRuntime } from '../../runtime/index.js';
import { CLOCK } from '../tokens.js';

/**
 * Two keys for Terminus: `health.check([() => indicator.readiness()])`.
 *
 * Degraded keeps HTTP 200: Terminus 12 has the status, under Terminus 11 it is `up` with `degraded: true`.
 */
@Injectable()
export class ElasticJobHealthIndicator {
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly runtime: ElasticJobRuntime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Down only if a restart would help: a schedule that has stood still. @see judgeLiveness */
  liveness(key = 'elasticJob'): HealthIndicatorResult {
    return this.report(key, judgeLiveness(this.runtime.status(), this.clock.wallNow()));
  }

  /** Down while starting and draining, after a longer loss of the session, or if a job cannot run here. @see judgeReadiness */
  readiness(key = 'elasticJob'): HealthIndicatorResult {
    return this.report(key, judgeReadiness(this.runtime.status()));
  }

  private report(key: string, { status, details }: Health): HealthIndicatorResult {
    const session = this.indicator.check(key);
    if (status === 'down') return session.down({ ...details });
    if (status === 'up') return session.up({ ...details });
    const hasDegraded: boolean = 'degraded' in session;
    return hasDegraded ? session.degraded({ ...details }) : session.up({ ...details, degraded: true });
  }
}
