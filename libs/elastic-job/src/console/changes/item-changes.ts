import type { LossOutcome } from '../../operations/index.js';
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

  /**
   * @throws {ConsoleProblem} 409 NOT_RUNNING, NOT_OURS, UNMONITORED, NOT_LOST
   * @throws {UnknownJobError} @throws {UnknownItemError}
   */
  async confirmLost(call: ItemCall): Promise<DoneAnswer> {
    const { audit } = await this.ask(call, 'item.confirm-lost', (job, item) =>
      this.parts.commands.confirmLost(job, item),
    );
    return { audit, note: null };
  }

  /**
   * @throws {ConsoleProblem} 409 NOT_RUNNING, NOT_OURS, UNMONITORED
   * @throws {UnknownJobError} @throws {UnknownItemError}
   */
  async cancel(call: ItemCall): Promise<CancelAnswer> {
    const { audit, result } = await this.ask(call, 'item.cancel', (job, item) => this.parts.commands.cancel(job, item));
    return { ...result, audit };
  }

  /** Asks the holder of an item something about its run. @throws {ConsoleProblem} 409 if nobody was asked */
  private ask(call: ItemCall, action: string, command: (job: string, item: number) => Promise<LossOutcome>) {
    const { item, job } = targetOf(call);
    return recorded(this.parts.audit, call, { action, target: { job, item } }, async () => {
      const asked = askedOf(await command(job, item), job, item);
      return { result: asked, after: asked };
    });
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

/** The run of which its instance was asked, and that instance. @throws {ConsoleProblem} 409 if nobody was */
function askedOf(outcome: LossOutcome, job: string, item: number): Omit<CancelAnswer, 'audit'> {
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
    case 'not-lost':
      throw new ConsoleProblem(
        409,
        'NOT_LOST',
        `Item ${item} of ${job} has no task that is lost: ${stateOf(outcome)}.`,
      );
    default:
      return outcome satisfies never;
  }
}

function stateOf({ state }: { readonly state: string | undefined }): string {
  return state === undefined ? 'no task is known of its run' : `its task is ${state}, and not UNREACHABLE`;
}
