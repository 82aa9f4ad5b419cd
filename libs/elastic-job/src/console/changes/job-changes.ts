import type { NewJob, RerunOptions } from '../../operations/index.js';
import {
  type ConsoleCall,
  ConsoleProblem,
  type DoneAnswer,
  HIDDEN,
  type RerunAnswer,
  type RerunPreviewAnswer,
  type ResignAnswer,
  seesJob,
  type ShutdownAnswer,
  type TriggerAnswer,
} from '../contract/index.js';
import type { CreateBody, ReasonBody, RemoveBody, RerunBody, SwitchBody, TriggerBody } from './bodies.js';
import { assertNotHidden, maskChanges } from './hiding.js';
import { type NotedChange, noteOn, noteOnSwitch } from './notes.js';
import type { AuditTrail, Configurations, FindJob, JobAbout, JobCommands } from './ports.js';
import { recorded } from './recording.js';
import { assertSeen } from './seen.js';
import { assertTargetsAllowed, type ConsoleTargets } from './targets.js';

interface JobChangeParts {
  readonly audit: AuditTrail;
  readonly commands: JobCommands;
  readonly configurations: Configurations;
  readonly findJob: FindJob;
  readonly targets: ConsoleTargets;
}

/**
 * Changes of whole jobs. Each checks its request, is written down, is done once, and answers. Nothing is repeated: a
 * lost reply is the caller's to look into.
 */
export class JobChanges {
  constructor(private readonly parts: JobChangeParts) {}

  /** @throws {UnknownJobError} @throws {ElasticJob2ConfigurationError} @throws {RequestTooLargeError} */
  async trigger(call: ConsoleCall<object, TriggerBody>): Promise<TriggerAnswer> {
    const { audit, commands } = this.parts;
    const { parameters } = call.body;
    const job = call.params.job!;
    const { result, audit: id } = await recorded(audit, call, { action: 'job.trigger', target: { job } }, async () => {
      const receipt = await commands.trigger(job, parameters === undefined ? {} : { parameters });
      return { result: receipt, after: { ...receipt, ...(parameters !== undefined && { parameters: HIDDEN }) } };
    });
    return { id: result.id, asked: result.asked, pending: result.pending, skipped: result.skipped ?? null, audit: id };
  }

  /**
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {NoSuchFireTimeError} @throws {TooManyRerunsError}
   * @throws {JavaPeersError} @throws {ResidentJobError} @throws {UnmonitoredJobError} @throws {ConfigurationError}
   */
  async rerun(call: ConsoleCall<object, RerunBody>): Promise<RerunAnswer> {
    const { audit, commands } = this.parts;
    const job = call.params.job!;
    const options = rerunOf(call.body);
    const hidden = options.parameters === undefined ? {} : { parameters: HIDDEN };
    const { items, fireTimes, anyTime = false } = call.body;
    const asked = { items, fireTimes, anyTime, ...hidden };
    const intended = { action: 'job.rerun', target: { job }, after: asked };
    const { result, audit: entry } = await recorded(audit, call, intended, async () => {
      const receipt = await commands.rerun(job, options);
      return { result: receipt, after: { ...asked, ...receipt } };
    });
    const { id, targets, waitsFor } = result;
    return { id, targets, waitsFor, audit: entry };
  }

  /** Changes nothing. @throws {UnknownJobError} @throws {ConfigurationError} */
  async previewRerun({ body, params }: ConsoleCall<object, RerunBody>): Promise<RerunPreviewAnswer> {
    const { targets } = await this.parts.commands.previewRerun(params.job!, rerunOf(body));
    return {
      targets: targets.map(({ fireTime, item, owner = null, begins, because }) => ({
        fireTime: new Date(fireTime).toISOString(),
        item,
        last: null,
        newerSuccess: null,
        owner,
        begins,
        because,
      })),
    };
  }

  /** @throws {UnknownJobError} @throws {UnknownRerunError} */
  async withdrawRerun(call: ConsoleCall<object, ReasonBody>): Promise<DoneAnswer> {
    const { audit, commands } = this.parts;
    const { job = '', rerun: id = '' } = call.params;
    const intended = { action: 'rerun.withdraw', target: { job }, before: { id } };
    const { audit: entry } = await recorded(audit, call, intended, async () => {
      await commands.withdrawRerun(job, id);
      return { result: undefined };
    });
    return { audit: entry, note: null };
  }

