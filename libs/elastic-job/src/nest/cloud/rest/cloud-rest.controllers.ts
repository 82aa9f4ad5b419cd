import {
  applyDecorators,
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Inject,
  NotImplementedException,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import {
  type CloudAppConfiguration,
  CloudConfigurations,
  type CloudJobConfiguration,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from '../../../cloud/index.js';
import { JobOperateApi } from '../../../operations/index.js';
import { ElasticJobExceptionFilter } from '../../elastic-job-exception.filter.js';
import { TASK_SCHEDULER } from '../../module-definition.js';
import type { TaskScheduler } from '../task-scheduler.js';
import {
  CloudEvents,
  type CloudEventsAnswer,
  type CloudExecutionAnswer,
  type CloudStatusAnswer,
} from './cloud-events.js';
import { type CloudFailoverAnswer, CloudQueues, type CloudReadyAnswer, type CloudTaskAnswer } from './cloud-queues.js';
import { mapping, storedApp, storedJob, triggerJob, usable, usableOf } from './cloud-registrations.js';
import { CloudRestGuard } from './cloud-rest.guard.js';
import { CloudAppDto, CloudJobDto, readJobName } from './cloud-rest.dto.js';
import { RepeatedReconcileError } from './cloud-rest.errors.js';
import {
  type CloudExecutionTypeAnswer,
  type CloudRegisterAnswer,
  type CloudResultAnswer,
  type CloudRunningAnswer,
  CloudStatistics,
} from './cloud-statistics.js';

/** A controller of ElasticJob-Cloud's REST interface: guarded, with errors of this package as answers. */
function CloudController(path: string): ClassDecorator {
  return applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(CloudRestGuard),
    UseFilters(ElasticJobExceptionFilter),
  );
}

/** Answers with status 200 and JSON, also for a boolean, and also for POST. */
function CloudAnswer(): MethodDecorator {
  return applyDecorators(HttpCode(200), Header('content-type', 'application/json; charset=utf-8'));
}

/** `/api/app`. @see ElasticJob-Cloud 3.0.2, `CloudAppController` */
@CloudController('api/app')
export class CloudAppController {
  constructor(private readonly configurations: CloudConfigurations) {}

  @Post()
  @CloudAnswer()
  async register(@Body() app: CloudAppDto): Promise<true> {
    await this.configurations.apps.add(mapping(app));
    return true;
  }

  @Put()
  @CloudAnswer()
  async update(@Body() app: CloudAppDto): Promise<true> {
    await this.configurations.apps.update(mapping(app));
    return true;
  }

  @Get('list')
  @CloudAnswer()
  async findAll(): Promise<readonly CloudAppConfiguration[]> {
    return usableOf(await this.configurations.apps.readAll());
  }

  @Get(':appName')
  @CloudAnswer()
  async detail(@Param('appName') appName: string): Promise<CloudAppConfiguration> {
    return usable(await storedApp(this.configurations, appName));
  }

  @Get(':appName/disable')
  @CloudAnswer()
  async isDisabled(@Param('appName') appName: string): Promise<boolean> {
    return (await storedApp(this.configurations, appName)).isDisabled;
  }

  @Post(':appName/disable')
  @CloudAnswer()
  async disable(@Param('appName') appName: string): Promise<true> {
    await this.configurations.apps.disable(appName);
    return true;
  }

  @Post(':appName/enable')
  @CloudAnswer()
  async enable(@Param('appName') appName: string): Promise<true> {
    await this.configurations.apps.enable(appName);
    return true;
  }

  @Delete(':appName')
  @CloudAnswer()
  async deregister(@Param('appName') appName: string): Promise<true> {
    if ((await this.configurations.apps.remove(appName)) === undefined) throw new UnknownCloudAppError(appName);
    return true;
  }
}

/** `/api/job`: registered jobs. @see ElasticJob-Cloud 3.0.2, `CloudJobController` */
@CloudController('api/job')
export class CloudJobController {
  constructor(
    private readonly configurations: CloudConfigurations,
    private readonly operate: JobOperateApi,
  ) {}

  @Post('register')
  @CloudAnswer()
  async register(@Body() job: CloudJobDto): Promise<true> {
    await this.configurations.jobs.add(mapping(job));
    return true;
  }

  @Put('update')
  @CloudAnswer()
  async update(@Body() job: CloudJobDto): Promise<true> {
    await this.configurations.jobs.update(mapping(job));
    return true;
  }

  @Post('trigger')
  @CloudAnswer()
  async trigger(@Body() body: unknown, @Req() request: unknown): Promise<true> {
    await triggerJob(this.configurations, this.operate, await readJobName(body, request));
    return true;
  }

  @Get('jobs')
  @CloudAnswer()
  async findAll(): Promise<readonly CloudJobConfiguration[]> {
    return usableOf(await this.configurations.jobs.readAll());
  }

  @Get('jobs/:jobName')
  @CloudAnswer()
  async detail(@Param('jobName') jobName: string): Promise<CloudJobConfiguration> {
    return usable(await storedJob(this.configurations, jobName));
  }

  @Delete(':jobName/deregister')
  @CloudAnswer()
  async deregister(@Param('jobName') jobName: string): Promise<true> {
    if (!(await this.configurations.jobs.remove(jobName))) throw new UnknownCloudJobError(jobName);
    return true;
  }

  @Get(':jobName/disable')
  @CloudAnswer()
  async isDisabled(@Param('jobName') jobName: string): Promise<boolean> {
    return (await storedJob(this.configurations, jobName)).isDisabled;
  }

  @Post(':jobName/disable')
  @CloudAnswer()
  async disable(@Param('jobName') jobName: string): Promise<true> {
    await this.configurations.jobs.disable(jobName);
    return true;
  }

  @Post(':jobName/enable')
  @CloudAnswer()
  async enable(@Param('jobName') jobName: string): Promise<true> {
    await this.configurations.jobs.enable(jobName);
    return true;
  }
}

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

/** `/api/operate`. @see ElasticJob-Cloud 3.0.2, `CloudOperationController` */
@CloudController('api/operate')
export class CloudOperationController {
  constructor(
    @Inject(TASK_SCHEDULER) private readonly scheduler: Pick<TaskScheduler, 'reconcile'>,
    private readonly configurations: CloudConfigurations,
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
    usable(await storedApp(this.configurations, appName));
    throw new NotImplementedException("Tasks have no sandbox; the event task-released has the end of a task's output.");
  }
}
