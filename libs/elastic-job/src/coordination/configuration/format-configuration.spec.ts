import { describe, expect, it } from 'vitest';
import { formatConfiguration } from './format-configuration.js';
import { layConfiguration } from './lay-configuration.js';
import { parseConfiguration } from './parse-configuration.js';
import { everything, FROM_JAVA, FULL_FROM_JAVA, jobOf } from '@test/support/unit/config-texts.js';

describe('formatConfiguration', () => {
  it('writes a job with defaults as Java does, with one more entry in props', () => {
    const props = 'props:\n  nestjs.clockChange: auto\n';
    expect(formatConfiguration(jobOf())).toBe(FROM_JAVA.replace('reconcile', `${props}reconcile`));
  });

  it('writes every setting, and those that Java lacks as texts in props', () => {
    const text = formatConfiguration(jobOf(everything));
    expect(text).toContain(
      "props:\n  nestjs.clockChange: quartz\n  nestjs.concurrency: '3'\n  nestjs.failoverQueueLimit: '4'\n" +
        '  nestjs.jobErrorHandlerType: PAGER\n  nestjs.jobListenerTypes: audit,metrics\n' +
        "  nestjs.maxAttempts: '3'\n  nestjs.maxExecutorFailovers: '5'\n  nestjs.misfireLimit: '7'\n" +
        '  nestjs.misfirePolicy: all\n' +
        "  nestjs.onHung: release\n  nestjs.retryDelayMs: '10'\n  nestjs.retryFactor: '1.5'\n" +
        "  nestjs.retryJitter: '0'\n" +
        "  nestjs.retryMaxDelayMs: '100'\n  nestjs.serverRetentionMinutes: '0'\n" +
        "  nestjs.shardingTimeoutMs: '1'\n  nestjs.strategy: BY_REGION\n  nestjs.timeZone: Europe/Berlin\n" +
        "  nestjs.timeoutMs: '2'\n  script.command.line: echo hi\n  'true': '012'\nreconcile",
    );
    expect(text).toContain('\njobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\n');
    expect(text).toContain('\njobExtraConfigurations:\n- !!com.acme.Tracing\n  password: secret\njobName');
    expect(text).toContain('\nlabel: lb\n');
    expect(text).toContain('\nstaticSharding: true\n');
    expect(text).not.toMatch(/^(?:timeZone|jobShardingStrategyType|jobErrorHandlerType|jobListenerTypes)/m);
  });

  it('changes only the order of props and our own entry if it rewrites a full node of Java', () => {
    const { configuration } = layConfiguration(jobOf(), FULL_FROM_JAVA);
    const text = formatConfiguration(
      { ...configuration, overwrite: true },
      parseConfiguration(FULL_FROM_JAVA, 'myJob'),
    );
    const [script, n] = ['  script.command.line: echo hi\n', "  n: '5'\n"];
    expect(text).toBe(FULL_FROM_JAVA.replace(script + n, `${n}  nestjs.clockChange: quartz\n${script}`));
  });

  it("holds no strategy for the default one, and names any other, Java's average as well", () => {
    expect(formatConfiguration(jobOf({ strategy: 'BALANCED' }))).toBe(formatConfiguration(jobOf()));
    expect(formatConfiguration(jobOf())).not.toContain('trategy');
    expect(formatConfiguration(jobOf({ strategy: 'AVG_ALLOCATION' }))).toMatch(
      /^jobShardingStrategyType: AVG_ALLOCATION$/m,
    );
  });

  it('names the default strategy in the props where it has to hold for every instance', () => {
    const former = parseConfiguration(formatConfiguration(jobOf({ strategy: 'ODEVITY' })), 'myJob');
    const text = formatConfiguration(jobOf(), former, ['strategy']);
    expect(text).toContain('\n  nestjs.strategy: BALANCED\n');
    expect(text).not.toContain('jobShardingStrategyType');
    expect(layConfiguration(jobOf({ strategy: 'STICKY' }), text).configuration.strategy.type).toBe('BALANCED');
  });

  it("keeps Java's average where a node of Java that names no strategy is written again", () => {
    const { configuration } = layConfiguration(jobOf(), FROM_JAVA);
    const text = formatConfiguration(configuration, parseConfiguration(FROM_JAVA, 'myJob'));
    expect(layConfiguration(jobOf(), text).configuration.strategy.type).toBe('AVG_ALLOCATION');
  });

  it('writes a time zone and a strategy that Java knows where Java reads them', () => {
    const text = formatConfiguration(jobOf({ timeZone: 'GMT+8:00', strategy: 'ROTATE_SERVER_BY_NAME' }));
    expect(text).toMatch(/^jobParameter: ''\njobShardingStrategyType: ROUND_ROBIN\nmax/m);
    expect(text).toMatch(/^timeZone: GMT\+8:00\n$/m);
    expect(text).not.toMatch(/nestjs\.(?:strategy|timeZone)/);
  });
});
