import type { ConsoleCall, DoneAnswer, ShutdownAnswer } from '../contract/index.js';
import type { ReasonBody } from './bodies.js';
import { noteOn } from './notes.js';
import type { AuditTrail, FindJob, JobCommands } from './ports.js';
import { recorded } from './recording.js';

interface ServerChangeParts {
  readonly audit: AuditTrail;
  readonly commands: JobCommands;
  readonly findJob: FindJob;
}

type ServerCall = ConsoleCall<object, ReasonBody>;

/** Changes of servers: in all their jobs, or in one. @see JobChanges */
export class ServerChanges {
  constructor(private readonly parts: ServerChangeParts) {}

  /** @throws {UnknownServerError} */
  enable(call: ServerCall): Promise<DoneAnswer> {
    return this.done(call, 'server.enable', (ip) => this.parts.commands.enableServer(ip));
  }

  /** @throws {UnknownServerError} */
  disable(call: ServerCall): Promise<DoneAnswer> {
    return this.done(call, 'server.disable', (ip) => this.parts.commands.disableServer(ip));
  }

  /** @throws {UnknownServerError} */
  remove(call: ServerCall): Promise<DoneAnswer> {
    return this.done(call, 'server.remove', (ip) => this.parts.commands.removeServer(ip));
  }

  /** @throws {UnknownServerError} */
  async shutdown(call: ServerCall): Promise<ShutdownAnswer> {
    const { audit, commands } = this.parts;
    const server = call.params.ip!;
    const intended = { action: 'server.shutdown', target: { server } };
    const { result: instances, audit: id } = await recorded(audit, call, intended, async () => {
      const result = await commands.shutdownServer(server);
      return { result, after: { instances: result } };
    });
    return { instances, audit: id };
  }

  /** @throws {UnknownJobError} @throws {UnknownServerError} */
  enableJob(call: ServerCall): Promise<DoneAnswer> {
    return this.switchJob(call, 'enable');
  }

  /** @throws {UnknownJobError} @throws {UnknownServerError} */
  disableJob(call: ServerCall): Promise<DoneAnswer> {
    return this.switchJob(call, 'disable');
  }

  private async switchJob(call: ServerCall, action: 'disable' | 'enable'): Promise<DoneAnswer> {
    const { audit, commands, findJob } = this.parts;
    const [job, server] = [call.params.job!, call.params.ip!];
    const about = await findJob(job);
    const { audit: id } = await recorded(
      audit,
      call,
      { action: `job.${action}`, target: { job, server } },
      async () => {
        await commands[action](job, { serverIp: server });
        return { result: undefined };
      },
    );
    return { audit: id, note: noteOn('switch on server', about) };
  }

  private async done(call: ServerCall, action: string, change: (ip: string) => Promise<unknown>): Promise<DoneAnswer> {
    const server = call.params.ip!;
    const { audit } = await recorded(this.parts.audit, call, { action, target: { server } }, async () => {
      const jobs = await change(server);
      return { result: undefined, ...(Array.isArray(jobs) && { after: { jobs } }) };
    });
    return { audit, note: null };
  }
}
