/** Tasks as child processes of this host, under a supervisor that kills them as soon as their scheduler is gone. */
export * from './local-processes.js';
