import { isProduction } from '../is-production.js';

/** Options of `ElasticJobHealthModule.forRoot`. */
export interface HealthOptions {
  /**
   * Shows the reasons of each status: names of jobs, instances and leaders, differences of configurations, the
   * registry's answers. Everyone who can reach the endpoint can read them.
   * @default true, but false where NODE_ENV is "production"
   */
  readonly details?: boolean;
}

/** Injects the options of the health module. */
export const HEALTH_OPTIONS = Symbol.for('nestjs-elastic-job:health-options');

/** Evaluated with each request: an application may set its environment after this file is loaded. */
export function showsDetails({ details }: HealthOptions): boolean {
  return details ?? !isProduction();
}
