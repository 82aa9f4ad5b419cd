/** What `ElasticJobHealthModule.forRoot` takes. */
export interface HealthOptions {
  /**
   * Shows beside each status why it is so: names of jobs, instances and leaders, differences of configurations, the
   * registry's answers. Whoever reaches the endpoint reads them.
   * @default true, but false where NODE_ENV is "production"
   */
  readonly details?: boolean;
}

/** Injects the options of the health module. */
export const HEALTH_OPTIONS = Symbol.for('nestjs-elastic-job:health-options');

/** Asked as health is: an application may set its environment after this file is loaded. */
export function showsDetails({ details }: HealthOptions): boolean {
  return details ?? process.env['NODE_ENV'] !== 'production';
}
