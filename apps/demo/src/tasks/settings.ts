/** Environment variable with the settings of a scheduler, and of its tasks, as JSON. */
export const SETTINGS_VARIABLE = 'DEMO_SETTINGS';

/** Settings that schedulers and tasks of the demo share. */
export interface DemoSettings {
  /** Display name of a scheduler. */
  readonly instance: string;
  /** The ZooKeeper server list. */
  readonly servers: string;
  readonly namespace: string;
  readonly databaseFile: string;
}

export function readSettings(): DemoSettings {
  return JSON.parse(process.env[SETTINGS_VARIABLE]!);
}
