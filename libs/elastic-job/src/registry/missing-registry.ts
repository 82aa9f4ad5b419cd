import { ElasticJobError } from '../domain/index.js';
import type { RegistryCenter, SessionInfo } from './registry-center.js';

/**
 * Thrown in a task, a process that runs one item and has no registry: its scheduler alone uses the registry.
 * @remarks Ask in a process that schedules the jobs, and pass the answer to the task in its parameter or props.
 */
export class MissingRegistryError extends ElasticJobError {
  readonly code = 'MISSING_REGISTRY';

  /** @param operation the request, such as `read /settle-orders/config` or `LeaderService.isLeader` */
  constructor(readonly operation: string) {
    super(
      `${operation}: a task has no registry. Ask in a process that schedules the jobs and pass the answer to the ` +
        "task in its job's parameter or props, or connect to a registry of your own.",
    );
  }
}

const NO_SESSION: SessionInfo = { state: undefined, id: undefined, timeoutMs: 0 };
const NEVER = (): (() => void) => () => {};

/**
 * The registry of a process that has none. Connecting and closing succeed, so that an application starts and stops as
 * usual; every request is refused.
 */
export class MissingRegistry implements RegistryCenter {
  readonly session = NO_SESSION;
  readonly maxRequestBytes = 0;
  readonly traffic = { foreground: 0, background: 0 };
  readonly onSession = NEVER;
  readonly onWarning = NEVER;

  readonly read = (path: string) => this.refuse('read', path);
  readonly readMany = (paths: readonly string[]) => this.refuse('read', ...paths);
  readonly exists = (path: string) => this.refuse('exists', path);
  readonly children = (path: string) => this.refuse('children', path);
  readonly childrenMany = (paths: readonly string[]) => this.refuse('children', ...paths);
  readonly create = (path: string) => this.refuse('create', path);
  readonly ensurePath = (path: string) => this.refuse('create', path);
  readonly set = (path: string) => this.refuse('set', path);
  readonly delete = (path: string) => this.refuse('delete', path);
  readonly transaction = (operations: readonly { readonly path: string }[]) =>
    this.refuse('transaction', ...operations.map(({ path }) => path));
  readonly openSubtree = (path: string) => this.refuse('watch', path);
  readonly watchChildren = (path: string) => this.refuse('watch', path);
  readonly serverTime = () => this.refuse('server time');

  connect(): Promise<void> {
    return Promise.resolve();
  }

  calm(): Promise<void> {
    return Promise.resolve();
  }

  beginUrgent(): () => void {
    return () => {};
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  leaseRemainingMs(): number {
    return 0;
  }

  time(): undefined {
    return undefined;
  }

  transactionBytes(): number {
    return 0;
  }

  private refuse(operation: string, ...paths: readonly string[]): Promise<never> {
    return Promise.reject(new MissingRegistryError([operation, ...paths].join(' ')));
  }
}
