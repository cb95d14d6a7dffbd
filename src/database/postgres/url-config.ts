import { Socket } from 'node:net'
import pg from 'pg'
import { errorText } from './error-text.ts'

/**
 * The options of a client for this URL. `pg` reads the files that a URL names, such as `sslrootcert`, for each client,
 * and throws if it cannot, also where its pool catches nothing. The connection fails instead: a file that is being
 * rotated, or a process without a free descriptor, must not end the process.
 */
export function urlConfig(connectionString: string): pg.ClientConfig {
  try {
    new pg.Client({ connectionString })
    return { connectionString }
  } catch (error) {
    return { stream: () => brokenSocket(new Error(`Connection terminated: ${errorText(error)}`)) }
  }
}

function brokenSocket(error: Error): Socket {
  const socket = new Socket()
  socket.connect = () => socket.destroy(error)
  return socket
}
