import { Agent, request } from 'node:http';
import type { Clock } from '../../../../libs/elastic-job/src/clock/index.js';
import { FencedError, type ShardingContext } from '../../../../libs/elastic-job/src/domain/index.js';
import type { RunLine } from '../check/index.js';
import { HostTime } from './host-time.js';
import { LineLog } from './line-log.js';
import type { WorkerSettings } from './worker.js';

/** Share of runs that ignore their signal, so that the fence has to stop them. */
const DEAF = 0.3;

/** The work of every job. Begin and end are first lines of a log, and then writes to the shared store. */
export class Handlers {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #log: LineLog;
  readonly #time: HostTime;
  #runs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly settings: WorkerSettings,
  ) {
    this.#log = new LineLog(settings.runLog);
    this.#time = new HostTime(settings.epochMs);
  }

  /** @throws {FencedError} if the store refuses a write */
  async run(context: ShardingContext): Promise<void> {
    const first = this.#describe(context);
    const append = async (step: RunLine['step']) => {
      const line = { ...first, step, at: this.#time.now() };
      await this.#log.append(line);
      return line;
    };
    context.signal.addEventListener('abort', () => void append('abort'));
    try {
      if (!(await this.#write(await append('begin')))) throw this.#fenced(context);
      await this.#work(context);
      if (!(await this.#write(await append('end')))) throw this.#fenced(context);
    } catch (error) {
      await append('fail');
      throw error;
    }
  }

  async #work({ signal }: ShardingContext): Promise<void> {
    const { leastMs, mostMs } = this.settings;
    const isDeaf = this.clock.random() < DEAF;
    await this.clock.sleep(leastMs + this.clock.random() * (mostMs - leastMs), isDeaf ? undefined : signal);
  }

  #describe({ jobName, shardingItem, fireTime, source, token, tokenEpoch }: ShardingContext): RunLine {
    const { name: worker } = this.settings;
    const begunAt = this.#time.now();
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

  #write(line: RunLine): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const sent = request(this.settings.store, { method: 'POST', agent: this.#agent }, (response) => {
        response.resume();
        const { statusCode } = response;
        if (statusCode === 500) reject(new Error(`The store failed to write the ${line.step} of ${line.run}.`));
        else resolve(statusCode === 204);
      });
      sent.on('error', reject).end(JSON.stringify(line));
    });
  }
}
