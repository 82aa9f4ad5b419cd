import {
  type AuditStore,
  type ConsoleIdentityOptions,
  type ConsoleLimitOptions,
  IDENTITY_ROWS,
  LIMITS_TABLE,
} from '../../console/index.js';
import { flag, having, nested, type OptionRow, OptionTable, rule } from '../../domain/index.js';

/** Options of `ElasticJobConsoleModule.forRoot` and `forRootAsync`. */
export interface ElasticJobConsoleOptions extends ConsoleIdentityOptions {
  /** Path of the console, below the application's global prefix. @default '/elastic-job' */
  readonly path?: string;
  /**
   * Decorators of the application for the routes of the console, such as the one by which its own global guard knows
   * routes that are for everybody. The console tells by itself who may ask.
   * @default none
   */
  readonly decorators?: readonly ClassDecorator[];
  /** Where entries of the audit are kept. @default in memory, until the process ends */
  readonly audit?: AuditStore;
  /** Takes every change away. @default false */
  readonly readOnly?: boolean;
  /** A change has to say why. @default false */
  readonly requireReason?: boolean;
  /** Names of props whose values everybody sees who sees the job. @default none but those under `nestjs.` */
  readonly showProps?: readonly string[];
  /** How much may be asked. @default those of `ConsoleLimitOptions` */
  readonly limits?: ConsoleLimitOptions;
}

const AUDIT_METHODS = ['open', 'add', 'settle', 'addOnce', 'has', 'read', 'lastSwitches', 'close'];

const CONSOLE_OPTIONS = {
  ...IDENTITY_ROWS,
  path: { rule: rule('a path such as "/elastic-job"', isPath) },
  decorators: { rule: rule('a list of decorators of a class', (value) => isListOf(value, 'function')) },
  audit: { rule: having('an AuditStore', ...AUDIT_METHODS) },
  readOnly: { rule: flag() },
  requireReason: { rule: flag() },
  showProps: { rule: rule('a list of names of props', (value) => isListOf(value, 'string')) },
  limits: { rule: nested('limits, such as { changesPerMinute: 60 }', LIMITS_TABLE) },
} as const satisfies Readonly<Record<keyof ElasticJobConsoleOptions, OptionRow>>;

export const CONSOLE_TABLE = new OptionTable(CONSOLE_OPTIONS, 'the console module');

/** Plain segments: what a router would take for a pattern could not be found again in a URL. */
function isPath(path: unknown): boolean {
  return typeof path === 'string' && /^\/?[\w.~-]+(?:\/[\w.~-]+)*\/?$/.test(path);
}

function isListOf(value: unknown, type: 'string' | 'function'): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type);
}
