import { springJob } from '@test/support/unit/spring-job.js';
import { describe, expect, it } from 'vitest';
import { importElasticJobConfiguration } from './index.js';

const JOB = 'elasticjob.jobs.j.';

describe('a placeholder of Spring', () => {
  const text = springJob('jobParameter: "${HOST:localhost}:${app.port}"') + '\napp:\n  port: ${PORT:80}\n';

  it('takes the given values, then other settings of the file, then its default, which is told', () => {
    const given = importElasticJobConfiguration(text, { placeholders: { HOST: 'h', PORT: '81' } });
    expect(given.jobs['j']).toMatchObject({ jobParameter: 'h:81' });
    expect(given.notTakenOver).toEqual([]);
    const usual = importElasticJobConfiguration(text);
    expect(usual.jobs['j']).toMatchObject({ jobParameter: 'localhost:80' });
    expect(usual.notTakenOver).toMatchObject([
      { path: `${JOB}jobParameter`, value: '(not shown)', reason: expect.stringContaining('HOST, PORT') },
    ]);
  });

  it('without a value leaves the setting out, which is told', () => {
    const { jobs, notTakenOver } = importElasticJobConfiguration(springJob('description: ${TEXT}'));
    expect(jobs['j']).not.toHaveProperty('description');
    expect(notTakenOver).toMatchObject([{ path: `${JOB}description`, value: '${TEXT}' }]);
  });

  it('takes the environment variable that Spring Boot takes', () => {
    const { jobs } = importElasticJobConfiguration(springJob('description: ${my.job-text}'), {
      placeholders: { MY_JOBTEXT: 'from the environment' },
    });
    expect(jobs['j']).toMatchObject({ description: 'from the environment' });
  });

  it('that names itself has no value', () => {
    const { notTakenOver } = importElasticJobConfiguration(springJob('description: ${elasticjob.jobs.j.description}'));
    expect(notTakenOver).toHaveLength(1);
  });
});
