import { Socket } from 'node:net'

/** Whether PostgreSQL answers this process, and all sockets to it. */
export interface DatabaseAvailability {
  /**
   * True while the database does not answer: requests are refused at once, instead of each waiting for its
   * own timeout.
   */
  readonly isUnavailable: boolean
  /**
   * A socket for a new connection. While the database is unavailable it fails at once, so that requests need
   * not wait for a timeout, and does not reach the server, which would start a process for it.
   */
  socket(): Socket
  /**
   * A socket for the listener, which finds out that the database answers again; it does not fail at once.
   */
  listenerSocket(): Socket
  /** The bytes received over all connections so far. */
  receivedBytes(): number
  /** The database has answered. */
  markAvailable(): void
  /**
   * The database does not answer. Destroys every connection, so that waiting statements fail at once: lost
   * packets would keep them for a quarter of an hour.
   */
  markUnavailable(): void
  /** Destroys every connection: they lead to a server that is not the primary any more. */
  closeConnections(): void
}

export function watchAvailability(): DatabaseAvailability {
  const open = new Set<Socket>()
  let isUnavailable = false
  let receivedBefore = 0
  const closeConnections = () => {
    for (const socket of open) socket.destroy(new Error(TERMINATED))
  }
  const listenerSocket = () => {
    const socket = new Socket()
    open.add(socket)
    return socket.once('close', () => {
      open.delete(socket)
      receivedBefore += socket.bytesRead
    })
  }
  return {
    get isUnavailable() {
      return isUnavailable
    },
    listenerSocket,
    socket() {
      const socket = listenerSocket()
      if (isUnavailable) socket.connect = () => socket.destroy(new Error(TERMINATED))
      return socket
    },
    receivedBytes() {
      let bytes = receivedBefore
      for (const { bytesRead } of open) bytes += bytesRead
      return bytes
    },
    markAvailable() {
      isUnavailable = false
    },
    markUnavailable() {
      isUnavailable = true
      closeConnections()
    },
    closeConnections,
  }
}

const TERMINATED = 'Connection terminated: the database does not answer'
