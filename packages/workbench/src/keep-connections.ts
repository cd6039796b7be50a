/**
 * Options of a server without a timeout for idle connections. On a loaded machine the timeout could close a connection that
 * the next request uses.
 */
export const keepConnections = { keepAliveTimeout: 0 } as const
