import { Body, Delete, Get, Param, Post, Put, Req } from '@nestjs/common';
import type { CloudJobConfiguration } from '../../../cloud/index.js';
import { CloudRegistrations } from './cloud-registrations.js';
import { CloudJobDto } from './cloud-rest.dto.js';
import { CloudAnswer, CloudController } from './cloud-route.js';
import { readJobName } from './read-job-name.js';

/** `/api/job`: registered jobs. @see ElasticJob-Cloud 3.0.2, `CloudJobController` */
@CloudController('api/job')
export class CloudJobController {
  constructor(private readonly registrations: CloudRegistrations) {}

  @Post('register')
  @CloudAnswer()
  async register(@Body() job: CloudJobDto): Promise<true> {
    await this.registrations.addJob(job);
    return true;
  }

  @Put('update')
  @CloudAnswer()
  async update(@Body() job: CloudJobDto): Promise<true> {
    await this.registrations.updateJob(job);
    return true;
  }

  @Post('trigger')
  @CloudAnswer()
  async trigger(@Body() body: unknown, @Req() request: unknown): Promise<true> {
    await this.registrations.trigger(await readJobName(body, request));
    return true;
  }

  @Get('jobs')
  @CloudAnswer()
  findAll(): Promise<readonly CloudJobConfiguration[]> {
    return this.registrations.jobs();
  }

  @Get('jobs/:jobName')
  @CloudAnswer()
  detail(@Param('jobName') jobName: string): Promise<CloudJobConfiguration> {
    return this.registrations.job(jobName);
  }

  @Delete(':jobName/deregister')
  @CloudAnswer()
  async deregister(@Param('jobName') jobName: string): Promise<true> {
    await this.registrations.removeJob(jobName);
    return true;
  }

  @Get(':jobName/disable')
  @CloudAnswer()
  isDisabled(@Param('jobName') jobName: string): Promise<boolean> {
    return this.registrations.isJobDisabled(jobName);
  }

  @Post(':jobName/disable')
  @CloudAnswer()
  async disable(@Param('jobName') jobName: string): Promise<true> {
    await this.registrations.setJobDisabled(jobName, true);
    return true;
  }

  @Post(':jobName/enable')
  @CloudAnswer()
  async enable(@Param('jobName') jobName: string): Promise<true> {
    await this.registrations.setJobDisabled(jobName, false);
    return true;
  }
}
