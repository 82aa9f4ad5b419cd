// `nestjs-elastic-job/console`: the API of operations in a Nest application. Who may ask is an option.
export {
  type ConsoleAuth,
  type ConsoleAuthFunction,
  type ConsoleAuthOptions,
  type ConsoleLimitOptions,
  type ConsoleRights,
  type ConsoleRole,
  type ConsoleToken,
  type ConsoleUser,
  type AuditEntry,
  type AuditStore,
  hashPassword,
  hashToken,
  JsonLinesAuditStore,
  type JsonLinesAuditStoreOptions,
  newToken,
  type SessionStore,
} from '../../console/index.js';
export type { ElasticJobConsoleOptions } from './console-options.js';
export { ElasticJobConsoleModule } from './elastic-job-console.module.js';
