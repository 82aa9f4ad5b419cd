import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { trace } from '@opentelemetry/api';
import type { Observable } from 'rxjs';
import { JobOperateApi } from '../../../../libs/elastic-job/src/entries/operations.js';
import { ZooKeeperGuard } from '../../../../libs/elastic-job/src/entries/zookeeper-guard.js';
import {
  ConfigurationService,
  type DataflowJob,
  ElasticJob,
  ElasticJobTemplate,
  ExecutionService,
  ExecutorDeathError,
  FailoverService,
  JobRegistrar,
  LeaderService,
  REGISTRY_CENTER,
  type ShardingContext,
  ShardingService,
} from '../../../../libs/elastic-job/src/index.js';
import type { RegistryCenter } from '../../../../libs/elastic-job/src/registry/index.js';

const USUAL = { cron: '* * * * * ?', shardingTotalCount: 3, failover: true } as const;

/** Tells the test a JSON text, one in a line. */
export function tell(what: unknown): void {
  console.log(JSON.stringify(what));
}

function told(error: unknown) {
  if (!(error instanceof Error)) throw new Error('no error was thrown');
  return { name: error.name, message: error.message, code: 'code' in error ? error.code : undefined };
}

/** Never resolves, and keeps the process alive until a signal, an error or an exit ends it. */
export const forever = (): Promise<never> => new Promise(() => void setInterval(() => {}, 60_000));
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

/** Keeps the event loop busy. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Handlers by the value of the prop `do`. */
const WORK: Readonly<Record<string, (context: ShardingContext) => unknown>> = {
  tell: (context) => {
    context.assertHeld();
    const { checkpoint: _, signal, ...facts } = context;
    const moving = context.isMoving();
    tell({ ...facts, fireTime: facts.fireTime.getTime(), token: String(facts.token), aborted: signal.aborted, moving });
  },
  trace: () => tell({ traceId: trace.getActiveSpan()?.spanContext().traceId }),
  throw: () => {
    throw new RangeError('no such order, hunter2');
  },
  retry: ({ attempt }) => {
    tell({ attempt });
    if (attempt < 3) throw new Error(`attempt ${attempt}`);
  },
  die: () => {
    throw new ExecutorDeathError('KILLED', 'signal SIGKILL');
  },
  exit: ({ jobParameter }) => process.exit(Number(jobParameter)),
  reject: async () => {
    void Promise.reject(new RangeError('nobody hears'));
    await forever();
  },
  raise: async () => {
    setTimeout(() => {
      throw new RangeError('nobody catches');
    });
    await forever();
  },
  'wait for nothing': () => new Promise(() => {}),
  wait: async (context) => {
    const { signal } = context;
    tell('waiting');
    const keepAlive = setInterval(() => {}, 1_000);
    await untilAborted(signal);
    clearInterval(keepAlive);
    const { name, message, cause } = signal.reason;
    tell({ name, message, cause: cause?.message });
    try {
      context.assertHeld();
    } catch (error) {
      tell(told(error).name);
    }
  },
  ignore: async () => {
    tell('waiting');
    await forever();
  },
  'stay busy': (context) => {
    tell('waiting');
    const until = performance.now() + 60_000;
    while (performance.now() < until) {
      try {
        context.assertHeld();
      } catch (error) {
        return tell({ lost: told(error).name, aborted: context.signal.aborted });
      }
    }
  },
  block: async (context) => {
    tell('blocking');
    block(Number(context.jobParameter));
    try {
      context.assertHeld();
      await context.checkpoint.save({ row: 8 });
      tell({ saved: await context.checkpoint.load(), aborted: context.signal.aborted });
    } catch (error) {
      const { aborted, reason } = context.signal;
      tell({ lost: told(error).name, aborted, cause: reason?.cause?.message });
      throw error;
    }
  },
  'ask for a while': (context) => {
    const until = performance.now() + Number(context.jobParameter);
    while (performance.now() < until) context.assertHeld();
  },
  leave: () => void setInterval(() => {}, 1_000),
  checkpoint: async ({ checkpoint }) => {
    tell({ loaded: await checkpoint.load() });
    try {
      await checkpoint.save({ row: 8 });
      tell({ saved: await checkpoint.load() });
      await checkpoint.clear();
      tell({ cleared: (await checkpoint.load()) ?? 'none' });
    } catch (error) {
      const { code, message } = told(error);
      tell({ code, message });
    }
  },
};

