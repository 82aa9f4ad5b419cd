import { describe, expect, it } from 'vitest';
import { createdRoot, parseCreatedJob, removedRoot } from './job-template.js';

describe('the text of the root of a job that was created from a template', () => {
  it('names the template, and whether the job is to go', () => {
    expect(parseCreatedJob(createdRoot('report'))).toEqual({ template: 'report', isBeingRemoved: false });
    expect(parseCreatedJob(removedRoot('report'))).toEqual({ template: 'report', isBeingRemoved: true });
  });

  it('is the same in every release', () => {
    expect([createdRoot('report'), removedRoot('report')]).toEqual(['nestjs.template:report', 'nestjs.removed:report']);
  });

  it.each(['', 'org.example.OrderJob', 'DATAFLOW', 'my.nestjs.template:report', 'report nestjs.removed:'])(
    'is not %j',
    (text) => expect(parseCreatedJob(text)).toBeUndefined(),
  );
});
