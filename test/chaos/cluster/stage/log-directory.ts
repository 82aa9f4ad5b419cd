import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard, type Guard } from '@test/support/zookeeper/guard.js';
import {
  type Early,
  earlyIn,
  type Effect,
  effectsIn,
  type EffectLine,
  linesOf,
  type Run,
  runsIn,
  type RunLine,
  type Told,
  toldIn,
  type ToldLine,
} from '../check/index.js';

/** All facts that the judge has about runs. */
export interface Logged {
  readonly runs: readonly Run[];
  readonly effects: readonly Effect[];
  /** Undefined: no worker reports anything. */
  readonly told: readonly Told[] | undefined;
  readonly early: readonly Early[];
  /** Number of writes that the store has rejected. */
  readonly refusals: number;
}

type LogKind = 'runs' | 'effects' | 'told';

/** The directory of all append-only logs, with one file of each kind for each process that writes such lines. */
export class LogDirectory {
  private constructor(
    private readonly path: string,
    private readonly removal: Guard | undefined,
  ) {}

  /** @param kept an existing directory that stays, if it is given */
  static async make(kept?: string): Promise<LogDirectory> {
    if (kept === undefined) {
      const path = await mkdtemp(join(tmpdir(), 'chaos-'));
      return new LogDirectory(path, guard('rm -rf "$1"', path));
    }
    await mkdir(kept, { recursive: true });
    return new LogDirectory(kept, undefined);
  }

  /** File to which that process appends lines of that kind. */
  file(process: string, kind: LogKind): string {
    return join(this.path, `${process}.${kind}.log`);
  }

  async read(): Promise<Logged> {
    const effectLines: EffectLine[] = await this.#lines('effects');
    const toldLines: ToldLine[] = await this.#lines('told');
    const runLines: RunLine[] = await this.#lines('runs');
    return {
      runs: runsIn(runLines, effectLines),
      effects: effectsIn(effectLines),
      told: toldLines.length === 0 ? undefined : toldIn(toldLines),
      early: earlyIn(toldLines),
      refusals: effectLines.filter(({ isAccepted }) => !isAccepted).length,
    };
  }

  /** Removes the directory, unless it is to be kept. */
  async stop(): Promise<void> {
    await this.removal?.release();
  }

  async #lines(kind: LogKind): Promise<any[]> {
    const names = (await readdir(this.path)).filter((name) => name.endsWith(`.${kind}.log`));
    const texts = await Promise.all(names.map((name) => readFile(join(this.path, name), 'utf8')));
    return texts.flatMap(linesOf).map((line) => JSON.parse(line));
  }
}
