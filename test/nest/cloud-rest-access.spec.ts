import { ConfigurationError } from '@app/elastic-job';
import { ElasticJobCloudModule, type ElasticJobCloudModuleOptions } from '@app/elastic-job/cloud';
import { type CanActivate, Controller, Get, Injectable } from '@nestjs/common';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { cloudOptions, startRest, TOKEN } from './support/cloud-rest-application.js';

@Controller('api/app')
class OwnController {
  @Get('list')
  list(): readonly string[] {
    return ['the application’s own'];
  }
}

@Injectable()
class Doorkeeper {
  readonly secret = 'open sesame';
}

@Injectable()
class HeaderGuard implements CanActivate {
  constructor(private readonly doorkeeper: Doorkeeper) {}

  canActivate(context: Parameters<CanActivate['canActivate']>[0]): boolean {
    return context.switchToHttp().getRequest().headers['x-door'] === this.doorkeeper.secret;
  }
}
Reflect.defineMetadata('design:paramtypes', [Doorkeeper], HeaderGuard);

class AllowAll implements CanActivate {
  canActivate() {
    return of(true);
  }
}

/** An application that gives these options to `forRootAsync`. */
const asynchronously = (options: Partial<ElasticJobCloudModuleOptions>) =>
  ElasticJobCloudModule.forRootAsync({ useFactory: async () => cloudOptions(options) });

describe.each([
  ['forRoot', (options: Partial<ElasticJobCloudModuleOptions>) => ElasticJobCloudModule.forRoot(cloudOptions(options))],
  ['forRootAsync', asynchronously],
])('the option rest of %s', (_, cloudModule) => {
  it("maps no route unless it is given, so that the application's own routes stay", async () => {
    const off = await startRest({ cloudModule: cloudModule({ rest: undefined }), controllers: [OwnController] });

    expect(await off.ask('GET', '/api/app/list')).toEqual({ status: 200, answer: ['the application’s own'] });
    expect((await off.ask('GET', '/api/job/jobs')).status).toBe(404);
    expect((await off.ask('POST', '/api/operate/reconcile/explicit')).status).toBe(404);
  });

  it('lets requests with the token through', async () => {
    const { ask } = await startRest({ cloudModule: cloudModule({ rest: { token: TOKEN } }) });

    expect(await ask('GET', '/api/app/list')).toEqual({ status: 200, answer: [] });
    expect((await ask('GET', '/api/app/list', undefined, { accessToken: `${TOKEN}0` })).status).toBe(401);
  });

  it('lets requests through that all guards allow: providers, classes and instances', async () => {
    const guards = [HeaderGuard, AllowAll, new AllowAll()];
    const { ask } = await startRest({
      cloudModule: cloudModule({ rest: { guards } }),
      providers: [Doorkeeper, HeaderGuard],
    });

    expect(await ask('GET', '/api/app/list', undefined, { 'x-door': 'open sesame' })).toEqual({
      status: 200,
      answer: [],
    });
    expect((await ask('GET', '/api/app/list')).status).toBe(403);
  });

  it.each([
    [{ rest: { token: TOKEN }, tree: undefined }, 'rest needs tree'],
    [{ rest: {} }, 'either token or guards'],
    [{ rest: { token: TOKEN, guards: [AllowAll] } }, 'either token or guards'],
    [{ rest: { guards: [] } }, 'at least one guard'],
    [{ rest: { token: '' } }, 'at least 128 bits'],
    [{ rest: { token: 'pwd' } }, 'at least 128 bits'],
    [{ rest: { token: '0123456789abcdef0123456789abcde' } }, 'at least 128 bits'],
    [{ rest: { token: 'MDEyMzQ1Njc4OWFiY2RlZg'.slice(1) } }, 'at least 128 bits'],
    [{ rest: { token: 'ab'.repeat(32) } }, 'at least 128 bits'],
    [{ rest: { token: 'a text of many words, which has spaces' } }, 'at least 128 bits'],
  ])('refuses %j at the start', async (options, message) => {
    const started = startRest({ cloudModule: cloudModule(options) });

    await expect(started).rejects.toThrow(ConfigurationError);
    await expect(started).rejects.toThrow(message);
  });

  it('does not show a token that it refuses', async () => {
    const token = 'short-but-secret';

    await expect(startRest({ cloudModule: cloudModule({ rest: { token } }) })).rejects.not.toThrow(token);
  });
});
