// Items that others have left: claims from the failover queue, peers that are missing, and runs that were cut short.
export * from './failover-claims.js';
export * from './gone-instances.js';
