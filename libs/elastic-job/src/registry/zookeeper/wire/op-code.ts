/**
 * ZooKeeper's operation numbers. The client library knows only those of version 3.4.
 * @see ZooKeeper, `ZooDefs.OpCode`
 */
export const OP_CODE = {
  CREATE: 1,
  DELETE: 2,
  EXISTS: 3,
  GET_DATA: 4,
  SET_DATA: 5,
  GET_ACL: 6,
  GET_CHILDREN: 8,
  PING: 11,
  GET_CHILDREN2: 12,
  CHECK: 13,
  MULTI: 14,
  CREATE2: 15,
  REMOVE_WATCHES: 18,
  CREATE_CONTAINER: 19,
  MULTI_READ: 22,
  AUTH: 100,
  SASL: 102,
  SET_WATCHES2: 105,
  ADD_WATCH: 106,
  WHO_AM_I: 107,
  CLOSE_SESSION: -11,
  ERROR: -1,
} as const;
