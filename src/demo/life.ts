import type { Clock } from '@app/elastic-job';
import type { Instance } from './instance.js';

/** Job whose items are taken over from an instance that crashes. */
const JOB = 'settle-orders';
/** Longest wait for a run of it: somebody may have disabled it. */
const RUN_LIMIT_MS = 30_000;
const CALM_MS = 15_000;
const AWAY_MS = 20_000;
/** Number of the release with which the story begins. */
export const FIRST_RELEASE = 4;

/** Instances by the addresses of their servers, as they come and go. */
export interface Life {
  readonly clock: Clock;
  readonly instances: Map<string, Instance>;
  readonly start: (host: string, release: number) => Promise<Instance>;
  readonly tell: (line: string) => void;
}

/**
 * Lets instances crash, come again, and leave in order, in turn, until the signal aborts. Only one is away at a time.
 * The first to leave in each turn begins a deploy: all that come from then on are of the next release.
 * @throws the reason of the signal
 */
export async function live(life: Life, signal: AbortSignal): Promise<never> {
  for (let release = FIRST_RELEASE; ; release += 1) {
    for (const [turn, host] of [...life.instances.keys()].toReversed().entries()) {
      await life.clock.sleep(CALM_MS, signal);
      await crash(life, host, signal);
      await life.clock.sleep(AWAY_MS, signal);
      await comeBack(life, host, turn === 0 ? release : release + 1);
      await life.clock.sleep(CALM_MS, signal);
      await leave(life, host);
      await life.clock.sleep(AWAY_MS, signal);
      await comeBack(life, host, release + 1);
    }
  }
}

/** In the middle of a run, so that its items move. */
async function crash({ clock, instances, tell }: Life, host: string, signal: AbortSignal): Promise<void> {
  const instance = instances.get(host)!;
  const limit = new AbortController();
  const timer = clock.setTimer(RUN_LIMIT_MS, () => limit.abort());
  await instance.begins(JOB, limit.signal);
  timer.cancel();
  await clock.sleep(1_000, signal);
  instances.delete(host);
  instance.crash();
  tell(`The instance on ${host} has crashed. What it ran of ${JOB} runs again elsewhere, once its session is over.`);
}

async function leave({ instances, tell }: Life, host: string): Promise<void> {
  const instance = instances.get(host)!;
  instances.delete(host);
  tell(`The instance on ${host} leaves, as in a deployment: others take its items.`);
  await instance.leave();
}

async function comeBack({ instances, start, tell }: Life, host: string, release: number): Promise<void> {
  instances.set(host, await start(host, release));
  tell(`A new instance has come on ${host}.`);
}
