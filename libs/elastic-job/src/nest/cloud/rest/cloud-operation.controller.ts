import { BadRequestException, Get, Inject, NotImplementedException, Post, Query } from '@nestjs/common';
import { TASK_SCHEDULER } from '../../tokens.js';
import type { TaskScheduler } from '../task-scheduler.js';
import { CloudRegistrations } from './cloud-registrations.js';
import { RepeatedReconcileError } from './cloud-rest.errors.js';
import { CloudAnswer, CloudController } from './cloud-route.js';

/** `/api/operate`. @see ElasticJob-Cloud 3.0.2, `CloudOperationController` */
@CloudController('api/operate')
export class CloudOperationController {
  constructor(
    @Inject(TASK_SCHEDULER) private readonly scheduler: Pick<TaskScheduler, 'reconcile'>,
    private readonly registrations: CloudRegistrations,
  ) {}

  /** Mesos reports the states of given tasks, or of all. A backend is always asked for all of them. */
  @Post(['reconcile/explicit', 'reconcile/implicit'])
  @CloudAnswer()
  async reconcile(): Promise<true> {
    if (!(await this.scheduler.reconcile())) throw new RepeatedReconcileError();
    return true;
  }

  @Get('sandbox')
  @CloudAnswer()
  async sandbox(@Query() { appName }: Record<string, unknown>): Promise<never> {
    if (typeof appName !== 'string' || appName === '') throw new BadRequestException('appName must be given.');
    await this.registrations.app(appName);
    throw new NotImplementedException("Tasks have no sandbox; the event task-released has the end of a task's output.");
  }
}
