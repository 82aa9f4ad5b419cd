import { Body, Delete, Get, Param, Post, Put } from '@nestjs/common';
import type { CloudAppConfiguration } from '../../../cloud/index.js';
import { CloudRegistrations } from './cloud-registrations.js';
import { CloudAppDto } from './cloud-rest.dto.js';
import { CloudAnswer, CloudController } from './cloud-route.js';

/** `/api/app`. @see ElasticJob-Cloud 3.0.2, `CloudAppController` */
@CloudController('api/app')
export class CloudAppController {
  constructor(private readonly registrations: CloudRegistrations) {}

  @Post()
  @CloudAnswer()
  async register(@Body() app: CloudAppDto): Promise<true> {
    await this.registrations.addApp(app);
    return true;
  }

  @Put()
  @CloudAnswer()
  async update(@Body() app: CloudAppDto): Promise<true> {
    await this.registrations.updateApp(app);
    return true;
  }

  @Get('list')
  @CloudAnswer()
  findAll(): Promise<readonly CloudAppConfiguration[]> {
    return this.registrations.apps();
  }

  @Get(':appName')
  @CloudAnswer()
  detail(@Param('appName') appName: string): Promise<CloudAppConfiguration> {
    return this.registrations.app(appName);
  }

  @Get(':appName/disable')
  @CloudAnswer()
  isDisabled(@Param('appName') appName: string): Promise<boolean> {
    return this.registrations.isAppDisabled(appName);
  }

  @Post(':appName/disable')
  @CloudAnswer()
  async disable(@Param('appName') appName: string): Promise<true> {
    await this.registrations.setAppDisabled(appName, true);
    return true;
  }

  @Post(':appName/enable')
  @CloudAnswer()
  async enable(@Param('appName') appName: string): Promise<true> {
    await this.registrations.setAppDisabled(appName, false);
    return true;
  }

  @Delete(':appName')
  @CloudAnswer()
  async deregister(@Param('appName') appName: string): Promise<true> {
    await this.registrations.removeApp(appName);
    return true;
  }
}
