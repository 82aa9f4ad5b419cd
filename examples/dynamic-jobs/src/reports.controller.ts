import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseFilters } from '@nestjs/common';
import { ElasticJobExceptionFilter } from 'nestjs-elastic-job';
import { type JobBriefInfo, JobOperateApi, JobStatisticsApi } from 'nestjs-elastic-job/operations';

interface NewReport {
  readonly tenant: string;
  readonly cron: string;
}

@Controller('reports')
@UseFilters(ElasticJobExceptionFilter) // an unknown job is 404, a wrong cron 400, a name that is taken 409
export class ReportsController {
  constructor(
    private readonly jobs: JobOperateApi,
    private readonly statistics: JobStatisticsApi,
  ) {}

  @Get()
  async list(): Promise<JobBriefInfo[]> {
    return [...(await this.statistics.getAllJobsBriefInfo())];
  }

  @Post()
  async create(@Body() { tenant, cron }: NewReport): Promise<{ name: string }> {
    const name = `report-${tenant}`;
    await this.jobs.create({ name, template: 'tenant-report', cron, shardingTotalCount: 2, props: { tenant } });
    return { name };
  }

  @Post(':name/runs')
  @HttpCode(202)
  async run(@Param('name') name: string): Promise<void> {
    await this.jobs.trigger(name);
  }

  @Delete(':name')
  @HttpCode(202) // its runs may end; then the job is gone
  async remove(@Param('name') name: string): Promise<void> {
    await this.jobs.remove(name);
  }
}
