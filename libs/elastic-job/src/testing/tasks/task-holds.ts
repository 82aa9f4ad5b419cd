import { type TaskKey, TaskBackendError } from '../../cloud/index.js';
import { oneOf, type OptionRow, OptionTable, rule, text } from '../../domain/index.js';

/** A request of a scheduler to its backend. */
export type TaskRequest = 'claim' | 'open' | 'watch' | 'cancel' | 'tail' | 'release' | 'list';

/** The request to hold, and the point. */
export interface TaskHoldOptions {
  /** Before its effect, or after it and before the answer. @default 'before' */
  readonly at?: 'before' | 'after';
  /** @default any */
  readonly key?: Pick<TaskKey, 'jobName' | 'item'>;
  /** The name of the scheduler's backend. @default any */
  readonly scheduler?: string;
}

const REQUEST = new OptionTable(
  { request: { required: true, rule: oneOf(['claim', 'open', 'watch', 'cancel', 'tail', 'release', 'list']) } },
  'holdNext',
);
const TABLE = new OptionTable(
  {
    at: { rule: oneOf(['before', 'after']) },
    key: { rule: rule('{ jobName, item }', isKey) },
    scheduler: { rule: text() },
  } satisfies Readonly<Record<keyof TaskHoldOptions, OptionRow>>,
  'holdNext',
);

function isKey(value: unknown): boolean {
  const { jobName, item } = Object(value);
  return typeof jobName === 'string' && Number.isSafeInteger(item);
}

/** A request that is held at a point named by a test. */
export interface TaskHold {
  /** Resolves once the request has reached the point. */
  readonly reached: Promise<void>;
  /** Lets it continue. */
  goOn(): void;
  /** Throws a `TaskBackendError` to the scheduler; at `after` that is a lost reply. */
  fail(): void;
}

/** A request, for comparison with holds. */
interface HeldRequest {
  readonly request: TaskRequest;
  readonly key: TaskKey | undefined;
  readonly scheduler: string;
}

interface Gate {
  readonly passed: Promise<void>;
  readonly pass: () => void;
  readonly refuse: (error: Error) => void;
}

/** Holds, each for the next request that fits. */
export class TaskHolds {
  private readonly pending: Hold[] = [];

  hold(request: TaskRequest, options: TaskHoldOptions = {}): TaskHold {
    REQUEST.checked('holdNext', { request });
    const hold = new Hold(request, TABLE.checked('holdNext', options));
    this.pending.push(hold);
    return hold;
  }

  /** The hold for a request; undefined if it is not held. Each hold is for one request. */
  take(asked: HeldRequest): Hold | undefined {
    const index = this.pending.findIndex((hold) => hold.fits(asked));
    return index < 0 ? undefined : this.pending.splice(index, 1)[0];
  }
}

/** One held request. */
class Hold implements TaskHold {
  private readonly come = makeGate();
  private readonly go = makeGate();
  private held: HeldRequest | undefined;

  constructor(
    private readonly request: TaskRequest,
    private readonly options: TaskHoldOptions,
  ) {
    // The refusal may come before anything waits for it.
    this.go.passed.catch(() => {});
  }

  get reached(): Promise<void> {
    return this.come.passed;
  }

  fits({ request, key, scheduler }: HeldRequest): boolean {
    const { key: sought, scheduler: from = scheduler } = this.options;
    const isSought = sought === undefined || (key?.jobName === sought.jobName && key.item === sought.item);
    return request === this.request && scheduler === from && isSought;
  }

  /** Waits, if this is the point. */
  async passes(at: 'before' | 'after', held: HeldRequest): Promise<void> {
    if (at !== (this.options.at ?? 'before')) return;
    this.held = held;
    this.come.pass();
    await this.go.passed;
  }

  goOn(): void {
    this.go.pass();
  }

  fail(): void {
    this.go.refuse(new TaskBackendError('memory', this.request, this.held?.key, 'a test has made it fail'));
  }
}

function makeGate(): Gate {
  let pass = (): void => {};
  let refuse = (_error: Error): void => {};
  const passed = new Promise<void>((resolve, reject) => {
    pass = resolve;
    refuse = reject;
  });
  return { passed, pass, refuse };
}
