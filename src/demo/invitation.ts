/** Tells where the console is, how to get in, and what to try there. */
export function invitation(address: string, { admin, viewer }: Readonly<Record<'admin' | 'viewer', string>>): string {
  return `
  The console of a demo:  ${address}
  User:                   admin
  Password:               ${admin}
  One who only sees:      viewer, ${viewer}

  Three instances run the jobs of a shop in this process. They crash, leave and come back, and nothing is kept.
  Try to find out:
  - why settle-orders fails in one region;
  - who has disabled supplier-import, and why;
  - why fax-orders does not run;
  - which items move when an instance crashes. Crashes are told here.
  Ctrl-C ends it. For the console of your own jobs, set ELASTIC_JOB_SERVERS and ELASTIC_JOB_NAMESPACE.
`;
}
