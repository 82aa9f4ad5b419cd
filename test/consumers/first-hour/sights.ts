import type { Reader, Sight } from './reader.js';

const CITIES = ['Beijing', 'Shanghai', 'Guangzhou'];
/** A session of 15 s, and as long again for a machine that is busy. */
const FAILOVER_LIMIT_MS = 30_000;

/** The output that README.md promises to a reader, in the order of its blocks. */
export function sightsOf(reader: Reader): readonly Sight[] {
  const { terminal } = reader;
  /** The processes of %1, %2 and %3. */
  let processes: readonly number[] = [];
  /** The city that the killed process worked on. */
  let city = '';
  let killedAt = 0;

  const line = (pid: number, text: string) => new RegExp(String.raw`\[Nest\] ${pid} .*${text}`);
  const now = () => terminal.output.length;
  const begins = async (pid: number) => (await terminal.says(line(pid, String.raw`\] (\w+) begun`), now()))[1] ?? '';
  const jobsOf = async (count: number, since: number) => {
    const [, jobs = ''] = await terminal.says(/\[block \d+: ([\d ]+)\]/, since);
    const pids = jobs.trim().split(' ').map(Number);
    if (pids.length !== count) throw new Error(`${pids.length} processes run instead of ${count}.`);
    return pids;
  };
  /** Waits until the process has ended by the signal, not by an error. */
  const leaves = async (pid: number, since: number) => {
    await terminal.says(line(pid, 'city-report: left as'), since);
    terminal.type(`wait ${pid} || echo "[${pid} ended: $?]"`);
    await terminal.says(new RegExp(String.raw`\[${pid} ended: 143\]`), since);
  };

  return [
    {
      command: 'node dist/main.js',
      after: async (since) => {
        for (const one of CITIES) await terminal.says(new RegExp(`${one} done`), since);
        const [, pid] = await terminal.says(/\[Nest\] (\d+) /, since);
        process.kill(Number(pid), 'SIGINT'); // Ctrl-C
        await terminal.says(/city-report: left as/, since);
      },
    },
    {
      command: 'PORT=3003 node dist/main.js &',
      after: async (since) => {
        processes = await jobsOf(3, since);
        // Each process has one city.
        for (const pid of processes) await terminal.says(line(pid, 'city-report: joined as'), since);
        await Promise.all(processes.map(begins));
      },
    },
    {
      command: 'kill -KILL %2',
      before: async () => {
        city = await begins(processes[1]!);
        killedAt = performance.now();
      },
      after: async (since) => {
        await terminal.says(/city-report: claimed item \d, FAILOVER/, since, FAILOVER_LIMIT_MS);
        console.log(`== the crash was noticed after ${Math.round((performance.now() - killedAt) / 100) / 10} s`);
        await terminal.says(new RegExp(`${city} begun, FAILOVER`), since);
      },
    },
    {
      command: 'kill -TERM %3',
      before: async () => void (city = await begins(processes[2]!)),
      after: async (since) => {
        const pid = processes[2]!;
        const done = await terminal.says(line(pid, `${city} done`), since);
        await leaves(pid, since);
        const rest = terminal.output.slice(since + done.index);
        if (line(pid, 'begun').test(rest)) throw new Error(`${pid} has begun something while it was drained.`);
        const left = now();
        for (const one of CITIES) await terminal.says(line(processes[0]!, `${one} begun`), left);
      },
    },
    { command: 'kill -TERM %1', after: (since) => leaves(processes[0]!, since) },
    {
      command: 'npx vitest run src/report.jobs.spec.ts',
      after: async (since) => void (await terminal.says(/Tests +1 passed/, since)),
    },
    {
      command: 'PORT=3001 node dist/main.js &',
      after: async (since) => void (processes = await jobsOf(1, since)),
    },
    {
      command: 'node dist/operate.js city-report',
      before: async () => void (await terminal.says(line(processes[0]!, 'city-report: joined as'))),
      after: async (since) => {
        await terminal.says(/'city-report'.*'OK'/, since);
        await terminal.says(line(processes[0]!, 'city-report: triggered by an operator'), since);
      },
    },
    { command: 'kill -TERM %1', after: (since) => leaves(processes[0]!, since) },
    {
      command: 'curl -sS --fail http://127.0.0.1:3001/metrics',
      after: async (since) => {
        await terminal.says(/"status":"ok".*"elasticJob"/, since);
        await terminal.says(/^elastic_job_.*city-report/m, since);
      },
    },
  ];
}