@Injectable()
export class Settle {
  @ElasticJob({ ...USUAL, name: 'settle', maxAttempts: 2, retryDelayMs: 1 })
  async settle(context: ShardingContext): Promise<void> {
    await WORK[context.props['do'] ?? 'tell']!(context);
  }
}

@ElasticJob({ ...USUAL, name: 'flow', props: { 'streaming.process': 'true' } })
@Injectable()
export class Flow implements DataflowJob<number> {
  private left = 3;

  fetchData({ shardingItem }: ShardingContext): number[] {
    this.left -= 1;
    return this.left > 0 ? [shardingItem, this.left] : [];
  }

  processData(_: ShardingContext, data: readonly number[]): void {
    tell({ processed: data });
  }
}

@Injectable()
export class Orders {
  @ElasticJobTemplate('orders')
  settle({ jobName, props }: ShardingContext): void {
    tell({ created: jobName, props });
  }
}

/** A provider with one instance for each run. */
@Injectable({ scope: Scope.REQUEST })
export class Scoped {
  constructor(@Inject(REQUEST) private readonly request: ShardingContext) {}

  @ElasticJob({ ...USUAL, name: 'scoped' })
  run(context: ShardingContext): void {
    tell({ scoped: this.request === context, item: this.request.shardingItem });
  }
}

@Injectable()
export class Seen {
  readonly names: string[] = [];
}

@Injectable()
class Guard implements CanActivate {
  constructor(private readonly seen: Seen) {}

  canActivate(context: ExecutionContext): boolean {
    this.seen.names.push(`guard ${context.getType<string>()}`);
    const { props } = context.getArgByIndex<ShardingContext>(0);
    return props['deny'] === undefined;
  }
}

@Injectable()
class Interceptor implements NestInterceptor {
  constructor(private readonly seen: Seen) {}

  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.seen.names.push('interceptor');
    return next.handle();
  }
}

@Catch(RangeError)
class Filter implements ExceptionFilter {
  catch(error: RangeError, host: ArgumentsHost): string {
    tell({ filtered: error.message, type: host.getType<string>() });
    return 'dealt with';
  }
}

@Injectable()
export class Enhanced {
  constructor(private readonly seen: Seen) {}

  @UseGuards(Guard)
  @UseInterceptors(Interceptor)
  @UseFilters(Filter)
  @ElasticJob({ ...USUAL, name: 'enhanced' })
  run(): void {
    tell(this.seen.names);
    throw new RangeError('for the filter');
  }
}

/** Calls every service that needs a registry. */
@Injectable()
export class Services {
  constructor(
    private readonly configurations: ConfigurationService,
    private readonly executions: ExecutionService,
    private readonly failover: FailoverService,
    private readonly leader: LeaderService,
    private readonly operate: JobOperateApi,
    private readonly registrar: JobRegistrar,
    private readonly sharding: ShardingService,
    @Inject(REGISTRY_CENTER) private readonly registry: RegistryCenter,
  ) {}

  @ElasticJob({ ...USUAL, name: 'services' })
  async run(context: ShardingContext): Promise<void> {
    const { configurations, executions, failover, leader, operate, registrar, registry, sharding } = this;
    const guard = new ZooKeeperGuard(registry, '/fences');
    const asked: Readonly<Record<string, () => unknown>> = {
      isLeader: () => leader.isLeader('settle'),
      terms: () => leader.terms('settle'),
      assignments: () => sharding.assignments('settle'),
      pending: () => failover.pending('settle'),
      running: () => executions.running('settle'),
      current: () => configurations.current('settle'),
      declared: () => configurations.declared('settle')?.jobName,
      jobs: () => registrar.jobs.length > 3,
      change: () => registrar.change('settle', { description: 'x' }),
      trigger: () => operate.trigger('settle'),
      guard: () => guard.write(context, []),
      read: () => registry.read('/settle'),
    };
    for (const [name, ask] of Object.entries(asked)) tell({ [name]: await answerOf(ask) });
  }
}

async function answerOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return told(error).name;
  }
}