  /** @throws {UnknownJobError} */
  async resign(call: ConsoleCall<object, ReasonBody>): Promise<ResignAnswer> {
    const { audit, commands } = this.parts;
    const job = call.params.job!;
    const intended = { action: 'job.resign', target: { job } };
    const { result: instance, audit: id } = await recorded(audit, call, intended, async () => {
      const outcome = await commands.resign(job);
      const result = outcome.kind === 'resigned' ? outcome.instanceId : null;
      return { result, after: { instance: result } };
    });
    return { instance, audit: id };
  }

  enable(call: ConsoleCall<object, SwitchBody>): Promise<DoneAnswer> {
    return this.switchJob(call, 'enable');
  }

  disable(call: ConsoleCall<object, SwitchBody>): Promise<DoneAnswer> {
    return this.switchJob(call, 'disable');
  }

  reshard(call: ConsoleCall<object, ReasonBody>): Promise<DoneAnswer> {
    return this.done(call, 'reshard', (job) => this.parts.commands.reshard(job));
  }

  /** @throws {JobExistsError} @throws {ConfigurationError} @throws {TemplateLimitError} */
  async create(call: ConsoleCall<object, CreateBody>): Promise<DoneAnswer> {
    const { audit, commands, targets } = this.parts;
    const { name, settings = {}, template } = call.body;
    if (!seesJob(call.caller, name)) {
      throw new ConsoleProblem(403, 'FORBIDDEN', `Your jobs are those that begin with ${call.caller.jobPrefix}.`);
    }
    assertNotHidden(settings);
    assertSeen(call.caller, settings);
    assertTargetsAllowed({}, settings, targets);
    const intended = { action: 'job.create', target: { job: name }, after: { template, ...maskChanges(settings) } };
    const { audit: id } = await recorded(audit, call, intended, async () => {
      // oxlint-disable-next-line no-unsafe-type-assertion -- the library judges the settings, whatever they are
      await commands.create({ ...settings, name, template } as NewJob);
      return { result: undefined };
    });
    return { audit: id, note: null };
  }

  /** @throws {UnknownJobError} */
  async shutdown(call: ConsoleCall<object, ReasonBody>): Promise<ShutdownAnswer> {
    const { audit, commands } = this.parts;
    const job = call.params.job!;
    const { result: instances, audit: id } = await recorded(
      audit,
      call,
      { action: 'job.shutdown', target: { job } },
      async () => {
        const result = await commands.shutdown(job);
        return { result, after: { instances: result } };
      },
    );
    return { instances, audit: id };
  }

  /** A job from a template lets its present runs end first. @throws {UnknownJobError} */
  async remove(call: ConsoleCall<object, RemoveBody>): Promise<DoneAnswer> {
    const { commands, configurations } = this.parts;
    if (call.body.name !== call.params.job) {
      throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The name in the body is not that of the job.', {
        fields: [{ field: 'name', problem: 'must repeat the name of the job' }],
      });
    }
    return this.done(call, 'remove', (job, { template }) =>
      template === null ? configurations.removeJobConfiguration(job) : commands.remove(job),
    );
  }

  private async switchJob(call: ConsoleCall<object, SwitchBody>, action: 'disable' | 'enable'): Promise<DoneAnswer> {
    const { audit, commands } = this.parts;
    const job = call.params.job!;
    const scope = call.body.newServers === false ? { newServers: false } : {};
    const intended = { action: `job.${action}`, target: { job } };
    const { result, audit: id } = await recorded(audit, call, intended, async () => {
      const switched = await commands[action](job, scope);
      return { result: switched, after: switched };
    });
    return { audit: id, note: noteOnSwitch(result) };
  }

  private async done(
    call: ConsoleCall<object, ReasonBody>,
    action: NotedChange & ('reshard' | 'remove'),
    change: (job: string, about: JobAbout) => Promise<unknown>,
  ): Promise<DoneAnswer> {
    const { audit, findJob } = this.parts;
    const job = call.params.job!;
    const about = await findJob(job);
    const { audit: id } = await recorded(audit, call, { action: `job.${action}`, target: { job } }, async () => {
      await change(job, about);
      return { result: undefined };
    });
    return { audit: id, note: noteOn(action, about) };
  }
}

function rerunOf({ anyTime = false, fireTimes, items, parameters }: RerunBody): RerunOptions {
  const instants = fireTimes.map((instant) => new Date(instant));
  return { items, fireTimes: instants, anyTime, ...(parameters !== undefined && { parameters }) };
}
