import { Agent, request } from 'node:http';
import type { Clock } from '../../../../libs/elastic-job/src/clock/index.js';
import { FencedError, type ShardingContext } from '../../../../libs/elastic-job/src/domain/index.js';
import type { Entry } from './run-store.js';
import type { WorkerSettings } from './worker.js';

/** Of a hundred runs, how many take no notice of their signal: the fence has to stop them. */
const DEAF = 0.3;

/** The work of every job: writes to the shared store when it begins and when it has ended. */
export class Handlers {
  readonly #agent = new Agent({ keepAlive: true });
  #runs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly settings: WorkerSettings,
    private readonly tell: (event: string, facts: object) => void,
  ) {}

  /** @throws {FencedError} if the store refuses a write */
  async run(context: ShardingContext): Promise<void> {
    const { leastMs, mostMs } = this.settings;
    const first = this.#describe(context);
    const write = (step: Entry['step']) => this.#write({ ...first, step, at: this.clock.wallNow() });
    context.signal.addEventListener('abort', () => {
      write('abort').catch((error: unknown) => this.tell('store', { failed: String(error) }));
    });
    if (!(await write('begin'))) throw this.#fenced(context);
    const isDeaf = this.clock.random() < DEAF;
    await this.clock.sleep(leastMs + this.clock.random() * (mostMs - leastMs), isDeaf ? undefined : context.signal);
    if (!(await write('end'))) throw this.#fenced(context);
  }

  #describe({ jobName, shardingItem, fireTime, source, token, tokenEpoch }: ShardingContext): Entry {
    const { name: worker } = this.settings;
    const begunAt = this.clock.wallNow();
    return {
      step: 'begin',
      run: `${worker}#${(this.#runs += 1)}`,
      job: jobName,
      item: shardingItem,
      source,
      fireTime: fireTime.getTime(),
      token: String(token),
      tokenEpoch,
      worker,
      begunAt,
      at: begunAt,
    };
  }

  #fenced({ jobName, shardingItem, token }: ShardingContext): FencedError {
    return new FencedError(jobName, shardingItem, token!);
  }

  #write(entry: Entry): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const sent = request(this.settings.store, { method: 'POST', agent: this.#agent }, (response) => {
        response.resume();
        const { statusCode } = response;
        if (statusCode === 500) reject(new Error(`The store failed to write the ${entry.step} of ${entry.run}.`));
        else resolve(statusCode === 204);
      });
      sent.on('error', reject).end(JSON.stringify(entry));
    });
  }
}
