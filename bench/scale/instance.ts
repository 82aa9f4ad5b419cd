import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ClientProcess } from '@test/support/faults/index.js';
import type { CallName, InstanceCalls, Reply } from './child/instance-calls.js';

const CALL_LIMIT_MS = 600_000;
const LEAVE_LIMIT_MS = 30_000;

/** A measured process. It ends with this one at the latest. */
export class Instance {
  private lastId = 0;
  private stopping: Promise<void> | undefined;

  private constructor(readonly process: ClientProcess) {}

  /** @param script the bundle of `instance.fixture.ts` */
  static fork(script: URL): Instance {
    const child = fork(fileURLToPath(script), [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
    return new Instance(new ClientProcess(child));
  }

  /** @throws the error there, or an error if there is no answer in ten minutes */
  async call<Name extends CallName>(
    name: Name,
    ...[given]: Parameters<InstanceCalls[Name]>
  ): Promise<ReturnType<InstanceCalls[Name]>>;
  async call(name: CallName, given?: unknown): Promise<unknown> {
    return this.ask(name, given, CALL_LIMIT_MS);
  }

  /** Lets it leave its jobs in order, and end. Idempotent. */
  stop(): Promise<void> {
    this.stopping ??= this.leaveAndEnd();
    return this.stopping;
  }

  private async leaveAndEnd(): Promise<void> {
    await this.ask('leave', undefined, LEAVE_LIMIT_MS).catch((error: unknown) => console.error(error));
    await this.process.stop();
  }

  private async ask(call: CallName, given: unknown, limitMs: number): Promise<unknown> {
    const id = (this.lastId += 1);
    this.process.send({ id, call, with: given });
    const isMine = (message: unknown): message is Reply => isReply(message) && message.id === id;
    const reply = await this.process.receive(isMine, limitMs);
    if ('failed' in reply) throw new Error(`The measured process could not ${call}: ${reply.failed}`);
    return reply.result;
  }
}

function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'id' in message;
}
