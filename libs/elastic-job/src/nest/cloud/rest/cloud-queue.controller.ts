import { Get, Param, Query } from '@nestjs/common';
import {
  type CloudEventsAnswer,
  CloudEvents,
  type CloudExecutionAnswer,
  type CloudStatusAnswer,
} from './cloud-events.js';
import { type CloudFailoverAnswer, CloudQueues, type CloudReadyAnswer, type CloudTaskAnswer } from './cloud-queues.js';
import { CloudAnswer, CloudController } from './cloud-route.js';
import {
  type CloudExecutionTypeAnswer,
  type CloudRegisterAnswer,
  type CloudResultAnswer,
  type CloudRunningAnswer,
  CloudStatistics,
} from './cloud-statistics.js';

/** `/api/job`: running, waiting and past runs. @see ElasticJob-Cloud 3.0.2, `CloudJobController` */
@CloudController('api/job')
export class CloudQueueController {
  constructor(
    private readonly queues: CloudQueues,
    private readonly events: CloudEvents,
    private readonly statistics: CloudStatistics,
  ) {}

  @Get('tasks/running')
  @CloudAnswer()
  running(): Promise<readonly CloudTaskAnswer[]> {
    return this.queues.running();
  }

  @Get('tasks/ready')
  @CloudAnswer()
  ready(): Promise<readonly CloudReadyAnswer[]> {
    return this.queues.ready();
  }

  @Get('tasks/failover')
  @CloudAnswer()
  failover(): Promise<readonly CloudFailoverAnswer[]> {
    return this.queues.failover();
  }

  @Get('events/executions')
  @CloudAnswer()
  executions(@Query() query: Record<string, unknown>): Promise<CloudEventsAnswer<CloudExecutionAnswer>> {
    return this.events.executions(query);
  }

  @Get('events/statusTraces')
  @CloudAnswer()
  statuses(@Query() query: Record<string, unknown>): Promise<CloudEventsAnswer<CloudStatusAnswer>> {
    return this.events.statuses(query);
  }

  @Get('statistics/tasks/results')
  @CloudAnswer()
  resultsByHour(@Query() { since }: Record<string, unknown>): Promise<readonly CloudResultAnswer[]> {
    return this.statistics.resultsByHour(since);
  }

  @Get('statistics/tasks/results/:period')
  @CloudAnswer()
  resultsOf(@Param('period') period: string): Promise<CloudResultAnswer> {
    return this.statistics.resultsOf(period);
  }

  @Get('statistics/tasks/running')
  @CloudAnswer()
  runningTasks(@Query() { since }: Record<string, unknown>): Promise<readonly CloudRunningAnswer[]> {
    return this.statistics.runningTasks(since);
  }

  @Get('statistics/jobs/running')
  @CloudAnswer()
  runningJobs(@Query() { since }: Record<string, unknown>): Promise<readonly CloudRunningAnswer[]> {
    return this.statistics.runningJobs(since);
  }

  @Get('statistics/jobs/executionType')
  @CloudAnswer()
  executionTypes(): Promise<CloudExecutionTypeAnswer> {
    return this.statistics.executionTypes();
  }

  @Get('statistics/jobs/register')
  @CloudAnswer()
  registered(): Promise<readonly CloudRegisterAnswer[]> {
    return this.statistics.registered();
  }
}
