/** Tasks as child processes of this host, under a supervisor that outlives their scheduler by no more than it takes to kill them. */
export * from './local-processes.js';
