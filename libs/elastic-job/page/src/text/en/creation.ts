/** The form that creates a job. A view of its own loads them. */
export const creation = {
  title: 'Create a job',
  about: 'from a template',
  toJobs: 'To the jobs',
  name: 'Name',
  nameHint: 'Stays as long as the job does.',
  exists: (name: string) => `There is a job ${name} already. Choose another name.`,
  template: 'Template',
  templateHint: 'The name in @ElasticJobTemplate. Those of known jobs are offered; others can be typed.',
  missing: 'Needed',
  rest: 'All other settings are as the template says. They can be changed once the job is there.',
  review: 'Review and create',
  change: {
    title: (name: string) => `Create ${name}`,
    name: 'Create',
    joins: (template: string) =>
      `Each instance that has the template ${template} joins the job. Without any, it is crashed until one comes.`,
    runs: 'It runs from its first fire time on.',
    asked: 'It has no cron: it runs only when it is asked to.',
    cannot: ['What it runs is done. The job itself can be removed again.'],
    became: 'The job is there.',
  },
};
export type CreationTexts = typeof creation;
