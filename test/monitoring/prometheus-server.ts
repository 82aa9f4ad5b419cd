import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startGuarded } from '@test/support/zookeeper/guarded-process.js';
import { freePort } from '@test/support/zookeeper/loopback.js';

const START_LIMIT_MS = 30_000;
const PAUSE_MS = 100;

/** A series of an answer: its labels, its last value. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A real Prometheus on a free loopback port. It ends with this process at the latest. */
export class PrometheusServer {
  private constructor(
    private readonly address: string,
    private readonly server: Awaited<ReturnType<typeof startGuarded>>,
  ) {}

  /** @param configuration the text of its prometheus.yml */
  static async start(configuration: string): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const file = join(folder, 'prometheus.yml');
    await writeFile(file, configuration);
    const port = await freePort();
    const flags = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`];
    const command = ['prometheus', ...flags, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'];
    const started = new PrometheusServer(`http://127.0.0.1:${port}`, await startGuarded(command, folder));
    await started.untilReady();
    return started;
  }

  /** @throws the error of Prometheus for an expression that it cannot evaluate */
  async query(expr: string): Promise<readonly Sample[]> {
    const { result }: { readonly result: readonly Sample[] } = await this.ask('query', { query: expr });
    return result;
  }

  /** Values that a label has among the series that a selector finds. */
  labelValues(label: string, selector: string): Promise<readonly string[]> {
    return this.ask(`label/${label}/values`, { 'match[]': selector });
  }

  /** An endpoint of `/api/v1`. */
  async ask<T>(endpoint: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const response = await fetch(`${this.address}/api/v1/${endpoint}?${new URLSearchParams(parameters).toString()}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- Prometheus's answers have this form
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(`${answer.error}: ${JSON.stringify(parameters)}`);
    return answer.data;
  }

  lastWords(): string {
    return this.server.lastWords();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async untilReady(): Promise<void> {
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      const isReady = await fetch(`${this.address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      if (performance.now() > deadline) throw new Error(`Prometheus did not start: ${this.lastWords()}`);
      await delay(PAUSE_MS);
    }
  }
}
