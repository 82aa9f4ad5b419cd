import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type { JobHandler, ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import type { Behaviour } from './peer.js';

class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** The work of every job. It reports begin and end of an item, and behaves in between as it was last told. */
export class BehavingHandlers {
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #gates = new Map<string, Gate>();

  constructor(
    private readonly clock: Clock,
    private readonly tell: (event: string, facts: object) => void,
  ) {}

  behave(job: string, behaviour: Behaviour): void {
    this.#behaviours.set(job, behaviour);
  }

  release(job: string): void {
    this.#gates.get(job)?.open();
    this.#gates.delete(job);
  }

  handlerOf(job: string): JobHandler {
    return async (context) => {
      const about = { job, item: context.shardingItem, context: described(context) };
      this.tell('begun', about);
      let failed: string | undefined;
      try {
        await this.#act(job, context.signal);
      } catch (error) {
        failed = String(error);
        throw error;
      } finally {
        this.tell('ended', { ...about, failed });
      }
    };
  }

  async #act(job: string, signal: AbortSignal): Promise<void> {
    const behaviour = this.#behaviours.get(job) ?? { kind: 'end' };
    if (behaviour.kind === 'fail') throw new Error('told to fail');
    if (behaviour.kind === 'sleep') await this.clock.sleep(behaviour.ms, signal);
    if (behaviour.kind === 'block') await Promise.race([this.#gateOf(job), aborted(signal)]);
  }

  #gateOf(job: string): Promise<void> {
    const gate = this.#gates.get(job) ?? new Gate();
    this.#gates.set(job, gate);
    return gate.opened;
  }
}

function described({ fireTime, source, trigger, taskId, token, shardingParameter }: ShardingContext): object {
  return { fireTime: fireTime.getTime(), source, trigger, taskId, token: token?.toString(), shardingParameter };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
