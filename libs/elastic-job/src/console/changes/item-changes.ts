import type { CancelOutcome } from '../../operations/index.js';
import { type CancelAnswer, type ConsoleCall, ConsoleProblem, type DoneAnswer } from '../contract/index.js';
import type { ReasonBody } from './bodies.js';
import type { AuditTrail, ItemCommands, JobCommands } from './ports.js';
import { recorded } from './recording.js';

interface ItemChangeParts {
  readonly audit: AuditTrail;
  readonly commands: Pick<JobCommands, 'cancel' | 'confirmLost'>;
  readonly items: ItemCommands;
}

type ItemCall = ConsoleCall<object, ReasonBody>;

/** Changes of single items. @see JobChanges */
export class ItemChanges {
  constructor(private readonly parts: ItemChangeParts) {}

  /** @throws {UnknownJobError} @throws {UnknownItemError} */
  enable(call: ItemCall): Promise<DoneAnswer> {
    return this.done(call, 'item.enable', (job, item) => this.parts.items.enable(job, item));
  }

  /** @throws {UnknownJobError} @throws {UnknownItemError} */
  disable(call: ItemCall): Promise<DoneAnswer> {
    return this.done(call, 'item.disable', (job, item) => this.parts.items.disable(job, item));
  }

  /** @throws {UnknownJobError} @throws {UnknownItemError} */
  confirmLost(call: ItemCall): Promise<DoneAnswer> {
    return this.done(call, 'item.confirm-lost', (job, item) => this.parts.commands.confirmLost(job, item));
  }

  /**
   * @throws {ConsoleProblem} 409 NOT_RUNNING, NOT_OURS, UNMONITORED
   * @throws {UnknownJobError} @throws {UnknownItemError}
   */
  async cancel(call: ItemCall): Promise<CancelAnswer> {
    const { audit, commands } = this.parts;
    const { item, job } = targetOf(call);
    const { result, audit: id } = await recorded(
      audit,
      call,
      { action: 'item.cancel', target: { job, item } },
      async () => {
        const asked = askedOf(await commands.cancel(job, item), job, item);
        return { result: asked, after: asked };
      },
    );
    return { ...result, audit: id };
  }

  private async done(
    call: ItemCall,
    action: string,
    change: (job: string, item: number) => Promise<unknown>,
  ): Promise<DoneAnswer> {
    const { item, job } = targetOf(call);
    const { audit } = await recorded(this.parts.audit, call, { action, target: { job, item } }, async () => {
      await change(job, item);
      return { result: undefined };
    });
    return { audit, note: null };
  }
}

function targetOf({ params }: ItemCall): { readonly job: string; readonly item: number } {
  return { job: params.job!, item: Number(params.item) };
}

/** The run that was asked to end, and its instance. @throws {ConsoleProblem} 409 if nobody was */
function askedOf(outcome: CancelOutcome, job: string, item: number): Omit<CancelAnswer, 'audit'> {
  switch (outcome.kind) {
    case 'requested':
      return { run: outcome.run, instance: outcome.instanceId };
    case 'not-running':
      throw new ConsoleProblem(409, 'NOT_RUNNING', `Item ${item} of ${job} does not run.`);
    case 'not-ours':
      throw new ConsoleProblem(409, 'NOT_OURS', `A Java instance runs item ${item} of ${job}, and cannot be asked.`, {
        instances: [outcome.instanceId],
      });
    case 'unmonitored':
      throw new ConsoleProblem(
        409,
        'UNMONITORED',
        `Nobody knows what runs of ${job}: its setting monitorExecution is off.`,
      );
    default:
      return outcome satisfies never;
  }
}
